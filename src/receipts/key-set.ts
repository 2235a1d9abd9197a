import type { Logger } from 'pino'
import type { Db } from '../db/connect.ts'
import { type ReceiptKeyRow, addReceiptKey, readReceiptKeys } from '../db/queries/receipts/receipt-keys.ts'
import { limits } from '../limits.ts'
import type { KeyProvider } from '../secrets/key-provider.ts'
import { type SigningKey, newSigningKey, openSigningKey } from './signing-key.ts'

/** A replaced key stays published until its last receipt has expired, and so long for clocks that differ. */
const receiptKeySlackMs = 300_000

/** How long a replaced key stays published: until the last receipt that it signed has expired. */
export const overlapMs = limits.receiptLastsMs + receiptKeySlackMs

/** The keys of receipts as a process has read them. */
export interface KeySet {
  /** The key that signs consents of a moment; undefined where it cannot be decrypted. Pure. */
  at(moment: Date): SigningKey | undefined
  /** The published keys, oldest first; undefined where one cannot be decrypted: never some of them. Pure. */
  listed(now: number): SigningKey[] | undefined
  /** Whether these rows have its keys, and no others. Pure. */
  isOf(rows: ReceiptKeyRow[]): boolean
}

export interface KeySetOptions {
  db: Db
  keys: KeyProvider
  log: Pick<Logger, 'error'>
}

/** Reads the keys. Where there is none, makes the first: of several processes, one does. */
export async function readKeySet(options: KeySetOptions): Promise<KeySet> {
  const found = await readReceiptKeys(options.db)
  if (found.length > 0) return keySet(options, found)
  const first = await newSigningKey(options.keys)
  await addReceiptKey(options.db, first, { isFirst: true, leadMs: 0, keysMax: limits.receiptKeysMax })
  return keySet(options, await readReceiptKeys(options.db))
}

async function keySet({ keys, log }: KeySetOptions, rows: ReceiptKeyRow[]): Promise<KeySet> {
  const opened = await Promise.all(
    rows.map(async (row): Promise<SigningKey | undefined> => {
      try {
        return await openSigningKey(keys, row)
      } catch (error) {
        log.error({ err: error, kid: row.kid }, 'a key of receipts could not be decrypted')
        return undefined
      }
    }),
  )
  const keyOf = (row: ReceiptKeyRow) => opened[rows.indexOf(row)]
  return {
    at: (moment) => keyOf(rowAt(rows, moment)!),
    listed(now) {
      const listed = rows.filter((_, n) => isListed(rows[n + 1], now)).map(keyOf)
      return listed.every((key) => key !== undefined) ? listed : undefined
    },
    isOf: (others) => namesOf(others) === namesOf(rows),
  }
}

const namesOf = (rows: ReceiptKeyRow[]): string =>
  rows.map(({ kid, signs_from: from }) => `${kid} ${from.getTime()}`).join()

/**
 * The last key whose time had come; of an earlier moment, the first. A new key gets a time in the future, so that every
 * process knows it by then: each consent has one key, in every process and at any time. Pure.
 * @param rows  oldest first
 */
export const rowAt = (rows: ReceiptKeyRow[], moment: Date): ReceiptKeyRow | undefined =>
  rows.findLast(({ signs_from: from }) => from <= moment) ?? rows[0]

/** Whether a key is published, by the key that replaced it or will. Pure. */
export const isListed = (next: Pick<ReceiptKeyRow, 'signs_from'> | undefined, now: number): boolean =>
  next === undefined || now < next.signs_from.getTime() + overlapMs
