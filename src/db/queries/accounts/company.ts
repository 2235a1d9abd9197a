import type { SealedSecret } from '../../../secrets/seal.ts'
import type { AdminWrite } from '../../admin-write.ts'
import type { Db } from '../../connect.ts'
import { jsonArgument } from '../../json-argument.ts'

/** The role that a provider can give, each with the values of the claim that mean it. */
export type RoleValues = Partial<Record<'administrator' | 'auditor' | 'member', string[]>>

/** The settings of an account's OpenID provider, without its secret. */
export interface CompanySettings {
  issuer: string
  client_id: string
  links_by_mailbox: boolean
  roles_claim: string | null
  roles: RoleValues
  acr: string[] | null
  is_only: boolean
  /** The claim of a token that is the directory's `externalId`. */
  directory_claim: string | null
}

export type CompanyRow = CompanySettings &
  Pick<SealedSecret, 'ciphertext' | 'kid'> & { wrapped_key: Buffer; set_at: Date; account_name: string }

/** The OpenID provider of an account; undefined if it has none. */
export async function readCompany(db: Db, account: string): Promise<CompanyRow | undefined> {
  const rows = await db.read<CompanyRow>(
    (sql) => sql`
      select c.* from gate.tenant(${account}) t(id),
      lateral (
        select s.*, a.name as account_name from gate.company_sign_in s
        join gate.account a on a.account_id = s.account_id
        where s.account_id = t.id offset 0
      ) c`,
  )
  return rows[0]
}

/** The account that people sign in to with their company, if the service has exactly one such account. */
export async function loneCompanyAccount(db: Db): Promise<string | undefined> {
  const rows = await db.read<{ account: string | null }>(
    (sql) => sql`select gate.lone_company_account() as account`,
  )
  return rows[0]?.account ?? undefined
}

/** Sets the provider of an account. `secret` null: it keeps the one that there is. */
export async function setCompany(
  db: Db,
  s: AdminWrite & { settings: CompanySettings; secret: SealedSecret | null },
): Promise<'set' | 'secret_needed' | 'not_by_company'> {
  const settings = {
    ...s.settings,
    ciphertext: s.secret?.ciphertext ?? null,
    wrapped_key: s.secret?.wrappedKey ?? null,
    kid: s.secret?.kid ?? null,
  }
  const rows = await db.once<{ outcome: 'set' }>(
    (sql) => sql`
      select gate.set_company_sign_in(
        p_account => ${s.account}, p_session => ${s.session}, p_settings => ${jsonArgument(settings)}::text::jsonb,
        p_event => ${s.eventId}) as outcome`,
  )
  return rows[0]!.outcome
}

/** Removes the provider. Returns whether there was one. */
export async function removeCompany(db: Db, r: AdminWrite): Promise<boolean> {
  const rows = await db.once<{ found: boolean }>(
    (sql) => sql`
      select gate.remove_company_sign_in(
        p_account => ${r.account}, p_session => ${r.session}, p_event => ${r.eventId}) as found`,
  )
  return rows[0]!.found
}

/** A subject of an issuer, and whom it signs in as. */
export interface IdentityRow {
  identity_id: string
  issuer: string
  subject: string
  member_id: string | null
  member_name: string | null
  admin_id: string | null
  admin_email: string | null
  linked_by: string
  linked_at: Date
  seen_at: Date | null
}

/** The identities that sign in now, newest first, up to `limitRows`. */
export function listIdentities(db: Db, account: string, limitRows: number): Promise<IdentityRow[]> {
  return db.read(
    (sql) => sql`
      select i.* from gate.tenant(${account}) t(id),
      lateral (
        select i.identity_id, i.issuer, i.subject, i.member_id, m.name as member_name, i.admin_id, a.email as admin_email,
          i.linked_by, i.linked_at, i.seen_at
        from gate.company_identity i
        left join gate.member m on m.account_id = i.account_id and m.member_id = i.member_id
        left join gate.admin a on a.account_id = i.account_id and a.admin_id = i.admin_id and a.removed_at is null
        where i.account_id = t.id and i.ended_at is null
        order by i.linked_at desc, i.identity_id limit ${limitRows}
      ) i`,
  )
}

export type LinkOutcome = 'linked' | 'not_set_up' | 'missing' | 'subject_taken' | 'person_taken'

