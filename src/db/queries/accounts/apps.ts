import type { KeyPower, KeyRights } from '../../../keys/rights.ts'
import type { AdminWrite } from '../../admin-write.ts'
import type { Db } from '../../connect.ts'

/** A client that has a row: it registered itself, or an administrator of `account_id` entered it. */
export interface AppClientRow {
  account_id: string | null
  name: string
  redirects: string[]
  /** SHA-256 of its secret; null: it has none. */
  secret: Buffer | null
}

export async function findAppClient(db: Db, client: string): Promise<AppClientRow | undefined> {
  const rows = await db.read<AppClientRow>((sql) => sql`select * from gate.find_app_client(${client})`)
  return rows[0]
}

/** Registers a client for anyone. Returns false where `unusedMax` registered and were not connected. */
export async function registerAppClient(
  db: Db,
  c: { client: string; name: string; redirects: string[]; unusedMax: number },
): Promise<boolean> {
  const rows = await db.once<{ made: boolean }>(
    (sql) => sql`
      select gate.register_app_client(
        p_client => ${c.client}, p_name => ${c.name}, p_redirects => ${c.redirects}, p_unused_max => ${c.unusedMax}
      ) as made`,
  )
  return rows[0]!.made
}

/** A client with a secret, which only members of an account can connect. */
export interface FixedClientRow {
  client_id: string
  name: string
  redirects: string[]
  created_at: Date
}

export async function listAppClients(db: Db, account: string): Promise<FixedClientRow[]> {
  return db.read((sql) => sql`select * from gate.list_app_clients(${account})`)
}

/** Stores such a client. @param c.secret  SHA-256 of its secret, which is not stored */
export async function addAppClient(
  db: Db,
  c: AdminWrite & { client: string; name: string; redirects: string[]; secret: Buffer },
): Promise<void> {
  await db.once(
    (sql) => sql`
      select gate.add_app_client(
        p_account => ${c.account}, p_session => ${c.session}, p_client => ${c.client}, p_name => ${c.name},
        p_redirects => ${c.redirects}, p_secret => ${c.secret}, p_event => ${c.eventId})`,
  )
}

/** Removes it and ends what it was allowed. Returns whether it was there. */
export async function removeAppClient(db: Db, c: AdminWrite & { client: string }): Promise<boolean> {
  const rows = await db.run<{ removed: boolean }>(
    (sql) => sql`
      select gate.remove_app_client(
        p_account => ${c.account}, p_session => ${c.session}, p_client => ${c.client}, p_event => ${c.eventId}
      ) as removed`,
  )
  return rows[0]!.removed
}

/** What a person allows an app, and the code with which it takes its first token. */
export interface NewGrant extends Omit<KeyRights, 'actors' | 'networks'> {
  account: string
  session: Buffer
  grant: string
  client: string
  name: string
  host: string
  member: string
  /** SHA-256 of the code. */
  code: Buffer
  challenge: Buffer
  redirect: string
  lastsMs: number
  eventId: string
}

export type ConnectOutcome = 'connected' | 'suspended' | 'forbidden' | 'missing'

export async function connectApp(db: Db, g: NewGrant): Promise<ConnectOutcome> {
  const cents = g.centsPerDay === null ? null : JSON.stringify(g.centsPerDay)
  const rows = await db.once<{ outcome: ConnectOutcome }>(
    (sql) => sql`
      select gate.connect_app(
        p_account => ${g.account}, p_session => ${g.session}, p_grant => ${g.grant}, p_client => ${g.client},
        p_name => ${g.name}, p_host => ${g.host}, p_member => ${g.member}, p_powers => ${g.powers},
        p_kinds => ${g.kinds}, p_actions_per_day => ${g.actionsPerDay}, p_cents_per_day => ${cents}::text::json,
        p_code => ${g.code}, p_challenge => ${g.challenge}, p_redirect => ${g.redirect}, p_lasts_ms => ${g.lastsMs},
        p_event => ${g.eventId}) as outcome`,
  )
  return rows[0]!.outcome
}

/** New tokens by their hashes. */
export interface NewTokens {
  keyId: string
  last4: string
  hash: Buffer
  refresh: Buffer
  lastsMs: number
  refreshMs: number
  eventId: string
}

export interface Issued<Refusal extends string> {
  outcome: 'issued' | Refusal
  powers: KeyPower[] | null
}

export type CodeRefusal = 'unknown' | 'reused' | 'mismatch' | 'expired' | 'ended'

