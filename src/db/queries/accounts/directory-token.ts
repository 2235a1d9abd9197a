import type { AdminWrite } from '../../admin-write.ts'
import type { Db } from '../../connect.ts'

/** Lets the directory manage members. Returns how many more it manages now; null: it would be too many. */
export async function adoptMembers(
  db: Db,
  { account, session }: Omit<AdminWrite, 'eventId'>,
  { members, usersMax }: { members: string[] | null; usersMax: number },
): Promise<number | null> {
  const rows = await db.run<{ adopted: number | null }>(
    (sql) => sql`
      select gate.adopt_members(
        p_account => ${account}, p_session => ${session}, p_members => ${members}::text[], p_users_max => ${usersMax}) as adopted`,
  )
  return rows[0]!.adopted
}

/** Makes the token of the directory, in the place of the one before. Returns when that one ends; null: there was none. */
export async function makeDirectoryToken(
  db: Db,
  m: AdminWrite & { keyId: string; name: string | null; last4: string; hash: Buffer; overlapMs: number },
): Promise<Date | null> {
  const rows = await db.once<{ expires_at: Date | null }>(
    (sql) => sql`
      select gate.make_directory_token(
        p_account => ${m.account}, p_session => ${m.session}, p_key => ${m.keyId}, p_name => ${m.name}, p_last4 => ${m.last4},
        p_hash => ${m.hash}, p_overlap_ms => ${m.overlapMs}, p_event => ${m.eventId}) as expires_at`,
  )
  return rows[0]!.expires_at
}

/** Ends every token of the directory. Returns how many. */
export async function endDirectoryTokens(
  db: Db,
  { account, session }: Omit<AdminWrite, 'eventId'>,
): Promise<number> {
  const rows = await db.run<{ ended: number }>(
    (sql) => sql`select gate.end_directory_tokens(p_account => ${account}, p_session => ${session}) as ended`,
  )
  return rows[0]!.ended
}
