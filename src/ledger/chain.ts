import { hash } from 'node:crypto'
import { sha256 } from './digest.ts'

/** The `prev` of an account's first entry, in hex. */
export const chainStart = '00'.repeat(32)

/** An entry with its place in the chain, as it is exported. */
export interface Link {
  seq: number
  /** UTC, ISO 8601 with milliseconds. */
  at: string
  kind: string
  action_id: number | null
  /** The exact text that was hashed. */
  entry: string
  /** Hex, as is `hash`. */
  prev: string
  hash: string
}

/**
 * The hash of a link: SHA-256 over the bytes of `prev`, then `<account> <seq> <at>`, a newline, and the
 * entry's text in UTF-8. Pure.
 * @returns hex
 * @source the SQL function gate_private.append, which is the only writer
 */
export function linkHash(account: string, link: Pick<Link, 'seq' | 'at' | 'entry' | 'prev'>): string {
  const text = `${account} ${link.seq} ${link.at}\n${link.entry}`
  if (link.prev.length / 2 + 3 * text.length > hashed.length)
    return sha256(Buffer.from(link.prev, 'hex'), text).toString('hex')
  const prevLength = hashed.write(link.prev, 'hex')
  const length = prevLength + hashed.write(text, prevLength)
  return hash('sha256', hashed.subarray(0, length), 'hex')
}

// One buffer for all that fit: verifying a long ledger is mostly this.
const hashed = Buffer.alloc(64 * 1024)
