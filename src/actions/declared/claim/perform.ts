import { type ClaimStanding, settleClaim } from '../../../db/queries/actions/claims.ts'
import { limits } from '../../../limits.ts'
import { taskQueue } from '../../../temporal/names.ts'
import type { Conclusion, Performer } from '../../kind.ts'

/**
 * Performs kinds for which the gate calls no executor: waits until the executor that claimed the action has reported its
 * outcome, or the time to claim or to report is over.
 */
export const claimPerformer: Performer = {
  waitsForOthers: true,

  plan: async () => [{ queue: taskQueue.gate, name: 'claim' }],

  async perform({ db }, { account_id: account, id }) {
    const standing = await settleClaim(db, {
      account,
      id,
      windowMs: limits.claimWindowMs,
      isForced: false,
    })
    return 'waitMs' in standing ? { inMs: standing.waitMs } : undefined
  },

  async conclude({ db }, { account_id: account, id }) {
    // Where an operator cancelled the workflow, the claim ends here: nobody can take or report it afterwards.
    return conclusionOf(
      await settleClaim(db, { account, id, windowMs: limits.claimWindowMs, isForced: true }),
    )
  },
}

/** How an action ends whose claim ended like that. Pure. */
export function conclusionOf(claim: ClaimStanding): Conclusion {
  if (claim.state === 'reported') {
    const { reported } = claim
    if (reported === 'refused') return refused({ reported })
    const outcome = { done: 'done', failed: 'partial', unknown: 'unknown' } as const
    return executed({ outcome: outcome[reported], reported })
  }
  // Nobody could claim it afterwards, so it is certain that nobody executes it.
  if (claim.state === 'unclaimed') return refused({ code: 'not_claimed' })
  return executed({ outcome: 'unknown', code: 'lease_ended' })
}

const executed = (result: Conclusion['result']): Conclusion => ({
  status: 'executed',
  closedReason: null,
  result,
})

const refused = (why: Record<string, string>): Conclusion => ({
  status: 'cancelled',
  closedReason: 'refused',
  result: { outcome: 'refused', ...why },
})
