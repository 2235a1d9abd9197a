import { z } from 'zod'
import { limits } from '../../limits.ts'
import { defineOperation } from '../operation.ts'
import { ActionId, ActionRequest } from '../schemas.ts'
import { viewForCaller } from '../actions/action-view.ts'
import { awaitEnd } from './await-end.ts'
import { readVisibleAction } from './get-action.ts'

const awaitSecondsDefault = 25

const most = limits.awaitSecondsMax

/** Waits for the end of an action: the tool beside `GET /api/v1/actions/{id}?wait=`. */
export const awaitAction = defineOperation({
  name: 'await_action',
  title: 'Wait for an action to end',
  summary:
    'Wait for the end of an action that has a `consent_request` or an `execution`. Returns it when it is executed, denied or cancelled, or still `proposed` after `timeout_seconds`: then call it again.',
  tool: {
    group: 'gate',
    readOnly: true,
    destructive: false,
    idempotent: true,
    openWorld: false,
    reportsProgress: true,
  },
  input: z.strictObject({
    id: ActionId,
    timeout_seconds: z
      .int('must be a whole number')
      .min(1, 'must be at least 1')
      .max(most, `must be at most ${most}`)
      .default(awaitSecondsDefault)
      .meta({ description: `1 to ${most}.` }),
  }),
  output: ActionRequest,
  errors: ['not_found', 'invalid', 'too_many'],
  powers: ['read'],
  isKeyed: false,
  async run(context, { id, timeout_seconds: seconds }) {
    const row = await awaitEnd(context, await readVisibleAction(context, id), seconds * 1_000)
    return { status: 200, body: await viewForCaller(context, row) }
  },
})
