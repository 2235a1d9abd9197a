import { setTimeout as sleep } from 'node:timers/promises'
import { type BenchAccount, benchAccount } from '../support/accounts.ts'
import { expectStatus, httpClients, postRequest } from '../support/http-client.ts'
import { type Comparison, type Slice, compare, load } from '../support/load.ts'
import type { Finding } from '../report.ts'
import type { Services } from '../support/services.ts'
import { type BenchCase, byLatency, byRate, clientCounts } from './case.ts'

/** Proposals per slice, by number of clients: enough to measure, and few enough for their workflows to start meanwhile. */
const perSlice: Record<number, number> = { 1: 120, 16: 320 }
const startsMs = 60_000

/**
 * Proposes broadcasts. The plain implementation inserts a row and answers when the workflow has started, as a simple
 * program would: its answer means that the proposal can be confirmed, which ours guarantees through the outbox. A second
 * one answers after its insert and starts the workflow in the background, but loses the start if it dies. Rates count
 * until the last workflow has started; latencies are those of the answers.
 */
export const propose: BenchCase = {
  name: 'propose',
  async run(services, { seconds }) {
    const account = await benchAccount(services, { proposers: 100, openMax: 10_000 })
    const findings = []
    for (const clients of clientCounts) {
      const amount = { clients, count: perSlice[clients]! }
      const pairs = Math.max(2, Math.round(seconds / 2))
      const ours = () => oursUntilStarted(services, account, amount)
      const awaited = () => bareUntilStarted(services, account, '/propose', amount)
      const background = () => bareUntilStarted(services, account, '/propose-background', amount)
      const between = () => services.quiet()
      for (const warmUp of [ours, awaited, background]) await warmUp()
      const toAwaited = await compare({ pairs, ours, bare: awaited, between })
      const toBehind = await compare({ pairs: Math.ceil(pairs / 2), ours, bare: background, between })
      findings.push(
        byRate('propose, to the started workflow', clients, toAwaited, { atLeast: 1 }),
        byRate('  compared with a background start', clients, toBehind),
        byLatency('  its answer', clients, toAwaited, { atMost: 0.6 }),
        tailOfAnswers(clients, toAwaited),
        byLatency('  its answer, compared with a background start', clients, toBehind),
      )
    }
    return findings
  },
}

/** The slowest answers beside the usual ones. */
function tailOfAnswers(clients: number, { ours: { p50Ms, p99Ms } }: Comparison): Finding {
  const name = '  its answer, p99 beside its own p50'
  const ratio = p99Ms / p50Ms
  return { case: name, clients, unit: 'ms', ours: p99Ms, bare: p50Ms, ratio, target: { atMost: 3 } }
}

let used = 0

interface Amount {
  clients: number
  count: number
}

async function oursUntilStarted(services: Services, account: BenchAccount, amount: Amount): Promise<Slice> {
  const slice = await proposals(services.apiUrl, '/api/v1/actions', account, amount)
  await until(async () => {
    const [row] = await services.asSuperuser(
      'select count(*)::int as due from gate_private.open_action where due_at is not null',
    )
    return row!['due'] === 0
  })
  return { ...slice, elapsedMs: performance.now() - slice.startedAt }
}

async function bareUntilStarted(
  services: Services,
  account: BenchAccount,
  path: string,
  amount: Amount,
): Promise<Slice> {
  const slice = await proposals(services.bareUrl, path, account, amount)
  await until(async () => {
    const answer = await fetch(`${services.bareUrl}/starts-under-way`)
    return ((await answer.json()) as { startsUnderWay: number }).startsUnderWay === 0
  })
  return { ...slice, elapsedMs: performance.now() - slice.startedAt }
}

async function proposals(url: string, path: string, account: BenchAccount, { clients, count }: Amount) {
  const sides = httpClients(url, clients)
  const startedAt = performance.now()
  const slice = await load(clients, { count }, async (n) => {
    const email = account.proposers[used++ % account.proposers.length]!
    const body = { kind: 'broadcast', actor: { email }, payload: { message: 'Lunch is at noon.' } }
    expectStatus(await sides.all[n]!.send(postRequest(path, account.key, body)), 201)
  })
  sides.close()
  return { ...slice, startedAt }
}

async function until(isDone: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + startsMs
  while (!(await isDone())) {
    if (performance.now() > end) throw new Error(`workflows were not started within ${startsMs / 1_000} s`)
    await sleep(5)
  }
}
