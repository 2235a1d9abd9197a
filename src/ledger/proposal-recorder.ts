import type { Db } from '../db/connect.ts'
import { groupByAccount } from '../db/group.ts'
import type { Outcome } from '../db/queries/actions/actions.ts'
import { type Proposal, type ProposeOutcome, propose } from '../db/queries/actions/propose.ts'
import { asOneRequest, hasWritten, noteWrite } from '../db/writes.ts'
import { GateError, OutcomeUnknown } from '../errors.ts'
import { limits } from '../limits.ts'

type Recorded = Outcome<ProposeOutcome>

interface Waiting {
  proposal: Proposal
  /** When it began to wait, by `performance.now()`. */
  since: number
}

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
  const record = groupByAccount<Waiting, PromiseSettledResult<Recorded>>(
    (account, group) => recordInTime(db, account, group),
    { groupMax: limits.proposalsPerAppendMax, waitingMax: limits.proposalsWaitingMax },
    tooMany,
  )
  return {
    async record(account, proposal) {
      const before = hasWritten()
      const result = await record(account, { proposal, since: performance.now() })
      // The statement ran as a request of its own.
      if (result.status === 'fulfilled' || result.reason instanceof OutcomeUnknown) noteWrite()
      if (result.status === 'fulfilled') return result.value
      throw before && isUnreachable(result.reason) ? new OutcomeUnknown() : result.reason
    },
  }
}

const tooMany = () =>
  new GateError(
    'unavailable',
    'Too many proposals of this account are waiting to be recorded. Nothing was proposed; try again in a second.',
    { retryAfterSeconds: 1 },
  )

/** Refuses a proposal that waited longer than a statement may take: its agent has given up, and may have proposed it again. */
async function recordInTime(
  db: Db,
  account: string,
  group: Waiting[],
): Promise<PromiseSettledResult<Recorded>[]> {
  const isLate = ({ since }: Waiting) => performance.now() - since > limits.databaseCallMs
  const late = new Set(group.filter(isLate))
  const inTime = group.filter((one) => !late.has(one))
  const results =
    inTime.length === 0
      ? []
      : await recordGroup(
          db,
          account,
          inTime.map(({ proposal }) => proposal),
        )
  return group.map((one) =>
    late.has(one) ? { status: 'rejected' as const, reason: tooMany() } : results[inTime.indexOf(one)]!,
  )
}

/** A proposal that the database refuses takes the others of its group with it: then each is recorded alone. */
async function recordGroup(
  db: Db,
  account: string,
  proposals: Proposal[],
): Promise<PromiseSettledResult<Recorded>[]> {
  // A write of another request before this one says nothing about this one.
  const [result] = await Promise.allSettled([asOneRequest(() => propose(db, account, proposals))])
  if (result.status === 'fulfilled')
    return result.value.map((value) => ({ status: 'fulfilled' as const, value }))
  if (proposals.length === 1 || isUnreachable(result.reason)) return proposals.map(() => result)
  const results: PromiseSettledResult<Recorded>[] = []
  for (const proposal of proposals) {
    const last = results.at(-1)
    // The others would each wait as long for a database that does not answer.
    const isOver = last?.status === 'rejected' && isUnreachable(last.reason)
    results.push(...(isOver ? [last] : await recordGroup(db, account, [proposal])))
  }
  return results
}

const isUnreachable = (error: unknown): boolean => error instanceof GateError && error.code === 'unavailable'
