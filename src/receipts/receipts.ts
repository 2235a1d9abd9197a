import type { Logger } from 'pino'
import type { Db } from '../db/connect.ts'
import type { ActionRow } from '../db/queries/actions/actions.ts'
import { type ReceiptKeyRow, readReceiptKeys } from '../db/queries/receipts/receipt-keys.ts'
import { GateError, KeyUnreadable } from '../errors.ts'
import { kept } from '../waiting/kept.ts'
import { limits } from '../limits.ts'
import type { KeyProvider } from '../secrets/key-provider.ts'
import { type KeySet, readKeySet } from './key-set.ts'
import { isAltered, isReceipted, receiptClaims, signedReceipt } from './receipt.ts'
import type { PublicJwk } from './signing-key.ts'

/** Signed receipts that a process keeps, and for how long. */
const receiptsKeptMax = 1_000
const receiptsKeptMs = 60_000

/** `payload_changed`: the row is not what the member consented to. */
export type ReceiptProblem = 'payload_changed'

/** Receipts of consent, and the keys that others verify them with. */
export interface Receipts {
  /**
   * The receipt of an action, a compact JWS; undefined where it has none. Nothing is stored: the row says what the receipt says,
   * and the same row has the same receipt. What cannot be signed is logged, and the action is shown without.
   */
  receiptOf(row: ActionRow): Promise<string | undefined>
  /**
   * The same for a call that goes with the receipt.
   * @throws KeyUnreadable where its key cannot be decrypted now
   * @throws Error where it cannot be signed for another reason. Both are logged
   */
  receiptToSend(row: ActionRow): Promise<string | undefined>
  /** Why an action that its member consented to has no receipt, where the reason is in its row. Pure but for the clock. */
  problemOf(row: ActionRow): ReceiptProblem | undefined
  /** The published keys. @throws GateError `unavailable` */
  published(): Promise<{ keys: PublicJwk[] }>
}

export interface ReceiptsOptions {
  db: Db
  /** undefined: nothing can be encrypted, so there are no keys and no receipts. */
  keys: KeyProvider | undefined
  publicUrl(): string
  log: Pick<Logger, 'error' | 'warn'>
}

export function receipts({ db, keys, publicUrl, log }: ReceiptsOptions): Receipts {
  const problemOf = (row: ActionRow): ReceiptProblem | undefined =>
    isReceipted(row, Date.now()) && isAltered(row) ? 'payload_changed' : undefined
  if (!keys) {
    const none = async () => undefined
    return { receiptOf: none, receiptToSend: none, problemOf, published: async () => ({ keys: [] }) }
  }
  const { current, latest } = keptKeySet(
    () => readKeySet({ db, keys, log }),
    () => readReceiptKeys(db),
  )
  const signed = kept<string>({ ms: receiptsKeptMs, max: receiptsKeptMax })
  const sign = async (row: ActionRow): Promise<string | undefined> => {
    if (!isReceipted(row, Date.now())) return undefined
    // This is checked also before a receipt that was signed earlier is shown beside another payload.
    if (isAltered(row)) {
      log.error({ account: row.account_id, action: row.id }, 'no receipt: the payload was changed')
      return undefined
    }
    const key = (await current()).at(row.decided_at)
    if (!key) throw new KeyUnreadable('the key of the receipt could not be decrypted')
    // The name has the key, so that a receipt of a revoked one is shown no longer than the keys are kept.
    const name = `${row.uuid} ${key.kid}`
    const known = signed.get(name)
    if (known) return known.value
    const receipt = signedReceipt(receiptClaims(row, new URL(publicUrl()).origin), key)
    signed.keep(name, receipt)
    return receipt
  }
  const receiptToSend = (row: ActionRow): Promise<string | undefined> =>
    sign(row).catch((error: unknown) => {
      log.warn({ err: error, account: row.account_id, action: row.id }, 'a receipt could not be signed')
      throw error
    })
  return {
    receiptToSend,
    receiptOf: (row) => receiptToSend(row).catch(() => undefined),
    problemOf,
    async published() {
      const listed = (await latest()).listed(Date.now())
      if (listed) return { keys: listed.map(({ jwk }) => jwk) }
      throw new GateError(
        'unavailable',
        'A key of receipts cannot be decrypted. Ask the operator of the service; the log has the reason.',
        { retryAfterSeconds: limits.receiptKeysKeptMs / 1_000 },
      )
    },
  }
}

interface KeptKeySet {
  /** The keys, read again when they are old. Requests at the same time share one read, and so do those after a failed one. */
  current(): Promise<KeySet>
  /** The keys as they are now, of which others in a short while have the same. Without the database, as they were. */
  latest(): Promise<KeySet>
}

/** @param look  reads the rows alone, which costs no decryption */
function keptKeySet(read: () => Promise<KeySet>, look: () => Promise<ReceiptKeyRow[]>): KeptKeySet {
  let reading: Promise<KeySet> | undefined
  let until = 0
  let lookedAt = 0
  const renew = () => {
    lookedAt = performance.now()
    until = lookedAt + limits.receiptKeysKeptMs
    reading = read()
    reading.catch(() => {
      until = performance.now() + limits.receiptKeysAgainMs
    })
    return reading
  }
  const current = () => (reading && performance.now() < until ? reading : renew())
  return {
    current,
    async latest() {
      const known = await current()
      if (performance.now() < lookedAt + limits.receiptKeysPublishedMs) return known
      lookedAt = performance.now()
      const rows = await look().catch(() => undefined)
      return rows === undefined || known.isOf(rows) ? known : renew()
    },
  }
}
