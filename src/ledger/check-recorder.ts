import type { Db } from '../db/connect.ts'
import { groupCalls } from '../db/group.ts'
import { type CheckToRecord, recordChecks } from '../db/queries/actions/checks.ts'
import { GateError } from '../errors.ts'
import { limits } from '../limits.ts'

export interface CheckRecorder {
  /** Resolves once the check is committed. */
  record(account: string, check: CheckToRecord): Promise<void>
}

/** Appends the waiting checks of an account in groups, so that a busy account does not need one commit per check. */
export function checkRecorder(db: Db): CheckRecorder {
  const byAccount = new Map<string, { record: (check: CheckToRecord) => Promise<void>; open: number }>()

  function groupOf(account: string) {
    let group = byAccount.get(account)
    if (!group) {
      const record = groupCalls<CheckToRecord>(
        (checks) => recordChecks(db, account, checks),
        { groupMax: limits.checksPerAppendMax, waitingMax: limits.checksWaitingMax },
        () =>
          new GateError(
            'unavailable',
            'Too many capability checks are waiting to be recorded. Try again in a second.',
            { retryAfterSeconds: 1 },
          ),
      )
      group = { record, open: 0 }
      byAccount.set(account, group)
    }
    return group
  }

  return {
    async record(account, check) {
      const group = groupOf(account)
      group.open++
      try {
        await group.record(check)
      } finally {
        if (--group.open === 0) byAccount.delete(account)
      }
    },
  }
}
