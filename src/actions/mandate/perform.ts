import { grantMandate, settleMandate } from '../../db/queries/actions/mandates.ts'
import { limits } from '../../limits.ts'
import { taskQueue } from '../../temporal/names.ts'
import type { Performer } from '../kind.ts'

/** Puts a mandate in force. The gate itself does nothing. */
export const mandatePerformer: Performer = {
  plan: async () => [{ queue: taskQueue.gate, name: 'grant', isQuick: true }],

  async perform(deps, row) {
    await grantMandate(deps.db, row.account_id, row.id, limits.mandateMs)
  },

  async conclude(deps, row) {
    const until = await settleMandate(deps.db, row.account_id, row.id)
    if (until === null)
      return { status: 'cancelled', closedReason: 'refused', result: { outcome: 'refused' } }
    return {
      status: 'executed',
      closedReason: null,
      result: { outcome: 'done', in_force_until: until.toISOString() },
    }
  },
}
