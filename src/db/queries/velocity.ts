import { type Db } from '../connect.ts'

/** What a member confirmed of one kind. `isAlive`: not refused by its provider. */
export interface Confirmed {
  id: number
  payload: Record<string, unknown>
  isAlive: boolean
}

/**
 * The payloads of the actions of one kind that a member confirmed, the newest first.
 * @param since  the same to be given to the claim, so that it counts the same rows
 */
export async function readConfirmed(
  db: Db,
  q: { account: string; memberId: string; kind: string; since: Date; rowsMax: number },
): Promise<Confirmed[]> {
  return db.read<Confirmed>(
    (sql) => sql`
      select a.id, a.payload, a.status <> 'cancelled' as "isAlive"
      from gate.tenant(${q.account}) t(id),
      lateral (
        select * from gate.action
        where account_id = t.id and member_id = ${q.memberId} and kind = ${q.kind}
          and decision = 'confirm' and recipients is null and decided_at > ${q.since}
        order by decided_at desc
        limit ${q.rowsMax}
        offset 0
      ) a`,
  )
}
