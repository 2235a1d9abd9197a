import type { MandateTerms } from '../../../gate/mandates/terms.ts'
import type { Db } from '../../connect.ts'

/** A bounded mandate that is over, and whose member is to be told. */
export interface MandateEnd {
  account_id: string
  mandate_id: number
  uuid: string
  /** Empty where it was erased. */
  terms: MandateTerms | Record<string, never>
  uses: number
  /** The actor of the ledger entry; null: it expired. */
  ended_by: string | null
  /** Null: the member is gone, or has no mailbox. */
  email: string | null
  /** Number of attempts, including this one. */
  tries: number
}

/** Takes mandates of all accounts that are over; other workers skip each for `againMs`, doubled after each attempt. */
export const takeMandateEnds = (db: Db, limitRows: number, againMs: number): Promise<MandateEnd[]> =>
  db.once(
    (sql) => sql`select * from gate.take_mandate_ends(p_limit => ${limitRows}, p_again_ms => ${againMs})`,
  )

/** Records that the member was told, or that it was given up. */
export async function settleMandateEnd(db: Db, account: string, id: number): Promise<void> {
  await db.run((sql) => sql`select gate.settle_mandate_end(p_account => ${account}, p_id => ${id})`)
}
