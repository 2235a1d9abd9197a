import { z } from 'zod'
import { readAction } from '../../db/queries/actions/actions.ts'
import { GateError } from '../../errors.ts'
import { viewAction } from './action-view.ts'
import { defineOperation } from '../operation.ts'
import { ActionId, ActionRequest } from '../schemas.ts'

/** Reads one action. One of another account, or of a member that the key is not bound to, is not found. */
export const getAction = defineOperation({
  name: 'get_action',
  title: 'Read one action',
  summary: 'Read one action: its status, its blast radius, and its result once it was executed.',
  http: { method: 'GET', path: '/api/v1/actions/{id}', integers: ['id'], success: { 200: 'ActionRequest' } },
  tool: { group: 'gate', readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({ id: ActionId }),
  output: ActionRequest,
  errors: ['not_found'],
  powers: ['read'],
  isKeyed: false,
  async run({ deps, account, actors }, { id }) {
    const row = await readAction(deps.db, account, id)
    const isHidden = actors !== null && !actors.includes(row?.member_id ?? '')
    if (!row || isHidden)
      throw new GateError('not_found', `Action ${id} was not found in this account.`, { param: 'id' })
    return { status: 200, body: await viewAction(deps, row) }
  },
})
