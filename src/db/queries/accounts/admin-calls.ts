import type { Db } from '../../connect.ts'

/** A call of the administration API. */
export interface NewAdminCall {
  account: string
  /** SHA-256 of the API key. */
  keyHash: Buffer
  eventId: string
  /** Without `admin:`, such as `members.read`. */
  power: string
  operation: string
  /** As how many calls it counts. */
  count: number
}

/**
 * Checks the key and its power, counts the call, and appends its entry: all of it or nothing.
 * @throws GateError `unauthenticated`, `forbidden`, `conflict` in a suspended account, `too_many` beyond the key's daily limit
 */
export async function beginAdminCall(db: Db, c: NewAdminCall): Promise<void> {
  await db.run(
    (sql) => sql`
      select gate.begin_admin_call(
        p_account => ${c.account}, p_session => ${c.keyHash}, p_power => ${c.power}, p_operation => ${c.operation},
        p_count => ${c.count}, p_event => ${c.eventId})`,
  )
}
