import type { Finding } from '../report.ts'
import type { BenchAccount } from '../support/accounts.ts'
import { type Slice, measured } from '../support/load.ts'
import type { Services } from '../support/services.ts'
import { type BenchCase, byFigure, repeated } from './case.ts'
import { type OpenProposal, confirmOpen, confirmProposals } from './confirm.ts'
import { manyAccounts, proposeStanding } from './standing.ts'

const confirms = 25
const slices = 4

/**
 * Confirms while thousands of other proposals are open; compared with the service before these were created. Then how long
 * a fresh worker takes to start among them, how it confirms, and how much memory both processes use. To create them takes most
 * of the time, so it is measured three times over the same ones.
 */
export const open: BenchCase = {
  name: 'open',
  isOnRequest: true,
  leavesWork: true,
  repeats: 3,
  async run(services, options) {
    const { repeats } = options
    const accounts = await manyAccounts(services)
    const empty: Slice[][] = []
    while (empty.length < repeats) empty.push(await confirmWithNone(services, accounts))

    const perAccount = Math.max(2 * confirms * repeats, Math.ceil(options.open / accounts.length))
    const standing = await proposeStanding(services, accounts, perAccount)
    options.log(`${standing.flat().length} proposals are open`)
    const title = (what: string) => `${what}, ${options.open.toLocaleString('en')} open`
    const highest = { api: 0, worker: 0 }
    return repeated(repeats, async (n) => {
      await services.quiet()
      const full = await confirmSome(services, accounts, standing)
      const before = services.residentMb()
      const readyMs = await services.restartWorker()
      const fresh = await confirmSome(services, accounts, standing)
      const after = services.residentMb()
      // Only the first worker has created proposals. Its memory counts in each, or the median would be that of an idle one.
      highest.worker = Math.max(highest.worker, before.worker, after.worker)
      highest.api = Math.max(highest.api, before.api, after.api)
      return [
        beside(title('confirm'), full, empty[n]!, { atMost: 1.3 }),
        beside(title('confirm by a fresh worker'), fresh, empty[n]!),
        byFigure(title('start of a fresh worker'), [readyMs / 1_000, 's'], { atMost: 15 }),
        byFigure(title('memory of the worker'), [highest.worker, 'MB'], { atMost: 400 }),
        byFigure(title('memory of the API'), [highest.api, 'MB'], { atMost: 220 }),
      ]
    })
  },
}

async function confirmWithNone(services: Services, accounts: BenchAccount[]): Promise<Slice[]> {
  const done: Slice[] = []
  for (let n = 0; n <= slices; n++) done.push(await confirmProposals(services, accounts[n]!, 1, confirms))
  return done
}

async function confirmSome(
  services: Services,
  accounts: BenchAccount[],
  standing: OpenProposal[][],
): Promise<Slice[]> {
  const done: Slice[] = []
  for (let n = 0; n <= slices; n++) {
    const some = Array.from({ length: confirms }, () => pick(standing[n]!))
    done.push(await confirmOpen(services, accounts[n]!, 1, some))
  }
  return done
}

/** The first slice of each side warms up. */
function beside(name: string, full: Slice[], empty: Slice[], target?: Finding['target']): Finding {
  const [ours, bare] = [measured(full.slice(1)), measured(empty.slice(1))]
  return {
    case: `${name}, compared with none`,
    clients: 1,
    unit: 'ms p50',
    ours: ours.p50Ms,
    bare: bare.p50Ms,
    ratio: ours.p50Ms / bare.p50Ms,
    ...(target ? { target } : {}),
    more: { ours_p99_ms: ours.p99Ms, empty_p99_ms: bare.p99Ms },
  }
}

function pick<T>(from: T[]): T {
  return from.splice(Math.floor(Math.random() * from.length), 1)[0]!
}
