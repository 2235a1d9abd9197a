import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import type { ActionEndListener } from '../../src/db/action-end-listener.ts'
import { type RunningApi, startApi } from '../../src/api.ts'
import { type Config, readConfig } from '../../src/config.ts'
import { type Deps, makeDeps } from '../../src/deps.ts'
import { freePort } from '../../dev/embedded/free-port.ts'
import { moveExpiry } from '../support/expiry.ts'
import { type ApiClient, apiClient } from '../support/api-client.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { limits } from '../../src/limits.ts'
import { longPolls } from '../../src/waiting/long-polls.ts'

import { callTool } from '../support/mcp-tool.ts'
import { shorten } from '../support/shorten.ts'
import { until } from '../support/until.ts'

let gate: TestGate
// Further APIs on the same database: one for which Temporal is down, and one that gives it no time to take a signal.
let lonely: { deps: Deps; api: RunningApi; waits: Waits }
let hasty: { deps: Deps; api: RunningApi; waits: Waits }
let waits: Waits
beforeAll(async () => {
  gate = await startGate({ workers: false, env: { CONFIRM_WAIT_MS: '0' } })
  waits = withoutClock(gate.deps)
  // Temporal takes signals before there are workers once this is prepared.
  await gate.deps.workflows.prepare()
  const serve = async (config: Partial<Config>) => {
    const deps = makeDeps(
      { ...gate.config, CONFIRM_WAIT_MS: 25_000, ...config },
      { sandboxUrl: gate.sandbox.url, log: gate.deps.log },
    )
    return { deps, waits: withoutClock(deps), api: await startApi(deps) }
  }
  lonely = await serve({
    TEMPORAL_ADDRESS: `127.0.0.1:${await freePort(0)}`,
    CONFIRM_SIGNAL_MS: readConfig({}).CONFIRM_SIGNAL_MS,
  })
  hasty = await serve({ CONFIRM_SIGNAL_MS: 1 })
}, 60_000)
afterAll(async () => {
  for (const { api, deps } of [lonely, hasty]) {
    await api.stop()
    await deps.close()
  }
  await gate.stop()
})

type Open = Awaited<ReturnType<TestGate['openBroadcast']>>

interface Waits {
  /** How often something began to wait. */
  begun: number
  /** How many wait now. */
  underWay: number
}

/**
 * Has what waits for the end of an action wait until it is notified, hung up or stopped, and for no time but one of a second or less:
 * where nothing but the time would end a wait, the test does not end.
 */
function withoutClock({ actionEnds }: { actionEnds: ActionEndListener }): Waits {
  const waits = { begun: 0, underWay: 0 }
  const own = actionEnds.expect
  actionEnds.expect = (uuid) => {
    const end = own(uuid)
    return {
      ...end,
      async within(ms, signal) {
        waits.begun++
        waits.underWay++
        return end.within(ms <= 1_000 ? ms : 86_400_000, signal).finally(() => waits.underWay--)
      },
    }
  }
  return waits
}

const ended = (open: Open) =>
  until('the action has ended', async () => {
    const { body } = await open.client.get(open.id)
    return body.status === 'proposed' ? undefined : body
  })

// Confirmed while nobody worked.
let outlasting: Open & { key: string }
let withoutTemporal: Open
let late: Open

test('a confirm that outlasts the wait answers 202 with a Location and the row, which shows that it is running', async () => {
  outlasting = { ...(await gate.openBroadcast({ recipients: 4 })), key: randomUUID() }
  const { client, actor, id, key } = outlasting
  const answer = await client.confirm(id, actor, { key })
  expect([answer.status, answer.headers.get('location')]).toEqual([202, `/api/v1/actions/${id}`])
  expect(answer.body).toMatchObject({
    id,
    status: 'proposed',
    consent: { strength: 'agent_attested' },
    execution: { state: 'running', delivered: 0, remaining: 4 },
  })
  expect(answer.body).not.toHaveProperty('result')
  expect((await client.get(id)).body).toEqual(answer.body)
  expect((await client.list()).body.actions[0]).toEqual(answer.body)
  expect((await client.confirm(id, actor)).status).toBe(409)
})

