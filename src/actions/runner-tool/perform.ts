import { grantToolCall, settleToolGrant } from '../../db/queries/runner/tool-consents.ts'
import { limits } from '../../limits.ts'
import { taskQueue } from '../../temporal/names.ts'
import type { Performer } from '../kind.ts'

/** Makes the consent a grant: the runner may make this call once more, and then it runs. The gate itself runs nothing. */
export const runnerToolPerformer: Performer = {
  plan: async () => [{ queue: taskQueue.gate, name: 'grant', isQuick: true }],

  async perform(deps, row) {
    await grantToolCall(deps.db, row.account_id, row.id, limits.grantMs)
  },

  async conclude(deps, row) {
    const usableUntil = await settleToolGrant(deps.db, row.account_id, row.id)
    if (usableUntil === null)
      return { status: 'cancelled', closedReason: 'refused', result: { outcome: 'refused' } }
    return {
      status: 'executed',
      closedReason: null,
      result: { outcome: 'done', usable_until: usableUntil.toISOString() },
    }
  },
}
