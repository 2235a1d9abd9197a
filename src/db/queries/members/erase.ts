import type { AdminWrite } from '../../admin-write.ts'
import type { Db } from '../../connect.ts'

/** `more`: the same call goes on. `counting`: an amount of theirs still counts towards limits. */
export type EraseMemberOutcome = 'erased' | 'more' | 'missing' | 'open' | 'counting'

/** Erases what is stored of a member, at most `limitRows` payloads at a time. */
export async function eraseMember(
  db: Db,
  e: AdminWrite & { memberId: string; reason: string; limitRows: number },
): Promise<EraseMemberOutcome> {
  const rows = await db.run<{ outcome: EraseMemberOutcome }>(
    (sql) => sql`
      select gate.erase_member(
        p_account => ${e.account}, p_session => ${e.session}, p_member => ${e.memberId}, p_reason => ${e.reason},
        p_limit => ${e.limitRows}, p_event => ${e.eventId}) as outcome`,
  )
  return rows[0]!.outcome
}