test('with Temporal down, reading, proposing and cancelling work, and a confirm is recorded and answered 202 without a wait for its execution', async () => {
  withoutTemporal = await gate.openBroadcast({ recipients: 1 })
  const { account, actor, id } = withoutTemporal
  const client = apiClient(lonely.api.url, account.key)
  const ready = await client.request('GET', '/readyz')
  const proposed = await client.propose(actor, 'Without Temporal.')
  const [checked, cancelled] = [await client.capability(actor), await client.cancel(proposed.body.id, actor)]
  const confirmed = await client.confirm(id, actor)
  expect([ready.status, ready.body]).toEqual([200, { status: 'ready', database: 'up', temporal: 'down' }])
  expect([checked.status, proposed.status, cancelled.status]).toEqual([200, 201, 200])
  expect([confirmed.status, confirmed.body.execution?.state]).toEqual([202, 'running'])
  expect(lonely.waits.begun).toBe(0)
})

test('a confirm waits for Temporal to take its signal as long as it is configured, and no longer', async () => {
  const { account, actor, id } = await gate.openBroadcast({ recipients: 1 })
  const { status, body } = await apiClient(hasty.api.url, account.key).confirm(id, actor)
  expect([status, body.execution?.state]).toEqual([202, 'running'])
  // The execution would be waited for if Temporal had taken it.
  expect(hasty.waits.begun).toBe(0)
})

test('a confirm waits for its execution as recorded, whatever changes meanwhile', async () => {
  const open = await gate.openBroadcast({ recipients: 1 })
  const { body } = await open.client.propose(open.actor, 'Late.')
  late = { ...open, id: body.id }
  expect((await open.client.confirm(body.id, open.actor)).status).toBe(202)
  await open.account.setTier(open.proposer, 'read_only')
  await moveExpiry(gate.database, open.account.account, -8)
  expect((await open.client.get(body.id)).body).toMatchObject({
    status: 'proposed',
    execution: { state: 'running' },
  })
})

/** Reads an action that has not ended, and waits. Says whether the answer is there. */
function waiting(client: ApiClient, id: number, seconds: number | string = 50) {
  const answer = client.request('GET', `/api/v1/actions/${id}?wait=${seconds}`)
  const state = { isAnswered: false, answer }
  answer.then(
    () => (state.isAnswered = true),
    () => (state.isAnswered = true),
  )
  return state
}

/** Starts as many waits as one key may have: those beyond them are refused. */
async function fillPlaces({ client, id }: Open): Promise<AbortController> {
  const hangUp = new AbortController()
  const headers = { authorization: `Bearer ${client.key}` }
  const before = waits.underWay
  let refused = 0
  for (let n = 0; n < limits.awaitsPerKeyMax + 5; n++)
    fetch(`${client.url}/api/v1/actions/${id}?wait=50`, { headers, signal: hangUp.signal }).then(
      ({ status }) => (refused += status === 429 ? 1 : 0),
      () => undefined,
    )
  await until(
    'all are refused or wait',
    async () => refused + waits.underWay - before === limits.awaitsPerKeyMax + 5,
  )
  expect(refused).toBe(5)
  return hangUp
}

