import type { Db } from '../db/connect.ts'
import { groupByAccount } from '../db/group.ts'
import { type CheckOutcome, type CheckToRecord, recordChecks } from '../db/queries/actions/checks.ts'
import { GateError } from '../errors.ts'

/** Capability checks that one statement appends. */
const checksPerAppendMax = 100

/** Capability checks of one account that wait to be appended; more are answered with 503. */
const checksWaitingMax = 10_000

export interface CheckRecorder {
  /** Resolves once the check is committed, or refused. */
  record(account: string, check: CheckToRecord): Promise<CheckOutcome>
}

/** Appends the waiting checks of an account in groups. */
export function checkRecorder(db: Db): CheckRecorder {
  const record = groupByAccount<CheckToRecord, CheckOutcome>(
    (account, checks) => recordChecks(db, account, checks),
    { groupMax: checksPerAppendMax, waitingMax: checksWaitingMax },
    () =>
      new GateError(
        'unavailable',
        'Too many capability checks are waiting to be recorded. Try again in a second.',
        { retryAfterSeconds: 1 },
      ),
  )
  return { record }
}
