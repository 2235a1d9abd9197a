import { z } from 'zod'
import { readAction } from '../../db/queries/actions/actions.ts'
import { GateError } from '../../errors.ts'
import { viewAction } from './action-view.ts'
import { defineOperation } from '../operation.ts'
import { ActionId, ActionRequest } from '../schemas.ts'

/** Reads one row of the ledger. Another account's row does not exist. */
export const getAction = defineOperation({
  name: 'get_action',
  title: 'Read one action',
  summary: 'Read one row of the ledger: its state, its reach, and its result once it was executed.',
  http: { method: 'GET', path: '/api/v1/actions/{id}', integers: ['id'], success: { 200: 'ActionRequest' } },
  tool: { group: 'gate', readOnly: true, destructive: false, idempotent: true, openWorld: false },
  input: z.strictObject({ id: ActionId }),
  output: ActionRequest,
  errors: ['not_found'],
  powers: ['read'],
  isKeyed: false,
  async run({ deps, account, actors }, { id }) {
    const row = await readAction(deps.db, account, id)
    // To a key that is bound to members, other rows do not exist.
    const isHidden = actors !== null && !actors.includes(row?.member_id ?? '')
    if (!row || isHidden) throw new GateError('not_found', `There is no action ${id} in this account.`)
    return { status: 200, body: await viewAction(deps, row) }
  },
})