describe('a read that waits', () => {
  test('answers as soon as the action is cancelled, and not before; reads and cancels go on meanwhile', async () => {
    const open = await gate.openBroadcast({ recipients: 1 })
    await open.account.suspend(true)
    const [rest, tool] = [
      waiting(open.client, open.id),
      callTool(open.client, 'await_action', { id: open.id, timeout_seconds: 50 }),
    ]
    await until('both wait', async () => waits.underWay === 2)
    expect(rest.isAnswered).toBe(false)
    // Neither looks for itself: each is notified.
    await open.client.cancel(open.id, open.actor)
    const { status, body } = await rest.answer
    expect([status, body]).toEqual([200, (await open.client.get(open.id)).body])
    expect(body).toMatchObject({ status: 'cancelled', closed_reason: 'proposer' })
    expect((await tool).body).toEqual(body)
  })

  test('answers with the action as it is after the time', async () => {
    const { client, id } = await gate.openBroadcast({ recipients: 1 })
    const began = performance.now()
    const [rest, tool] = [
      await waiting(client, id, 1).answer,
      await callTool(client, 'await_action', { id, timeout_seconds: 1 }),
    ]
    expect(performance.now() - began).toBeGreaterThan(1_990)
    expect([rest.status, rest.body.status, tool.body]).toEqual([200, 'proposed', rest.body])
  })

  test('is refused for a time that is none, and for what the key may not see, at once', async () => {
    const open = await gate.openBroadcast({ recipients: 1 })
    const other = await gate.account()
    const grace = await open.account.addMember({ email: 'grace@example.com' })
    const bound = apiClient(gate.api.url, (await open.account.mintKey({ actors: [grace] })).key)
    const { begun } = waits
    for (const seconds of [51, -1, 1.5, '', 'x', '1e1', '999999999999999999'])
      expect([seconds, (await waiting(open.client, open.id, seconds).answer).status]).toEqual([seconds, 422])
    for (const client of [other.client, bound]) {
      expect((await waiting(client, open.id).answer).status).toBe(404)
      const { isError, body } = await callTool(client, 'await_action', { id: open.id })
      expect([isError, body.error]).toEqual([
        true,
        expect.stringContaining(`Action ${open.id} was not found`),
      ])
    }
    for (const timeout_seconds of [0, 51, '5'])
      expect((await callTool(open.client, 'await_action', { id: open.id, timeout_seconds })).isError).toBe(
        true,
      )
    expect((await callTool(open.client, 'get_action', { id: open.id, wait: 1 })).isError).toBe(true)
    expect(waits.begun).toBe(begun)
  })

  test('holds no connection, has a limit for each key, and gives its place free when its caller hangs up', async () => {
    const open = await gate.openBroadcast({ recipients: 1 })
    expect(limits.awaitsPerKeyMax).toBeGreaterThan(limits.databaseConnectionsMax)
    const polls = jest.spyOn(gate.deps.longPolls, 'run')
    const hangUp = await fillPlaces(open)
    const refused = await open.client.request('GET', `/api/v1/actions/${open.id}?wait=1`)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5'])
    expect((await callTool(open.client, 'await_action', { id: open.id })).body.error).toMatch(
      /already has 20/,
    )
    // Requests that do not wait are served, and so are other keys.
    expect((await open.client.get(open.id)).status).toBe(200)
    const second = apiClient(gate.api.url, (await open.account.mintKey()).key)
    expect((await waiting(second, open.id, 1).answer).status).toBe(200)
    hangUp.abort()
    // The service is told of it a moment later.
    await Promise.allSettled(polls.mock.results.map(({ value }) => value))
    polls.mockRestore()
    const again = await fillPlaces(open)
    again.abort()
    await until('nothing waits', async () => waits.underWay === 0)
  })

  test('leaves places to other accounts, however many keys one has', async () => {
    const polls = longPolls({ perKey: 2, perAccount: 3, inAll: 9 })
    const wait = (account: string, keyId: string) =>
      polls.run({ account, keyId }, undefined, (signal) => once(signal, 'abort'))
    const waiting = [wait('one', 'a'), wait('one', 'a'), wait('one', 'b')]
    await expect(wait('one', 'a')).rejects.toThrow('This API key already has 2')
    await expect(wait('one', 'c')).rejects.toThrow('This account already has 3')
    waiting.push(wait('other', 'd'))
    polls.end()
    expect(await Promise.all(waiting)).toHaveLength(4)
  })

  test('answers 429 to all but its places when many more come at once', async () => {
    const open = await gate.openBroadcast({ recipients: 1 })
    const all = Array.from({ length: 200 }, () => waiting(open.client, open.id))
    const refused = await until('the others are refused', async () => {
      const done = all.filter(({ isAnswered }) => isAnswered)
      return done.length === 200 - limits.awaitsPerKeyMax && done
    })
    const statuses = new Set((await Promise.all(refused.map(({ answer }) => answer))).map((a) => a.status))
    await open.client.cancel(open.id, open.actor)
    const served = await Promise.all(all.filter((w) => !refused.includes(w)).map(({ answer }) => answer))
    expect([...statuses]).toEqual([429])
    expect(served.map(({ status, body }) => [status, body.status])).toEqual(
      Array.from({ length: limits.awaitsPerKeyMax }, () => [200, 'cancelled']),
    )
  })

  test('tells nothing to a key that was revoked meanwhile', async () => {
    const open = await gate.openBroadcast({ recipients: 1 })
    const { key, keyId } = await open.account.mintKey()
    const wait = waiting(apiClient(gate.api.url, key), open.id)
    await until('it waits', async () => waits.underWay === 1)
    await open.account.revokeKey(keyId)
    await open.client.cancel(open.id, open.actor)
    const { status, body } = await wait.answer
    expect([status, body]).toEqual([401, expect.objectContaining({ error: expect.any(String) })])
  })

  test('is answered with the action as it is when the service stops', async () => {
    const open = await gate.openBroadcast({ recipients: 1 })
    const deps = makeDeps(gate.config, { sandboxUrl: gate.sandbox.url, log: gate.deps.log })
    const own = withoutClock(deps)
    const api = await startApi(deps)
    const wait = waiting(apiClient(api.url, open.client.key), open.id)
    await until('it waits', async () => own.underWay === 1)
    const restore = shorten({ shutdownGraceMs: 600_000 })
    await api.stop().finally(restore)
    const { status, body } = await wait.answer
    expect([status, body.status]).toEqual([200, 'proposed'])
    await deps.close()
  })
})

