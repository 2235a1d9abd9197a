import { ringOf } from '../support/connect.ts'
import type { TestGate } from '../support/gate.ts'
import { livedConsole } from '../support/lived-console.ts'
import { mandateScene } from '../support/mandate-scene.ts'
import { fullAccount } from '../ledger/full-account.ts'

/** What a later version must be able to go on with. */
export interface Known {
  accounts: string[]
  /** A key, its member, an open proposal of theirs, and one that was executed before. */
  lived: { account: string; key: string; email: string; open: number; executed: number }
  /** A key whose agent has a mandate for payouts, and the member who signed it. */
  mandate: { account: string; key: string; email: string; id: number }
}

/** The settings of the gate that made a kept database. The key of its secrets is for tests alone. */
export const keptEnv = { SECRETS_KEYS: ringOf('k1') }

/** Accounts with a row of every fate. */
export async function keptScene(gate: TestGate): Promise<Known> {
  const { account, rows } = await livedConsole(gate)
  const mandate = await mandateScene(gate)
  const id = await mandate.sign()
  await mandate.payOut(2_000)
  const full = await fullAccount(gate.deps)
  return {
    accounts: [account.account, mandate.account, full.account],
    lived: {
      account: account.account,
      key: account.key,
      email: 'grace@example.com',
      open: rows.open,
      executed: rows.executed,
    },
    mandate: { account: mandate.account, key: mandate.key, email: mandate.wil.email!, id },
  }
}
