import type { Db } from '../db/connect.ts'
import { groupByAccount } from '../db/group.ts'
import type { Outcome } from '../db/queries/actions/actions.ts'
import { type Proposal, type ProposeOutcome, propose } from '../db/queries/actions/propose.ts'
import { hasWritten, noteWrite } from '../db/writes.ts'
import { GateError, OutcomeUnknown } from '../errors.ts'
import { limits } from '../limits.ts'

type Recorded = Outcome<ProposeOutcome>

/** Records proposals, allowed and denied, in groups. */
export interface ProposalRecorder {
  /** Resolves once the row of the proposal is committed, or refused. */
  record(account: string, proposal: Proposal): Promise<Recorded>
}

/**
 * While one group of an account waits for the end of its ledger, the others wait here: each of their statements would wait
 * with a connection of its own, and the reads of other requests would have none.
 */
export function proposalRecorder(db: Db): ProposalRecorder {
  const record = groupByAccount<Proposal, PromiseSettledResult<Recorded>>(
    (account, proposals) => recordGroup(db, account, proposals),
    { groupMax: limits.proposalsPerAppendMax, waitingMax: limits.proposalsWaitingMax },
    () =>
      new GateError(
        'unavailable',
        'Too many proposals of this account are waiting to be recorded. Nothing was proposed; try again in a second.',
        { retryAfterSeconds: 1 },
      ),
  )
  return {
    async record(account, proposal) {
      const [before, result] = [hasWritten(), await record(account, proposal)]
      // The statement ran in the context of another request of the group.
      if (result.status === 'fulfilled' || result.reason instanceof OutcomeUnknown) noteWrite()
      if (result.status === 'fulfilled') return result.value
      throw before && isUnreachable(result.reason) ? new OutcomeUnknown() : result.reason
    },
  }
}

/** A proposal that the database refuses takes the others of its group with it: then each is recorded alone. */
async function recordGroup(
  db: Db,
  account: string,
  proposals: Proposal[],
): Promise<PromiseSettledResult<Recorded>[]> {
  const [result] = await Promise.allSettled([propose(db, account, proposals)])
  if (result.status === 'fulfilled')
    return result.value.map((value) => ({ status: 'fulfilled' as const, value }))
  if (proposals.length === 1 || isUnreachable(result.reason)) return proposals.map(() => result)
  const results: PromiseSettledResult<Recorded>[] = []
  for (const proposal of proposals) results.push(...(await recordGroup(db, account, [proposal])))
  return results
}

const isUnreachable = (error: unknown): boolean => error instanceof GateError && error.code === 'unavailable'