// Waited for before anybody worked.
let running: ReturnType<typeof waiting>
let expiring: ReturnType<typeof waiting>

test('a read that waits goes on while the action is executed', async () => {
  const restore = shorten({ awaitPollMs: 20 })
  const open = await gate.openBroadcast({ recipients: 1 })
  running = waiting(open.client, open.id)
  await open.client.confirm(open.id, open.actor)
  await open.account.setPolicy({ expires_after_hours: 0.0008, kinds: {} })
  const { body } = await open.client.propose(open.actor, 'Soon gone.')
  expiring = waiting(open.client, body.id)
  // Several looks must pass, so that both reads have seen the present state.
  const { begun } = waits
  await until('both have looked again', async () => waits.begun >= begun + 10)
  expect([running.isAnswered, expiring.isAnswered]).toEqual([false, false])
  restore()
})

describe('once there are workers', () => {
  beforeAll(() => gate.startWorkers(), 30_000)

  test('a read that waits answers when the action is executed, or expires', async () => {
    expect((await running.answer).body).toMatchObject({ status: 'executed', result: { outcome: 'done' } })
    const { body: expired } = await expiring.answer
    expect(expired).toMatchObject({ status: 'cancelled', closed_reason: 'expired' })
  })

  test('a confirm that was answered 202 goes on, GET shows its end, and a repeat of the confirm gets the row as it ended', async () => {
    const row = await ended(outlasting)
    expect(row).toMatchObject({ status: 'executed', result: { outcome: 'done' } })
    expect(row).not.toHaveProperty('execution')
    const again = await outlasting.client.confirm(outlasting.id, outlasting.actor, { key: outlasting.key })
    expect([again.status, again.body]).toEqual([200, row])
  })

  test('an action that was confirmed with Temporal down is executed, although nobody asks again', async () => {
    expect(await ended(withoutTemporal)).toMatchObject({ status: 'executed', result: { outcome: 'done' } })
  })

  test('a confirm that comes to be executed past its expiry reads tier and policy again, and is denied where they moved', async () => {
    expect(await ended(late)).toMatchObject({
      status: 'denied',
      denial_reason: expect.stringContaining('This broadcast requires `guarded_write`'),
    })
  })
})
