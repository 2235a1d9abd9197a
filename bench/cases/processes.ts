import type { Finding } from '../report.ts'
import { benchAccount } from '../support/accounts.ts'
import { type Slice, compare } from '../support/load.ts'
import type { Services } from '../support/services.ts'
import { type BenchCase, byRate } from './case.ts'
import { oursCycles } from './cycle.ts'
import { oursUntilStarted } from './propose.ts'

const clients = 8
/** Calls per slice, and before it: new processes have not compiled yet what they run. */
const counts = { cycles: 120, proposals: 240, warmUp: 80 }
const atLeast = 0.9

type Work = (urls: string[], count: number) => Promise<Slice>

/**
 * Two API and two worker processes on the same processors, compared with one of each. The second ones are started before
 * each of their slices and stopped after it; both sides are warmed up the same.
 */
export const processes: BenchCase = {
  name: 'processes',
  async run(services, { seconds }) {
    const account = await benchAccount(services, { proposers: 1, slack: 1, email: 1, openMax: 10_000 })
    const proposers = await benchAccount(services, { proposers: 100, openMax: 10_000 })
    const pairs = Math.max(2, Math.round(seconds / 2))
    const cycles: Work = (urls, count) => oursCycles(services, account, { clients, count }, urls)
    const proposals: Work = (urls, count) => oursUntilStarted(services, proposers, { clients, count }, urls)
    return [
      await twoBesideOne(services, ['full cycle, two APIs and two workers', cycles, counts.cycles], pairs),
      await twoBesideOne(services, ['propose, two APIs and two workers', proposals, counts.proposals], pairs),
    ]
  },
}

async function twoBesideOne(
  services: Services,
  [title, work, count]: [string, Work, number],
  pairs: number,
): Promise<Finding> {
  const warmed = async (urls: string[]) => {
    await work(urls, counts.warmUp)
    await services.quiet()
    return work(urls, count)
  }
  const two = async () => {
    const second = await services.startSecond()
    try {
      return await warmed([services.apiUrl, second.apiUrl])
    } finally {
      await services.quiet()
      await second.stop()
    }
  }
  const one = () => warmed([services.apiUrl])
  await one()
  const between = () => services.quiet()
  return byRate(
    `${title}, beside one of each`,
    clients,
    await compare({ pairs, ours: two, bare: one, between }),
    {
      atLeast,
    },
  )
}
