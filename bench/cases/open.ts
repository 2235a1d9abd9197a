import { type BenchAccount, benchAccount } from '../support/accounts.ts'
import { measured, type Slice } from '../support/load.ts'
import type { BenchCase } from './case.ts'
import { type OpenProposal, confirmOpen, confirmProposals, proposeMany } from './confirm.ts'

const confirms = 25
const slices = 4
const accountsMax = 20
const restMs = 180_000

/**
 * Confirms while thousands of other proposals are open; compared with the service before these were created. Uses twenty
 * accounts of three members each, because every proposal counts the open proposals of its member.
 */
export const open: BenchCase = {
  name: 'open',
  async run(services, options) {
    const accounts: BenchAccount[] = []
    while (accounts.length < accountsMax)
      accounts.push(await benchAccount(services, { proposers: 3, openMax: 10_000 }))
    const empty: Slice[] = []
    for (let n = 0; n <= slices; n++) empty.push(await confirmProposals(services, accounts[n]!, 1, confirms))

    const perAccount = Math.ceil(options.open / accounts.length)
    const standing: OpenProposal[][] = []
    for (const account of accounts) {
      standing.push(await proposeMany(services, account, perAccount))
      if (standing.length % 4 !== 0) continue
      await services.quiet(restMs)
      options.log(`${standing.length * perAccount} proposals are open`)
    }
    await services.quiet(restMs)
    const full: Slice[] = []
    for (let n = 0; n <= slices; n++) {
      const some = Array.from({ length: confirms }, () => pick(standing[n]!))
      full.push(await confirmOpen(services, accounts[n]!, 1, some))
    }

    const [ours, bare] = [measured(full.slice(1)), measured(empty.slice(1))]
    return [
      {
        case: `confirm, ${options.open} open, compared with none`,
        clients: 1,
        unit: 'ms p50',
        ours: ours.p50Ms,
        bare: bare.p50Ms,
        ratio: ours.p50Ms / bare.p50Ms,
        target: { atMost: 2 },
        more: { ours_p99_ms: ours.p99Ms, empty_p99_ms: bare.p99Ms },
      },
    ]
  },
}

function pick<T>(from: T[]): T {
  return from.splice(Math.floor(Math.random() * from.length), 1)[0]!
}
