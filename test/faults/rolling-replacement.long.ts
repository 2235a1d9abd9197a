import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { ApiAnswer, ApiClient } from '../support/api-client.ts'
import { type ProcessName, type Service, startService, until } from '../support/supervisor.ts'
import { type Sender, claimed, ended, senderTo } from './broadcasts.ts'
import { type Acknowledged, expectInvariants } from './invariants.ts'

// A load balancer looks every quarter of a second whether a process is ready.
const lookMs = 250
const drainSeconds = 2

let service: Service
beforeAll(async () => {
  service = await startService({
    processes: ['api', 'api2', 'worker', 'worker2'],
    isSandbox: true,
    env: { DRAIN_SECONDS: String(drainSeconds) },
  })
}, 300_000)
afterAll(() => service.stop(), 60_000)

test('a rolling replacement of two APIs and two workers under load loses no request', async () => {
  const senders = await Promise.all(Array.from({ length: 3 }, () => senderTo(service, 3)))
  const balancer = balance(['api', 'api2'])
  const stopping = new AbortController()
  const acknowledged = senders.map((): Acknowledged[] => [])
  const work = Promise.allSettled([
    ...senders.map((sender, n) => load(sender, balancer, acknowledged[n]!, stopping.signal)),
    ...senders.map((sender) => readOn(sender, balancer, stopping.signal)),
  ])
  try {
    for (const name of ['api', 'worker', 'api2', 'worker2'] as const) {
      await sleep(1_000)
      expect([name, await service.terminate(name)]).toEqual([name, 0])
      await service.start(name)
      await until('both get requests', 30_000, () => balancer.ready().length === 2)
    }
  } finally {
    stopping.abort()
    balancer.stop()
  }
  const lost = (await work).flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))
  expect(lost).toEqual([])

  for (const [index, { account }] of senders.entries()) {
    const rows = acknowledged[index]!
    expect(rows.length).toBeGreaterThan(10)
    for (const { id } of rows) await ended(service, account.account, id, 60_000)
    await expectInvariants(service, account.account, rows)
  }
}, 300_000)

test('an API that is told to end: not ready first, its answers end their connections, and a confirm that waits gets 202', async () => {
  const sender = await senderTo(service, 3)
  const { api, account } = sender.account
  const { id } = await sender.propose()
  service.edges.provider.hold()
  const waiting = api.confirm(id, sender.actor)
  await claimed(service, account, id)
  const end = service.terminate('api')
  const read = () => api.list().catch(() => undefined)
  await until('it says that it is not ready', 30_000, async () => {
    const answer = await fetch(`${service.urlOf('api')}/readyz`)
    return answer.status === 503
  })
  const during = await read()
  expect([during?.status, during?.headers.get('connection')]).toEqual([200, 'close'])
  const answer = await waiting
  expect([answer.status, answer.body.execution?.state]).toEqual([202, 'running'])
  expect(await end).toBe(0)
  expect(await read()).toBeUndefined()

  service.edges.provider.release()
  await ended(service, account, id, 120_000)
  await service.start('api')
  await expectInvariants(service, account, [answer.body])
}, 300_000)

interface Balancer {
  /** The processes that get requests. */
  ready(): ProcessName[]
  /** The client of the one whose turn it is. */
  next(account: Sender['account']): ApiClient
  stop(): void
}

function balance(names: ProcessName[]): Balancer {
  let ready = names
  const look = async () => {
    const looks = names.map((name) => fetch(`${service.urlOf(name)}/readyz`).then((answer) => answer.status))
    const statuses = await Promise.allSettled(looks)
    ready = names.filter((_, n) => statuses[n]!.status === 'fulfilled' && statuses[n]!.value === 200)
  }
  const timer = setInterval(() => void look(), lookMs)
  let turn = 0
  const next = ({ api, api2 }: Sender['account']) => (ready[turn++ % ready.length] === 'api' ? api : api2)
  return { ready: () => ready, next, stop: () => clearInterval(timer) }
}

// Short enough that requests are always under way, long enough that the processes which start have a processor too.
const pauseMs = 25

/** Proposes, and confirms or cancels, without end. Throws where a request is lost or refused. */
async function load(
  { account, actor }: Sender,
  balancer: Balancer,
  acknowledged: Acknowledged[],
  stopping: AbortSignal,
): Promise<void> {
  const next = () => balancer.next(account)
  const kept = (answer: ApiAnswer, statuses: number[]) => {
    if (!statuses.includes(answer.status)) throw new Error(`${answer.status} ${JSON.stringify(answer.body)}`)
    acknowledged.push(answer.body)
    return answer.body.id as number
  }
  for (let n = 0; !stopping.aborted; n++) {
    const id = kept(await next().propose(actor, `Load ${n} of ${account.account}.`), [201])
    if (n % 4 === 3) kept(await next().cancel(id, actor), [200])
    else kept(await next().confirm(id, actor), [200, 202])
    await sleep(pauseMs)
  }
}

/** Reads, forty times a second at most. Throws where a request is lost or refused. */
async function readOn({ account }: Sender, balancer: Balancer, stopping: AbortSignal): Promise<void> {
  while (!stopping.aborted) {
    const { status } = await balancer.next(account).list()
    await sleep(pauseMs)
    if (status !== 200) throw new Error(`a read answered ${status}`)
  }
}
