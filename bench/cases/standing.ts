import { benchAccount, type BenchAccount } from '../support/accounts.ts'
import type { Services } from '../support/services.ts'
import { type OpenProposal, proposeMany } from './confirm.ts'

const accountsMax = 20
const batchMax = 2_000
const restMs = 300_000

/** Twenty accounts of three members each, because every proposal counts the open proposals of its member. */
export async function manyAccounts(services: Services): Promise<BenchAccount[]> {
  const accounts: BenchAccount[] = []
  while (accounts.length < accountsMax)
    accounts.push(await benchAccount(services, { proposers: 3, openMax: 10_000 }))
  return accounts
}

/** Creates proposals of an account, and waits for their workflows after each few. */
export async function proposeStanding(
  services: Services,
  account: BenchAccount,
  count: number,
): Promise<OpenProposal[]> {
  const open: OpenProposal[] = []
  while (open.length < count) {
    open.push(...(await proposeMany(services, account, Math.min(batchMax, count - open.length))))
    await services.quiet(restMs)
  }
  return open
}
