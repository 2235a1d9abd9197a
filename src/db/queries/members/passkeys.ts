import type { Db } from '../../connect.ts'
import { jsonArgument } from '../../json-argument.ts'

/** What a number is made for, which a passkey signs once. */
export type NoncePurpose =
  | { purpose: 'add'; account: string; memberId: string }
  | { purpose: 'decide'; account: string; memberId: string; actionId: number }
  | { purpose: 'sign_in' }

/** Stores a number that a passkey may sign, once and for a time. */
export async function makePasskeyNonce(
  db: Db,
  nonce: Buffer,
  made: NoncePurpose,
  lastsMs: number,
): Promise<void> {
  const { account, memberId, actionId } = { account: null, memberId: null, actionId: null, ...made }
  await db.run(
    (sql) => sql`
      select gate.make_passkey_nonce(
        p_nonce => ${nonce}, p_purpose => ${made.purpose}, p_account => ${account}, p_member => ${memberId},
        p_action => ${actionId}, p_lasts_ms => ${lastsMs})`,
  )
}

export interface NewPasskey {
  account: string
  /** Hash of the session's token. */
  session: Buffer
  eventId: string
  passkeyId: string
  name: string
  credential: Buffer
  /** A SubjectPublicKeyInfo. */
  publicKey: Buffer
  isDeviceBound: boolean
  transports: string[]
  signCount: number
  nonce: Buffer
  /** The session began within this time. */
  freshMs: number
  passkeysMax: number
}

export type AddOutcome = 'added' | 'not_fresh' | 'used' | 'known' | 'too_many'

/** Adds a passkey of the member of a session. */
export async function addPasskey(db: Db, p: NewPasskey): Promise<AddOutcome> {
  const passkey = jsonArgument({
    event: p.eventId,
    passkey: p.passkeyId,
    name: p.name,
    credential: p.credential,
    public_key: p.publicKey,
    device_bound: p.isDeviceBound,
    transports: p.transports,
    sign_count: p.signCount,
    nonce: p.nonce,
    fresh_ms: p.freshMs,
    passkeys_max: p.passkeysMax,
  })
  const rows = await db.run<{ outcome: AddOutcome }>(
    (sql) => sql`
      select gate.add_passkey(
        p_account => ${p.account}, p_session => ${p.session}, p_passkey => ${passkey}::text::jsonb) as outcome`,
  )
  return rows[0]!.outcome
}

export type RemoveOutcome = 'removed' | 'missing' | 'last_needed'

/** Removes a passkey: of the session's member, or of anyone for an administrator. `session` null: the command line. */
export async function removePasskey(
  db: Db,
  p: { account: string; session: Buffer | null; passkeyId: string; eventId: string },
): Promise<RemoveOutcome> {
  const rows = await db.run<{ outcome: RemoveOutcome }>(
    (sql) => sql`
      select gate.remove_passkey(
        p_account => ${p.account}, p_session => ${p.session}, p_passkey => ${p.passkeyId}, p_event => ${p.eventId}
      ) as outcome`,
  )
  return rows[0]!.outcome
}

/** A passkey as people see it. */
export interface PasskeyRow {
  passkey_id: string
  member_id: string
  name: string
  credential: Buffer
  is_device_bound: boolean
  created_at: Date
  used_at: Date | null
}

/** The passkeys of a member that were not removed, oldest first. A member has a few. */
export async function listPasskeys(db: Db, account: string, memberId: string): Promise<PasskeyRow[]> {
  return db.read(
    (sql) => sql`
      select p.* from gate.tenant(${account}) t(id),
      lateral (
        select passkey_id, member_id, name, credential, is_device_bound, created_at, used_at from gate.passkey
        where account_id = t.id and member_id = ${memberId} and removed_at is null
        order by created_at, passkey_id
        limit 100
      ) p`,
  )
}

/** A passkey that somebody signs in with. */
export interface SigningInPasskey {
  passkey_id: string
  member_id: string
  public_key: Buffer
}

/** Finds a passkey by what its device calls it; undefined if nobody has it any more. */
export async function findPasskey(
  db: Db,
  account: string,
  credential: Buffer,
): Promise<SigningInPasskey | undefined> {
  const rows = await db.read<SigningInPasskey>(
    (sql) =>
      sql`select passkey_id, member_id, public_key from gate.find_passkey(p_account => ${account}, p_credential => ${credential})`,
  )
  return rows[0]
}

export type PasskeySignIn = 'signed_in' | 'unknown' | 'used' | 'counter'

/** Begins a session by a passkey whose signature was checked; the previous session ends. */
export async function beginPasskeySession(
  db: Db,
  b: {
    account: string
    credential: Buffer
    nonce: Buffer
    signCount: number
    token: Buffer
    sessionId: string
    lastsMs: number
    former: Buffer | null
    asker: Buffer
    browser: string | null
    address: string
  },
): Promise<PasskeySignIn> {
  const rows = await db.once<{ outcome: PasskeySignIn }>(
    (sql) => sql`
      select gate.begin_passkey_session(
        p_account => ${b.account}, p_credential => ${b.credential}, p_nonce => ${b.nonce}, p_sign_count => ${b.signCount},
        p_token => ${b.token}, p_session => ${b.sessionId}, p_lasts_ms => ${b.lastsMs}, p_former => ${b.former},
        p_asker => ${b.asker}, p_browser => ${b.browser}, p_address => ${b.address}) as outcome`,
  )
  return rows[0]!.outcome
}
