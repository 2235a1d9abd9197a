import { type Db } from '../connect.ts'

export interface KeyHolder {
  account_id: string
  key_id: string
  /** The members the key is bound to; null: any of the account. */
  actors: string[] | null
  hash: Buffer
  is_valid: boolean
  touch_due: boolean
}

/** Who holds the key with this hash; undefined where nobody ever did. */
export async function authenticate(db: Db, hash: Buffer): Promise<KeyHolder | undefined> {
  const rows = await db.read<KeyHolder>((sql) => sql`select * from gate.authenticate(${hash})`)
  return rows[0]
}

/** Notes that a key was used, at most every five minutes. */
export async function touchKey(db: Db, hash: Buffer): Promise<void> {
  await db.run((sql) => sql`select gate.touch_key(${hash})`)
}
