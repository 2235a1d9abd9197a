import type { Db } from '../db/connect.ts'
import { type LedgerRow, pageEntries, readHead } from '../db/queries/ledger/ledger.ts'
import type { Link } from './chain.ts'
import { limits } from '../limits.ts'

/** The first line of an export: the account and the head that the following lines must reach. */
export interface ExportHeader {
  v: 1
  account: string
  /** The number of entries that follow; `hash` is the hash of the last. */
  seq: number
  hash: string
  exported_at: string
}

/**
 * The current ledger of an account: the header, then every entry, oldest first. It can be verified without the database.
 * @returns undefined if the account does not exist
 * @source docs/cli.md#verify-the-ledger
 */
export async function exportLedger(
  db: Db,
  account: string,
): Promise<AsyncIterable<ExportHeader | Link> | undefined> {
  const head = await readHead(db, account)
  if (!head) return undefined
  const header: ExportHeader = {
    v: 1,
    account,
    seq: head.seq,
    hash: head.hash,
    exported_at: head.now.toISOString(),
  }
  return lines(db, header)
}

/** An entry as it is exported. Pure. */
export function toLink(row: LedgerRow): Link {
  const { seq, at, kind, action_id, entry, prev, hash } = row
  return { seq, at: at.toISOString(), kind, action_id, entry, prev, hash }
}

async function* lines(db: Db, header: ExportHeader): AsyncGenerator<ExportHeader | Link> {
  yield header
  for (let after = 0; after < header.seq;) {
    const page = await pageEntries(db, header.account, {
      after,
      upTo: header.seq,
      limitRows: limits.ledgerEntriesPerPage,
    })
    if (page.length === 0) return
    for (const row of page) yield toLink(row)
    after = page.at(-1)!.seq
  }
}
