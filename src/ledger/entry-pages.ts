import type { Db } from '../db/connect.ts'
import { type LedgerRow, pageEntries } from '../db/queries/ledger/ledger.ts'
import { limits } from '../limits.ts'

/**
 * The entries of a ledger after `after` up to `upTo`, page by page. The next page is read while the caller works on one. The last
 * page is empty where entries are missing at the end.
 */
export async function* entryPages(
  db: Db,
  account: string,
  { after, upTo }: { after: number; upTo: number },
): AsyncGenerator<LedgerRow[]> {
  const read = (from: number): Promise<LedgerRow[]> | undefined => {
    if (from >= upTo) return undefined
    const page = pageEntries(db, account, { after: from, upTo, limitRows: limits.ledgerEntriesPerPage })
    // Its failure is told when it is awaited: a caller that ends before needs it no more.
    page.catch(() => undefined)
    return page
  }
  for (let next = read(after); next;) {
    const page = await next
    const last = page.at(-1)
    next = last && read(last.seq)
    yield page
  }
}
