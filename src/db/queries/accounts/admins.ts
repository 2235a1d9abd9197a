import type { AdminWrite } from '../../admin-write.ts'
import type { Db } from '../../connect.ts'

/** What an administrator's row allows: everything, or to read everything and change nothing. */
export type AdminRole = 'administrator' | 'auditor'

export interface AdminRow {
  admin_id: string
  email: string
  role: AdminRole
  created_at: Date
  removed_at: Date | null
}

/** All administrators, including removed ones, oldest first. */
export async function listAdmins(db: Db, account: string): Promise<AdminRow[]> {
  return db.read(
    (sql) => sql`
      select a.* from gate.tenant(${account}) t(id),
      lateral (
        select admin_id, email, role, created_at, removed_at from gate.admin where account_id = t.id offset 0
      ) a
      order by a.created_at, a.admin_id`,
  )
}

/** The active administrator with this e-mail address; undefined if there is none. */
export async function findAdmin(db: Db, account: string, email: string): Promise<AdminRow | undefined> {
  const rows = await db.read<AdminRow>(
    (sql) => sql`
      select a.* from gate.tenant(${account}) t(id),
      lateral (
        select admin_id, email, role, created_at, removed_at from gate.admin
        where account_id = t.id and lower(email) = lower(${email}) and removed_at is null offset 0
      ) a`,
  )
  return rows[0]
}

/**
 * Adds an administrator by e-mail address and, if `link` is given, a sign-in link, stored by the hash of its token.
 * @returns the administrator with that address; if it is not `adminId`, nothing was changed
 */
export async function inviteAdmin(
  db: Db,
  i: AdminWrite & {
    adminId: string
    email: string
    role: AdminRole
    link: { token: Buffer; lastsMs: number } | null
  },
): Promise<string> {
  const rows = await db.once<{ adminId: string }>(
    (sql) => sql`
      select gate.invite_admin(
        p_account => ${i.account}, p_session => ${i.session}, p_admin => ${i.adminId}, p_email => ${i.email},
        p_link => ${i.link?.token ?? null}, p_lasts_ms => ${i.link?.lastsMs ?? 0},
        p_event => ${i.eventId}, p_role => ${i.role}) as "adminId"`,
  )
  return rows[0]!.adminId
}

/** Removes an administrator; idempotent. Returns whether the administrator exists. */
export async function removeAdmin(db: Db, r: AdminWrite & { adminId: string }): Promise<boolean> {
  const rows = await db.run<{ found: boolean }>(
    (sql) => sql`
      select gate.remove_admin(
        p_account => ${r.account}, p_session => ${r.session}, p_admin => ${r.adminId}, p_event => ${r.eventId}
      ) as found`,
  )
  return rows[0]!.found
}