/** Uses up a code. @param c.redirect  null: the app did not repeat it */
export async function redeemAppCode(
  db: Db,
  c: NewTokens & { code: Buffer; client: string; redirect: string | null; challenge: Buffer },
): Promise<Issued<CodeRefusal>> {
  const rows = await db.once<Issued<CodeRefusal>>(
    (sql) => sql`
      select * from gate.redeem_app_code(
        p_code => ${c.code}, p_client => ${c.client}, p_redirect => ${c.redirect}, p_challenge => ${c.challenge},
        p_key => ${c.keyId}, p_last4 => ${c.last4}, p_hash => ${c.hash}, p_refresh => ${c.refresh},
        p_lasts_ms => ${c.lastsMs}, p_refresh_ms => ${c.refreshMs}, p_event => ${c.eventId})`,
  )
  return rows[0]!
}

export type RefreshRefusal = 'unknown' | 'reused' | 'mismatch' | 'ended' | 'scope'

/** Uses up a refresh token. @param r.powers  fewer than were granted; null: all of these */
export async function refreshApp(
  db: Db,
  r: NewTokens & { token: Buffer; client: string; powers: string[] | null },
): Promise<Issued<RefreshRefusal>> {
  const rows = await db.once<Issued<RefreshRefusal>>(
    (sql) => sql`
      select * from gate.refresh_app(
        p_token => ${r.token}, p_client => ${r.client}, p_powers => ${r.powers}, p_key => ${r.keyId},
        p_last4 => ${r.last4}, p_hash => ${r.hash}, p_refresh => ${r.refresh}, p_lasts_ms => ${r.lastsMs},
        p_refresh_ms => ${r.refreshMs}, p_event => ${r.eventId})`,
  )
  return rows[0]!
}

/** Ends the grant of a token of either sort, if it is of this client. */
export async function revokeAppToken(
  db: Db,
  t: { token: Buffer; hash: Buffer; client: string },
): Promise<void> {
  await db.run(
    (sql) =>
      sql`select gate.revoke_app_token(p_token => ${t.token}, p_hash => ${t.hash}, p_client => ${t.client})`,
  )
}

/** A connected app, or one that was. */
export interface AppRow {
  grant_id: string
  client_id: string
  name: string
  host: string
  member_id: string
  member_name: string
  /** A member's id, or `admin:` and an administrator's id. */
  granted_by: string
  powers: KeyPower[]
  kinds: string[] | null
  actions_per_day: number | null
  cents_per_day: Record<string, number> | null
  created_at: Date
  expires_at: Date
  ended_at: Date | null
  last_used_at: Date | null
  state: 'connected' | 'ended' | 'expired'
}

/** The apps that are connected, then those that were. @param member  null: of the whole account */
export async function listApps(
  db: Db,
  account: string,
  member: string | null,
  limitRows: number,
): Promise<AppRow[]> {
  return db.read(
    (sql) =>
      sql`select * from gate.list_apps(p_account => ${account}, p_member => ${member}, p_limit => ${limitRows})`,
  )
}

/**
 * Deletes access tokens that expired `keptMs` ago and that nothing names, and refresh tokens that have been of no use for as long, up
 * to `limitRows` each. Returns how many of those of which there were more.
 */
export async function forgetAppTokens(
  db: Db,
  account: string,
  keptMs: number,
  limitRows: number,
): Promise<number> {
  const rows = await db.run<{ forgotten: number }>(
    (sql) => sql`
      select gate.forget_app_tokens(p_account => ${account}, p_kept_ms => ${keptMs}, p_limit => ${limitRows}) as forgotten`,
  )
  return rows[0]!.forgotten
}

/** Deletes apps that registered themselves and that nobody uses, and old codes, up to `limitRows` each. */
export async function forgetApps(db: Db, keptMs: number, limitRows: number): Promise<number> {
  const rows = await db.run<{ forgotten: number }>(
    (sql) => sql`select gate.forget_apps(p_kept_ms => ${keptMs}, p_limit => ${limitRows}) as forgotten`,
  )
  return rows[0]!.forgotten
}

/** Ends a grant. @param e.session  null: the command line. Returns whether it is theirs. */
export async function endApp(
  db: Db,
  e: { account: string; session: Buffer | null; grant: string },
): Promise<boolean> {
  const rows = await db.run<{ ended: boolean }>(
    (sql) => sql`
      select gate.end_app(p_account => ${e.account}, p_session => ${e.session}, p_grant => ${e.grant}) as ended`,
  )
  return rows[0]!.ended
}
