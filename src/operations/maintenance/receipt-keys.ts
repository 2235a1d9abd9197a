import type { Db } from '../../db/connect.ts'
import {
  type ReceiptKeyRow,
  addReceiptKey,
  readReceiptKeys,
  revokeReceiptKey as revokeRow,
} from '../../db/queries/receipts/receipt-keys.ts'
import { GateError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import { isListed, overlapMs, rowAt } from '../../receipts/key-set.ts'
import { newSigningKey } from '../../receipts/signing-key.ts'
import type { KeyProvider } from '../../secrets/key-provider.ts'

/** A key of receipts, without its secret part. */
export interface ListedReceiptKey {
  kid: string
  /** `next`: published, and signs from `signs_from` on. `replaced`: verifies what it signed. `expired`: nothing any more. */
  state: 'next' | 'signing' | 'replaced' | 'expired'
  signs_from: string
  /** Absent while no other key replaces it. */
  published_until?: string
}

/** The keys of receipts, oldest first. */
export async function listReceiptKeys(db: Db, now = new Date()): Promise<ListedReceiptKey[]> {
  const rows = await readReceiptKeys(db)
  return rows.map((row, n) => {
    const next = rows[n + 1]
    return {
      kid: row.kid,
      state: stateOf(rows, row, now),
      signs_from: row.signs_from.toISOString(),
      ...(next && { published_until: new Date(next.signs_from.getTime() + overlapMs).toISOString() }),
    }
  })
}

function stateOf(rows: ReceiptKeyRow[], row: ReceiptKeyRow, now: Date): ListedReceiptKey['state'] {
  if (rowAt(rows, now) === row) return 'signing'
  if (row.signs_from > now) return 'next'
  return isListed(rows[rows.indexOf(row) + 1], now.getTime()) ? 'replaced' : 'expired'
}

/**
 * Adds a key that will sign from `limits.receiptKeyLeadMs` on; the former stays published until its last receipt has expired.
 * @throws GateError `conflict` where the last rotation is under way, or there are too many keys
 */
export async function rotateReceiptKey(db: Db, keys: KeyProvider): Promise<ListedReceiptKey> {
  const made = await newSigningKey(keys)
  const outcome = await addReceiptKey(db, made, {
    isFirst: false,
    leadMs: limits.receiptKeyLeadMs,
    keysMax: limits.receiptKeysMax,
  })
  if (outcome === 'standing')
    throw new GateError(
      'conflict',
      'The last rotation is under way: a key is published that does not sign yet.',
    )
  if (outcome === 'too_many')
    throw new GateError(
      'conflict',
      `There are already ${limits.receiptKeysMax} keys. Replaced keys go when their last receipt has expired; revoke those you do not need.`,
    )
  return (await listReceiptKeys(db)).find(({ kid }) => kid === made.kid)!
}

/**
 * Deletes a key at once: for one that leaked. Its receipts no longer verify, and actions that it would sign get receipts of
 * another key.
 * @throws GateError `not_found`
 */
export async function revokeReceiptKey(db: Db, kid: string): Promise<void> {
  if (!(await revokeRow(db, kid))) throw new GateError('not_found', `Key ${kid} was not found.`)
}
