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

/** Creates proposals of accounts, and waits for their workflows after each few thousand. */
export async function proposeStanding(
  services: Services,
  accounts: BenchAccount[],
  perAccount: number,
  before: (account: BenchAccount) => Promise<void> = async () => {},
): Promise<OpenProposal[][]> {
  let unstarted = 0
  const standing: OpenProposal[][] = []
  for (const account of accounts) {
    await before(account)
    const open: OpenProposal[] = []
    while (open.length < perAccount) {
      const count = Math.min(batchMax, perAccount - open.length)
      open.push(...(await proposeMany(services, account, count)))
      unstarted += count
      if (unstarted < batchMax) continue
      await services.quiet(restMs)
      unstarted = 0
    }
    standing.push(open)
  }
  await services.quiet(restMs)
  return standing
}
