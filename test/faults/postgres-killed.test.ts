import '../support/one-realm.ts'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { ApiAnswer } from '../support/api-client.ts'
import { type Service, startService, until } from '../support/supervisor.ts'
import { type Sender, sayRecovery, senderTo } from './broadcasts.ts'
import { type Acknowledged, expectInvariants } from './invariants.ts'

let service: Service
beforeAll(async () => {
  service = await startService({ isSandbox: true, hasOwnPostgres: true, env: { CONFIRM_WAIT_MS: '2000' } })
}, 300_000)
afterAll(() => service.stop(), 60_000)

test('PostgreSQL killed under load: calls get 503, every acknowledged write is stored, and the service recovers by itself', async () => {
  const senders = await Promise.all(Array.from({ length: 3 }, () => senderTo(service, 4)))
  const load = senders.map((sender) => startLoad(sender))
  for (let round = 0; round < 2; round++) {
    await acknowledgedMore(load, 12)
    await service.kill('postgres')
    await until('the load meets the fault', 60_000, () => load.every((one) => one.refused503 > round))
    await service.start('postgres')
    const ms = await acknowledgedMore(load, 6)
    sayRecovery('PostgreSQL is back, until writes are acknowledged', ms)
  }
  await expectAllStored(load)
}, 180_000)

test('every connection to PostgreSQL terminated again and again under load: nothing acknowledged is lost, and no process dies', async () => {
  const senders = await Promise.all(Array.from({ length: 2 }, () => senderTo(service, 3)))
  const load = senders.map((sender) => startLoad(sender))
  for (let round = 0; round < 6; round++) {
    await acknowledgedMore(load, 2)
    // A storm: it also meets connections that are only just being made.
    for (let gust = 0; gust < 40; gust++) await service.sql(terminateAll)
  }
  await expectAllStored(load)
}, 300_000)

const terminateAll = `select pg_terminate_backend(pid) from pg_stat_activity
  where pid <> pg_backend_pid() and backend_type = 'client backend'`

interface Load {
  sender: Sender
  acknowledged: Acknowledged[]
  checks: number
  refused503: number
  odd: string[]
  stop(): Promise<void>
}

/** Proposes, checks, confirms and cancels without a pause, as an agent with four hands would, until stopped. */
function startLoad(sender: Sender): Load {
  const { api } = sender.account
  const stopping = new AbortController()
  const load: Load = { sender, acknowledged: [], checks: 0, refused503: 0, odd: [], stop: async () => {} }
  let n = 0

  const hand = async () => {
    while (!stopping.signal.aborted) {
      const proposed = note(
        await api.propose(sender.actor, `Load ${++n} of ${sender.account.account}.`),
        [201],
      )
      const check = note(await api.capability({ email: sender.actor.email }), [200], false)
      if (check) load.checks++
      if (!proposed) continue
      const { id } = proposed.body
      // A repeat after a lost answer meets the decision that stands: 409.
      if (n % 3 === 0) note(await api.cancel(id, sender.actor), [200, 409])
      else if (n % 3 === 1) note(await api.confirm(id, sender.actor), [200, 202, 409])
    }
  }
  const note = (answer: ApiAnswer, expected: number[], isWrite = true): ApiAnswer | undefined => {
    if (answer.status === 503) {
      load.refused503++
      if (!answer.headers.get('retry-after')) load.odd.push('503 without Retry-After')
      return undefined
    }
    if (!expected.includes(answer.status)) load.odd.push(`${answer.status} ${JSON.stringify(answer.body)}`)
    if (answer.status >= 300) return undefined
    if (isWrite) load.acknowledged.push(answer.body)
    return answer
  }
  const hands = Array.from({ length: 4 }, () =>
    hand().catch((error: unknown) => void load.odd.push(String(error))),
  )
  load.stop = async () => {
    stopping.abort()
    await Promise.all(hands)
  }
  return load
}

async function acknowledgedMore(load: Load[], more: number): Promise<number> {
  const goals = load.map((one) => one.acknowledged.length + more)
  return until('writes are acknowledged', 60_000, () =>
    load.every((one, i) => one.acknowledged.length >= goals[i]! || one.odd.length > 0),
  )
}

async function expectAllStored(load: Load[]): Promise<void> {
  await Promise.all(load.map((one) => one.stop()))
  expect(service.dead()).toEqual([])
  for (const { sender, odd, acknowledged, checks } of load) {
    expect(odd).toEqual([])
    const { account } = sender.account
    const ms = await until('every claimed action has ended', 90_000, async () => {
      const rows = await service.sql(
        `select id from gate.action where account_id = '${account}' and status = 'proposed' and decision = 'confirm'`,
      )
      return rows.length === 0
    })
    sayRecovery('load is over, until every claim has ended', ms)
    const [stored] = await service.sql<{ n: number }>(
      `select count(*)::int as n from gate.action where account_id = '${account}' and kind = 'capability_check'`,
    )
    expect(stored!.n).toBeGreaterThanOrEqual(checks)
    await expectInvariants(service, account, acknowledged)
  }
}
