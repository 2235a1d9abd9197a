import type { Db } from '../../connect.ts'

/** An account in which a person can sign in with an e-mail address. */
export interface MailboxRow {
  account_id: string
  account_name: string
  /** The address as stored for the administrator or member. */
  address: string
  is_admin: boolean
}

/** The accounts in which this e-mail address can sign in, up to `limitRows`. */
export async function findMailbox(db: Db, email: string, limitRows: number): Promise<MailboxRow[]> {
  return db.read((sql) => sql`select * from gate.find_mailbox(p_email => ${email}, p_limit => ${limitRows})`)
}

/** The mail budget that a link counts against: see gate.make_sign_in_link. */
export type SignInShare = 'known' | 'stranger' | 'standing'

/**
 * Stores a sign-in link by the hash of its token. Returns the mail budget that it counts against; null if that budget is
 * spent or the address cannot sign in.
 */
export async function makeSignInLink(
  db: Db,
  l: {
    token: Buffer
    account: string
    email: string
    /** Hash of the requesting network. */
    asker: Buffer
    lastsMs: number
    askerMax: number
    strangersMax: number
    standingMs: number
  },
): Promise<SignInShare | null> {
  const rows = await db.once<{ share: SignInShare | null }>(
    (sql) => sql`
      select gate.make_sign_in_link(
        p_token => ${l.token}, p_account => ${l.account}, p_email => ${l.email}, p_asker => ${l.asker},
        p_lasts_ms => ${l.lastsMs}, p_asker_max => ${l.askerMax}, p_strangers_max => ${l.strangersMax},
        p_standing_ms => ${l.standingMs}) as share`,
  )
  return rows[0]!.share
}

/** Deletes a link whose mail could not be sent, by the hash of its token. */
export async function dropSignInLink(db: Db, token: Buffer): Promise<void> {
  await db.run((sql) => sql`select gate.drop_sign_in_link(p_token => ${token})`)
}

export type LinkState = 'open' | 'used' | 'expired' | 'gone'

export interface SignInLinkRow {
  state: LinkState
  account_id: string
  account_name: string
  is_admin: boolean
  is_member: boolean
  expires_at: Date
}

/** Reads a link by the hash of its token; undefined if it does not exist. Read-only. */
export async function findSignInLink(db: Db, token: Buffer): Promise<SignInLinkRow | undefined> {
  const rows = await db.read<SignInLinkRow>((sql) => sql`select * from gate.find_sign_in_link(${token})`)
  return rows[0]
}

/** Uses a link to start a session, by the hashes of their tokens; the previous session ends. */
export async function beginSession(
  db: Db,
  b: {
    link: Buffer
    token: Buffer
    sessionId: string
    lastsMs: number
    former: Buffer | null
    asker: Buffer
    /** What the browser calls itself, and its address: shown to the person. */
    browser: string | null
    address: string
  },
): Promise<'signed_in' | 'unknown' | Exclude<LinkState, 'open'>> {
  const rows = await db.once<{ outcome: 'signed_in' }>(
    (sql) => sql`
      select gate.begin_session(
        p_link => ${b.link}, p_token => ${b.token}, p_session => ${b.sessionId}, p_lasts_ms => ${b.lastsMs},
        p_former => ${b.former}, p_asker => ${b.asker}, p_browser => ${b.browser}, p_address => ${b.address}) as outcome`,
  )
  return rows[0]!.outcome
}

/** A session and its person: an administrator, a member, or both. */
export interface SessionRow {
  session_id: string
  account_id: string
  account_name: string
  is_suspended: boolean
  admin_id: string | null
  /** Whether `admin_id` is of an auditor. */
  is_auditor: boolean
  member_id: string | null
  /** The member's name. */
  name: string | null
  address: string | null
  created_at: Date
  expires_at: Date
  /** The time zone that the person chose; null: none. */
  time_zone: string | null
}

/** Reads a session by the hash of its token and records its use, and from which address; undefined if it has ended. */
export async function useSession(
  db: Db,
  token: Buffer,
  { idleMs, address }: { idleMs: number; address: string | null },
): Promise<SessionRow | undefined> {
  const rows = await db.read<SessionRow>(
    (sql) =>
      sql`select * from gate.use_session(p_token => ${token}, p_idle_ms => ${idleMs}, p_address => ${address})`,
  )
  return rows[0]
}

/** What waits for the members of some sessions, as a mark that changes with it. Ended sessions are left out. */
export async function readWaitingMarks(
  db: Db,
  tokens: Buffer[],
  idleMs: number,
): Promise<{ token: Buffer; mark: string }[]> {
  const hex = tokens.map((token) => `\\x${token.toString('hex')}`)
  return db.read(
    (sql) =>
      sql`select * from gate.waiting_marks(p_tokens => ${hex}::text[]::bytea[], p_idle_ms => ${idleMs})`,
  )
}

/** The owner of sessions: an administrator, a member, or a person who is both. */
export interface SessionOwner {
  account: string
  adminId: string | null
  memberId: string | null
}

export interface OpenSessionRow {
  session_id: string
  created_at: Date
  seen_at: Date
  expires_at: Date
  /** What the browser calls itself, the address of the sign-in and the last one; null: signed in before they were kept. */
  browser: string | null
  address: string | null
  seen_address: string | null
}

/** The active sessions of a person, newest first, up to `limitRows`. */
export async function listSessions(
  db: Db,
  owner: SessionOwner,
  page: { idleMs: number; limitRows: number },
): Promise<OpenSessionRow[]> {
  return db.read(
    (sql) => sql`
      select * from gate.list_sessions(
        p_account => ${owner.account}, p_admin => ${owner.adminId}, p_member => ${owner.memberId},
        p_idle_ms => ${page.idleMs}, p_limit => ${page.limitRows})`,
  )
}

/** Ends a session of a person. Returns whether the session was theirs. */
export async function endSession(db: Db, owner: SessionOwner, sessionId: string): Promise<boolean> {
  const rows = await db.once<{ isEnded: boolean }>(
    (sql) => sql`
      select gate.end_session(
        p_account => ${owner.account}, p_admin => ${owner.adminId}, p_member => ${owner.memberId},
        p_session => ${sessionId}) as "isEnded"`,
  )
  return rows[0]!.isEnded
}

/** Deletes links that ended a day ago and sessions that ended an hour ago, up to `limitRows` each. Returns how many. */
export async function forgetSignIns(db: Db, idleMs: number, limitRows: number): Promise<number> {
  const rows = await db.run<{ forgotten: number }>(
    (sql) => sql`select gate.forget_sign_ins(p_idle_ms => ${idleMs}, p_limit => ${limitRows}) as forgotten`,
  )
  return rows[0]!.forgotten
}

/** Stores the time zone that the person of a session chose. @throws the refusal `GA401` where the session has ended */
export async function setTimeZone(
  db: Db,
  chosen: { account: string; session: Buffer; timeZone: string },
): Promise<void> {
  await db.once(
    (sql) => sql`
      select gate.set_time_zone(
        p_account => ${chosen.account}, p_session => ${chosen.session}, p_time_zone => ${chosen.timeZone})`,
  )
}
