import type { Db } from '../db/connect.ts'
import type { LedgerHead } from '../db/queries/ledger/ledger.ts'
import type { Checker, Finding } from './checker.ts'
import { entryPages } from './entry-pages.ts'
import { toLink } from './export.ts'

/** Checks the entries from the checker's position up to a head, and that head. */
export async function followTo(
  db: Db,
  account: string,
  checker: Checker,
  head: LedgerHead,
): Promise<Finding | null> {
  for await (const page of entryPages(db, account, { after: checker.seq, upTo: head.seq })) {
    for (const row of page) {
      const fault = checker.check(toLink(row))
      if (fault) return fault
    }
  }
  return checker.endsAt(head) ?? headFinding(checker, head)
}

function headFinding(checker: Checker, head: LedgerHead): Finding | null {
  if (head.last_seq !== head.seq) {
    return {
      place: 'head',
      problem: `it says that the chain ends at seq ${head.seq}, but there is a seq ${head.last_seq}`,
    }
  }
  if (checker.seq > 0 && head.at.toISOString() !== checker.at) {
    return { place: 'head', problem: `its time does not match seq ${checker.seq}` }
  }
  if (head.action_seq !== checker.actionCount) {
    return {
      place: 'head',
      problem: `it counts ${head.action_seq} actions, but the entries record ${checker.actionCount}`,
    }
  }
  return null
}
