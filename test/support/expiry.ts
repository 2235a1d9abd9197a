import type { TestDatabase } from './database.ts'

/** Moves the expiry of an account's open rows into the past, or back: as time would, without an entry. */
export async function moveExpiry(database: TestDatabase, account: string, days: -8 | 8): Promise<void> {
  await database.asSuperuser(
    `update gate.action set expires_at = expires_at + ${days} * interval '1 day' where account_id = '${account}'`,
  )
}