/** Says whom a subject of the account's provider signs in as. */
export async function linkIdentity(
  db: Db,
  l: AdminWrite & { identityId: string; subject: string; memberId: string | null; adminId: string | null },
): Promise<LinkOutcome> {
  const rows = await db.once<{ outcome: LinkOutcome }>(
    (sql) => sql`
      select gate.link_company_identity(
        p_account => ${l.account}, p_session => ${l.session}, p_identity => ${l.identityId}, p_subject => ${l.subject},
        p_member => ${l.memberId}, p_admin => ${l.adminId}, p_event => ${l.eventId}) as outcome`,
  )
  return rows[0]!.outcome
}

/** Ends a link and its sessions. Returns whether there was one. */
export async function unlinkIdentity(db: Db, u: AdminWrite & { identityId: string }): Promise<boolean> {
  const rows = await db.once<{ found: boolean }>(
    (sql) => sql`
      select gate.unlink_company_identity(
        p_account => ${u.account}, p_session => ${u.session}, p_identity => ${u.identityId},
        p_event => ${u.eventId}) as found`,
  )
  return rows[0]!.found
}

export type CompanySignIn =
  | 'signed_in'
  | 'changed'
  | 'used'
  | 'not_linked'
  | 'no_role'
  | 'admin_exists'
  | 'no_mailbox'

/** What a checked token proves, and the session that it begins. Hashes in bytes. */
export interface CompanySession {
  issuer: string
  clientId: string
  subject: string
  /** Only if the provider has verified it. */
  mailbox: string | null
  role: keyof RoleValues | null
  /** What the directory's claim says. */
  externalId: string | null
  state: Buffer
  /** Ids for rows that may be made. */
  identityId: string
  adminId: string
  sessionId: string
  lastsMs: number
  former: Buffer | null
  browser: string | null
  address: string
  isFresh: boolean
  /** Sealed. */
  idToken: string | null
}

/** Begins a session for a subject whose token was checked. */
export async function beginCompanySession(
  db: Db,
  account: string,
  token: Buffer,
  s: CompanySession,
): Promise<CompanySignIn> {
  const given = {
    issuer: s.issuer,
    client_id: s.clientId,
    subject: s.subject,
    mailbox: s.mailbox,
    role: s.role,
    external_id: s.externalId,
    state: s.state,
    identity_id: s.identityId,
    admin_id: s.adminId,
    session_id: s.sessionId,
    lasts_ms: s.lastsMs,
    former: s.former,
    browser: s.browser,
    address: s.address,
    is_fresh: s.isFresh,
    id_token: s.idToken,
  }
  const rows = await db.once<{ outcome: CompanySignIn }>(
    (sql) => sql`
      select gate.begin_company_session(
        p_account => ${account}, p_token => ${token}, p_given => ${jsonArgument(given)}::text::jsonb) as outcome`,
  )
  return rows[0]!.outcome
}

/** Records that a sign-in was refused. */
export async function noteCompanyRefusal(
  db: Db,
  n: { account: string; reason: string; eventId: string },
): Promise<void> {
  await db.run(
    (sql) =>
      sql`select gate.note_company_refusal(p_account => ${n.account}, p_reason => ${n.reason}, p_event => ${n.eventId})`,
  )
}

/** The sealed ID token of a session; undefined where a provider did not begin it. */
export async function readIdToken(db: Db, account: string, session: Buffer): Promise<string | undefined> {
  const rows = await db.read<{ token: string | null }>(
    (sql) => sql`select gate.company_id_token(p_account => ${account}, p_session => ${session}) as token`,
  )
  return rows[0]?.token ?? undefined
}

/** Stores the data key of the secret, wrapped again. Returns whether it was still the one that was read. */
export async function storeRewrappedCompany(
  db: Db,
  r: { account: string; oldKid: string; kid: string; wrappedKey: Buffer },
): Promise<boolean> {
  const rows = await db.run<{ done: boolean }>(
    (sql) => sql`
      select gate.rewrap_company_secret(
        p_account => ${r.account}, p_old_kid => ${r.oldKid}, p_kid => ${r.kid}, p_wrapped_key => ${r.wrappedKey}) as done`,
  )
  return rows[0]!.done
}
