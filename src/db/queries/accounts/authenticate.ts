import type { KeyLimits, KeyPower } from '../../../keys/rights.ts'
import type { Db } from '../../connect.ts'

/** The limits of a key in 24 hours, and the keys that share them: those it was rotated from and to. */
export interface CeilingsRow {
  keys: string[]
  actions_per_day: number | null
  /** By currency. */
  cents_per_day: Record<string, number> | null
}

/** The limits of a key; undefined if it has none. */
export async function readKeyCeilings(
  db: Db,
  account: string,
  keyId: string,
): Promise<CeilingsRow | undefined> {
  const rows = await db.read<CeilingsRow>(
    (sql) => sql`select * from gate.key_ceilings(p_account => ${account}, p_key => ${keyId})`,
  )
  return rows[0]
}

export interface KeyHolder {
  account_id: string
  key_id: string
  /** The members the key is bound to; null: all members of the account. */
  actors: string[] | null
  powers: KeyPower[]
  /** The kinds of action it allows; null: every kind. */
  kinds: string[] | null
  /** In CIDR form; null: from anywhere. */
  networks: string[] | null
  ceilings: CeilingsRow | null
  hash: Buffer
  is_valid: boolean
  touch_due: boolean
  /** How its requests are counted. */
  key_limits: KeyLimits
  /** Counts the changes of the account's MCP servers and their tools. */
  upstreams_version: number
  /** Counts the changes of the kinds that it declared. */
  kinds_version: number
  /** It is the access token of a connected app. */
  is_of_app: boolean
}

/** The API key with this hash, valid or not; undefined if it never existed. */
export async function authenticate(db: Db, hash: Buffer): Promise<KeyHolder | undefined> {
  const rows = await db.read<KeyHolder>((sql) => sql`select * from gate.authenticate(${hash})`)
  return rows[0]
}

/** Whether a key of an account is valid now. */
export async function holdsKey(db: Db, account: string, hash: Buffer): Promise<boolean> {
  const rows = await db.read<{ holds: boolean }>(
    (sql) => sql`select gate.holds_key(p_account => ${account}, p_hash => ${hash}) as holds`,
  )
  return rows[0]!.holds
}

/** What a process took of the requests that a key has in its minute: 0 where none are left. */
export interface TakenRequests {
  taken: number
  /** The time until the minute ends. */
  left_ms: number
}

/** Takes requests of a key's minute for this process. @param share  how many at most  @param max  of all processes */
export async function takeRequests(
  db: Db,
  key: { account: string; keyId: string },
  share: number,
  max: number,
): Promise<TakenRequests> {
  const rows = await db.once<TakenRequests>(
    (sql) => sql`
      select * from gate.take_requests(
        p_account => ${key.account}, p_key => ${key.keyId}, p_share => ${share}, p_max => ${max})`,
  )
  return rows[0]!
}

/** Records the last use of a key, at most every five minutes. */
export async function touchKey(db: Db, hash: Buffer): Promise<void> {
  await db.run((sql) => sql`select gate.touch_key(${hash})`)
}
