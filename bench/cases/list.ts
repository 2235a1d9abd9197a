import { type BenchAccount, benchAccount } from '../support/accounts.ts'
import { administratorOf } from '../support/console.ts'
import { fillHistory } from '../support/history.ts'
import { expectStatus, getRequest, httpClients } from '../support/http-client.ts'
import { type Slice, compare, load } from '../support/load.ts'
import type { Services } from '../support/services.ts'
import type { Finding } from '../report.ts'
import { type BenchCase, byLatency, clientCounts, repeated } from './case.ts'

const few = 1_000
const sliceMs = 300
const dayMs = 86_400_000

interface Side extends BenchAccount {
  rows: number
  /** The request for a page of the console. */
  page(path: string): string
}

const listed =
  (query: (side: Side) => string) =>
  (side: Side): string =>
    getRequest(`/api/v1/actions?${query(side)}`, side.key)

/** What is read, each as a request of a side. */
const reads: { name: string; request(side: Side): string }[] = [
  { name: 'first page', request: listed(() => '') },
  { name: 'last page', request: listed(({ rows }) => `after=${rows - 60}`) },
  { name: 'by status', request: listed(({ rows }) => `status=denied&after=${rows / 2}`) },
  { name: 'by kind and a rare status', request: listed(() => 'kind=broadcast&status=cancelled') },
  {
    name: 'by member and time, newest first',
    request: listed(({ proposers }) => {
      const from = new Date(Date.now() - 2 * dayMs).toISOString()
      return `member=${proposers[0]}&created_after=${from}&order=desc`
    }),
  },
  { name: 'ledger page of the console', request: ({ page }) => page('/console/ledger') },
  { name: 'its denied actions', request: ({ page }) => page('/console/ledger?status=denied') },
  { name: 'overview of the console', request: ({ page }) => page('/console') },
]

/** Reads of an account with millions of actions; compared with the same reads of an account with a thousand. */
export const list: BenchCase = {
  name: 'list',
  async run(services, { seconds, rows, repeats, log }) {
    const startedAt = performance.now()
    const sides = { many: await sideOf(services, rows), few: await sideOf(services, few) }
    log(`filled ${rows} rows in ${Math.round((performance.now() - startedAt) / 1_000)} s`)
    return repeated(repeats, () => compareReads(services, sides, seconds))
  },
}

async function compareReads(
  services: Services,
  sides: { many: Side; few: Side },
  seconds: number,
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const clients of clientCounts) {
    for (const { name, request } of reads) {
      const slice = (side: keyof typeof sides) => readPages(services, clients, () => request(sides[side]))
      await slice('few')
      await slice('many')
      const compared = await compare({
        pairs: Math.max(6, Math.round((seconds * 1_000) / sliceMs / 4)),
        ours: () => slice('many'),
        bare: () => slice('few'),
      })
      const title = `${sides.many.rows.toLocaleString('en')} actions compared with 1,000: ${name}`
      findings.push(byLatency(title, clients, compared, { atMost: 1.1 }))
    }
  }
  return findings
}

async function readPages(services: Services, clients: number, request: () => string): Promise<Slice> {
  const connections = httpClients(services.apiUrl, clients)
  const slice = await load(clients, { ms: sliceMs }, async (n) =>
    expectStatus(await connections.all[n]!.send(request()), 200),
  )
  connections.close()
  return slice
}

async function sideOf(services: Services, rows: number): Promise<Side> {
  const account = await benchAccount(services, { proposers: 1 })
  await fillHistory(services, account, rows)
  return { ...account, rows, page: await administratorOf(services, account) }
}
