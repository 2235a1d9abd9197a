import { z } from 'zod'
import { type ActionRow, readAction } from '../../db/queries/actions/actions.ts'
import { limits } from '../../limits.ts'
import { type CallContext, defineOperation } from '../operation.ts'
import { ActionId, ActionRequest } from '../schemas.ts'
import { moneyCard } from '../consent/card-of-row.ts'
import { viewForCaller } from '../actions/action-view.ts'
import { awaitEnd } from './await-end.ts'
import { isOfKeyMember, actionNotFound } from '../actions/action-not-found.ts'

const most = limits.awaitSecondsMax

/** Only the tool takes it: REST always has the receipt. */
const receipt = z.boolean('must be true or false').optional().meta({ description: 'With the receipt.' })
const isReceiptAsked = (given: { receipt?: unknown }): boolean => given.receipt === true

/** Reads one action. One of another account, or of a member that the key is not bound to, is not found. */
export const getAction = defineOperation({
  name: 'get_action',
  title: 'Read one action',
  summary: 'Read one action with all its fields: the proposal, the decision and the result.',
  http: {
    method: 'GET',
    path: '/api/v1/actions/{id}',
    integers: ['id', 'wait'],
    success: { 200: 'ActionRequest' },
  },
  tool: {
    group: 'gate',
    readOnly: true,
    destructive: false,
    idempotent: true,
    openWorld: false,
    omits: ['wait'],
    arguments: { receipt },
  },
  input: z.strictObject({
    id: ActionId,
    wait: z
      .int('must be a whole number')
      .min(0, 'must be 0 or more')
      .max(most, `must be at most ${most}`)
      .optional()
      .meta({
        description:
          'Seconds to wait until the action is executed, denied or cancelled. After them the answer is the action as it is.',
      }),
  }),
  output: ActionRequest,
  errors: ['not_found', 'invalid', 'too_many'],
  powers: ['read'],
  isKeyed: false,
  async run(context, { id, wait = 0, ...given }) {
    const row = await awaitEnd(context, await readVisibleAction(context, id), wait * 1_000)
    return {
      status: 200,
      body: {
        ...(await viewForCaller(context, row, isReceiptAsked(given) || context.source !== 'mcp')),
        ...(await moneyCard(context.deps, row)),
      },
    }
  },
})

/** An action that the key may see. @throws GateError `not_found`, also for one of a member that the key is not bound to */
export async function readVisibleAction(context: CallContext, id: number): Promise<ActionRow> {
  const row = await readAction(context.deps.db, context.account, id)
  if (!row || !isOfKeyMember(context, row)) throw actionNotFound(id)
  return row
}
