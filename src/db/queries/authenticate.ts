import { type KeyPower } from '../../keys/rights.ts'
import { type Db } from '../connect.ts'

export interface KeyHolder {
  account_id: string
  key_id: string
  /** The members the key is bound to; null: any of the account. */
  actors: string[] | null
  powers: KeyPower[]
  /** The kinds of action it is for; null: every kind. */
  kinds: string[] | null
  /** In CIDR form; null: from anywhere. */
  networks: string[] | null
  actions_per_day: number | null
  cents_per_day: Record<string, number> | null
  hash: Buffer
  is_valid: boolean
  touch_due: boolean
}

/** Who holds the key with this hash; undefined where nobody ever did. */
export async function authenticate(db: Db, hash: Buffer): Promise<KeyHolder | undefined> {
  const rows = await db.run<KeyHolder>((sql) => sql`select * from gate.authenticate(${hash})`)
  return rows[0]
}

/** Notes that a key was used, at most every five minutes. */
export async function touchKey(db: Db, hash: Buffer): Promise<void> {
  await db.run((sql) => sql`select gate.touch_key(${hash})`)
}
