import { randomUUID } from 'node:crypto'
import { bareCycleWorkflow, bareExpiresMs, bareQueue, bareSignal } from '../bare/names.ts'
import type { Finding } from '../report.ts'
import { type BenchAccount, benchAccount } from '../support/accounts.ts'
import {
  type HttpClient,
  expectStatus,
  getRequest,
  httpClients,
  postRequest,
} from '../support/http-client.ts'
import { type Slice, compare, load } from '../support/load.ts'
import { type Peer, howToInstall } from '../support/peers.ts'
import { type Costs, costsOf } from '../support/costs.ts'
import type { Services } from '../support/services.ts'
import { type BenchCase, byLatency, byRate } from './case.ts'
import { confirmRequest } from './confirm.ts'

/** Cycles per slice, by number of clients. */
const perSlice: Record<number, number> = { 1: 40, 8: 120 }
const message = 'Lunch is at noon.'

/**
 * Full cycles: a broadcast is proposed, confirmed at once and delivered to three recipients, two by Slack and one by
 * e-mail. Compared with a bare Temporal cycle that makes three bare HTTP calls and three plain inserts, and with DBOS doing
 * the job on PostgreSQL alone. Also tells the processor time of a cycle, by process.
 */
export const cycle: BenchCase = {
  name: 'cycle',
  async run(services, { seconds, log }) {
    const account = await benchAccount(services, { proposers: 1, slack: 1, email: 1, openMax: 10_000 })
    const dbos = await services.startPeer('dbos')
    if (!dbos) log(`  without DBOS, which is not installed: ${howToInstall}`)
    const findings: Finding[] = []
    for (const clients of [1, 8]) {
      const amount = { clients, count: perSlice[clients]! }
      const [ours, bare, peer] = [costsOf(services), costsOf(services), costsOf(services, dbos)]
      const runOurs = () => ours.of(() => oursCycles(services, account, amount))
      const runBare = () => bare.of(() => bareCycles(services, amount))
      const runPeer = () => peer.of(() => dbosCycles(dbos!, amount))
      const sides = [runOurs, runBare, ...(dbos ? [runPeer] : [])]
      for (const warmUp of sides) await warmUp()
      for (const one of [ours, bare, peer]) one.forget()
      const pairs = Math.max(2, Math.round(seconds / 2))
      const toBare = await compare({ pairs, ours: runOurs, bare: runBare })
      const toDbos = dbos && (await compare({ pairs, ours: runOurs, bare: runPeer }))
      findings.push(
        clients === 1
          ? byLatency('full cycle, three recipients', clients, toBare)
          : byRate('full cycle, three recipients', clients, toBare, { atLeast: 0.8 }),
      )
      if (toDbos)
        findings.push(
          clients === 1
            ? byLatency('  the same beside DBOS', clients, toDbos, { atMost: 2 })
            : byRate('  the same beside DBOS', clients, toDbos, { atLeast: 0.5 }),
        )
      findings.push(byCost(clients, ours, bare, ['load', 'bare worker', 'temporal', 'postgresql']))
      if (dbos) findings.push(byCost(clients, ours, peer, ['peer', 'postgresql']))
    }
    return findings
  },
}

interface Amount {
  clients: number
  count: number
}

/** Cycles over REST. The account has one proposer. */
export async function oursCycles(services: Services, account: BenchAccount, amount: Amount): Promise<Slice> {
  const [email] = account.proposers
  const proposal = { kind: 'broadcast', actor: { email }, payload: { message } }
  return overHttp(services.apiUrl, amount, async (client) => {
    const proposed = await client.send(postRequest('/api/v1/actions', account.key, proposal))
    const { id } = JSON.parse(expectStatus(proposed, 201).body) as { id: number }
    const confirmed = await client.send(confirmRequest(account, { id, email: email! }))
    // On a busy machine the answer may come before the end.
    const { body } =
      confirmed.status === 202
        ? await client.send(getRequest(`/api/v1/actions/${id}?wait=20`, account.key))
        : expectStatus(confirmed, 200)
    if (!body.includes('"outcome":"done"')) throw new Error(`not delivered: ${body}`)
  })
}

function bareCycles({ temporal }: Services, { clients, count }: Amount): Promise<Slice> {
  return load(clients, { count }, async () => {
    const id = randomUUID()
    const options = {
      taskQueue: bareQueue,
      workflowId: `bare:${id}`,
      args: [bareExpiresMs, id] as [number, string],
    }
    await temporal.workflow.start(bareCycleWorkflow, options)
    const handle = await temporal.workflow.signalWithStart(bareCycleWorkflow, {
      ...options,
      signal: bareSignal,
    })
    await handle.result()
  })
}

async function dbosCycles({ url }: Peer, amount: Amount): Promise<Slice> {
  return overHttp(url, amount, async (client) => {
    const proposed = expectStatus(await client.send(postRequest('/propose', 'none', { message })), 201)
    const { id } = JSON.parse(proposed.body) as { id: string }
    const { body } = expectStatus(await client.send(postRequest('/confirm', 'none', { id })), 200)
    if (!body.includes('"executed"')) throw new Error(`not delivered: ${body}`)
  })
}

async function overHttp(
  url: string,
  { clients, count }: Amount,
  call: (client: HttpClient) => Promise<void>,
): Promise<Slice> {
  const sides = httpClients(url, clients)
  try {
    return await load(clients, { count }, (n) => call(sides.all[n]!))
  } finally {
    sides.close()
  }
}

/** The parts that do our work: neither the load nor the stand-in. */
const ourParts = ['api', 'worker', 'temporal', 'postgresql']

/** @param parts  what does the work of the other side; a bare cycle is driven by the process of the load */
function byCost(clients: number, ours: Costs, other: Costs, parts: string[]): Finding {
  const [used, beside] = [ours.perCall(), other.perCall()]
  const sum = (of: Record<string, number>, some: string[]) =>
    some.reduce((total, part) => total + (of[part] ?? 0), 0)
  const told = (side: string, of: Record<string, number>) =>
    Object.entries(of).map(([part, ms]) => [`${side} ${part} ms`, ms])
  return {
    case: `  its processor time, beside ${parts[0] === 'peer' ? 'DBOS' : 'bare'}`,
    clients,
    unit: 'ms',
    ours: sum(used, ourParts),
    bare: sum(beside, parts),
    ratio: null,
    target: { atMost: 30 },
    more: Object.fromEntries([...told('ours', used), ...told('bare', beside)]),
  }
}
