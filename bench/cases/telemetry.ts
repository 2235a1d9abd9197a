import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../dev/embedded/free-port.ts'
import type { Finding } from '../report.ts'
import { benchAccount } from '../support/accounts.ts'
import { type Slice, comparison } from '../support/load.ts'
import { startNode } from '../support/processes.ts'
import type { Services } from '../support/services.ts'
import { type Costs, costsOf } from '../support/costs.ts'
import { type BenchCase, byRate } from './case.ts'
import { oursCycles } from './cycle.ts'

const clients = 8
/** Cycles before a slice, until the new processes are as fast as they get, and in it. */
const warmUpCount = 160
const sliceCount = 160
/** Fifteen times as often as Prometheus does. */
const scrapeMs = 1_000

type Settings = Parameters<Services['restart']>[0]

interface Side {
  settings: Settings
  /** What is read while it is measured. */
  scraped: string[]
}

/**
 * Cycles (a broadcast is proposed, confirmed and delivered) with telemetry in each of its states, beside cycles without any. All take
 * turns: the API and the worker start again for each.
 */
export const telemetry: BenchCase = {
  name: 'telemetry',
  isOnRequest: true,
  async run(services, { seconds, log }) {
    const account = await benchAccount(services, { proposers: 1, slack: 1, email: 1, openMax: 10_000 })
    const sides = await sidesOf(services)
    const measured = Object.entries(sides).map(([name, side]) => ({
      name,
      side,
      costs: costsOf(services),
      slices: [] as Slice[],
    }))
    const rounds = Math.max(3, Math.round(seconds))
    for (let round = 0; round < rounds; round++) {
      for (const { name, side, costs, slices } of round % 2 === 0 ? measured : measured.toReversed()) {
        const cycles = (count: number) => oursCycles(services, account, { clients, count })
        await services.restart(side.settings)
        await cycles(warmUpCount)
        const slice = await costs.of(() => whileScraped(side, () => cycles(sliceCount)))
        slices.push(slice)
        log(`  ${name}: ${((slice.latenciesMs.length * 1_000) / slice.elapsedMs).toFixed(1)} /s`)
      }
    }
    await services.restart({ api: {}, worker: {} })
    const [without, ...others] = measured
    const ofGate = ({ costs }: { costs: Costs }) => costs.perCall()['api']! + costs.perCall()['worker']!
    return others.flatMap(({ name, slices, costs }): Finding[] => {
      const [ours, bare] = [ofGate({ costs }), ofGate(without!)]
      return [
        byRate(name, clients, comparison(slices, without!.slices)),
        {
          case: `${name}: processor time of API and worker`,
          clients,
          unit: 'ms',
          ours,
          bare,
          ratio: ours / bare,
        },
      ]
    })
  },
}

async function sidesOf(services: Services): Promise<Record<string, Side>> {
  const [api, worker, nobody] = [await freePort(), await freePort(), await freePort()]
  const [taking, hanging] = [await collector(services), await collector(services, 'hang')]
  const tracing = (port: number): Side => {
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` }
    return { settings: { api: settings, worker: settings }, scraped: [] }
  }
  const metrics = { api: { METRICS_PORT: String(api) }, worker: { METRICS_PORT: String(worker) } }
  const pages = [api, worker].map((port) => `http://127.0.0.1:${port}/metrics`)
  return {
    'cycle without telemetry': { settings: { api: {}, worker: {} }, scraped: [] },
    'cycle, `/metrics` read each second': { settings: metrics, scraped: pages },
    'cycle, traced to a collector': tracing(taking),
    '  the collector is gone': tracing(nobody),
    '  the collector hangs': tracing(hanging),
  }
}

async function whileScraped(side: Side, cycles: () => Promise<Slice>): Promise<Slice> {
  const scrapes: Promise<void>[] = []
  const scraping = side.scraped.map((url) => setInterval(() => scrapes.push(scrape(url)), scrapeMs))
  try {
    return await cycles()
  } finally {
    scraping.forEach(clearInterval)
    await Promise.all(scrapes)
  }
}

async function scrape(url: string): Promise<void> {
  const answer = await fetch(url)
  if (!(await answer.text()).includes('gate_build_info')) throw new Error(`${url} has no metrics`)
}

async function collector(services: Services, ...args: string[]): Promise<number> {
  const program = fileURLToPath(new URL('../bare/collector.ts', import.meta.url))
  const logFile = join(services.folder, 'collector.log')
  const started = startNode({ program, args, env: {}, logFile })
  services.onStop(() => started.stop())
  const [port] = (await once(started.child, 'message')) as [number]
  return port
}
