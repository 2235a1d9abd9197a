import type { Recipient, RosterMember } from '../../../gate/reach.ts'
import type { Db } from '../../connect.ts'

/** All active members of an account, and the version of the roster. */
export async function readRoster(
  db: Db,
  account: string,
): Promise<{ rosterVersion: number; members: RosterMember[] }> {
  const rows = await db.read<{
    roster_version: number
    members: [string, string | null, string | null][] | null
  }>(
    (sql) => sql`
      select c.roster_version, m.members
      from gate.tenant(${account}) t(id),
      lateral (select roster_version from gate.account where account_id = t.id offset 0) c,
      lateral (
        select json_agg(json_build_array(member_id, email, slack)) as members
        from gate.member where account_id = t.id and is_active
      ) m`,
  )
  const { roster_version, members } = rows[0]!
  return {
    rosterVersion: roster_version,
    members: (members ?? []).map(([memberId, email, slack]) => ({ memberId, email, slack })),
  }
}

/** Stores a set of recipients under its hash, once, and notes that it is needed. */
export async function keepRecipients(
  db: Db,
  account: string,
  sha256: Buffer,
  recipients: Recipient[],
): Promise<void> {
  await db.run(
    (sql) => sql`
      select gate.keep_recipients(
        p_account => ${account}, p_sha256 => ${sha256},
        p_members => ${recipients.map((r) => r.memberId)}, p_channels => ${recipients.map((r) => r.channel)},
        p_addresses => ${recipients.map((r) => r.address)})`,
  )
}

/** Empties the recipient sets that nothing needed for 90 days, up to `limitRows`. @returns how many */
export async function forgetRecipients(db: Db, account: string, limitRows: number): Promise<number> {
  const rows = await db.run<{ forgotten: number }>(
    (sql) =>
      sql`select gate.forget_recipients(p_account => ${account}, p_limit => ${limitRows}) as forgotten`,
  )
  return rows[0]!.forgotten
}
