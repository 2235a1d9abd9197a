import type { Db } from '../../src/db/connect.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'

/** The ledgers that a case has written under load. */
export interface Ledgers {
  add(account: string): void
  /**
   * Verifies all that were added since the last time.
   * @throws Error the first finding
   */
  verify(): Promise<{ ledgers: number; entries: number }>
}

export function benchLedgers(db: Db): Ledgers {
  const accounts = new Set<string>()
  return {
    add: (account) => void accounts.add(account),
    async verify() {
      const verified = { ledgers: 0, entries: 0 }
      for (const account of accounts) {
        accounts.delete(account)
        const verdict = await verifyLedger(db, account)
        if (!verdict?.ok) throw new Error(`the ledger is not what happened: ${JSON.stringify(verdict)}`)
        verified.ledgers++
        verified.entries += verdict.seq
      }
      return verified
    },
  }
}
