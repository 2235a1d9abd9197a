import type { Db } from '../db/connect.ts'
import { groupByAccount } from '../db/group.ts'
import { type CheckOutcome, type CheckToRecord, recordChecks } from '../db/queries/actions/checks.ts'
import { GateError } from '../errors.ts'
import { limits } from '../limits.ts'

export interface CheckRecorder {
  /** Resolves once the check is committed, or refused. */
  record(account: string, check: CheckToRecord): Promise<CheckOutcome>
}

/** Appends the waiting checks of an account in groups. */
export function checkRecorder(db: Db): CheckRecorder {
  const record = groupByAccount<CheckToRecord, CheckOutcome>(
    (account, checks) => recordChecks(db, account, checks),
    { groupMax: limits.checksPerAppendMax, waitingMax: limits.checksWaitingMax },
    () =>
      new GateError(
        'unavailable',
        'Too many capability checks are waiting to be recorded. Try again in a second.',
        { retryAfterSeconds: 1 },
      ),
  )
  return { record }
}
