import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { type RunningApi, startApi } from '../../src/api.ts'
import { type Config, readConfig } from '../../src/config.ts'
import { type Deps, makeDeps } from '../../src/deps.ts'
import { freePort } from '../../src/embedded/free-port.ts'
import { apiClient } from '../support/api-client.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { until } from '../support/until.ts'

let gate: TestGate
// Further APIs on the same database: one for which Temporal is down, and one that gives it no time to take a signal.
let lonely: { deps: Deps; api: RunningApi }
let hasty: { deps: Deps; api: RunningApi }
beforeAll(async () => {
  gate = await startGate({ workers: false, env: { CONFIRM_WAIT_MS: '0' } })
  const serve = async (config: Partial<Config>) => {
    const deps = makeDeps(
      { ...gate.config, CONFIRM_WAIT_MS: 25_000, ...config },
      { sandboxUrl: gate.sandbox.url, log: gate.deps.log },
    )
    return { deps, api: await startApi(deps) }
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

test('with Temporal down, reading, proposing and cancelling work, and a confirm is recorded and answered 202 soon', async () => {
  withoutTemporal = await gate.openBroadcast({ recipients: 1 })
  const { account, actor, id } = withoutTemporal
  const client = apiClient(lonely.api.url, account.key)
  const ready = await client.request('GET', '/readyz')
  const proposed = await client.propose(actor, 'Without Temporal.')
  const [checked, cancelled] = [await client.capability(actor), await client.cancel(proposed.body.id, actor)]
  const began = Date.now()
  const confirmed = await client.confirm(id, actor)
  const tookMs = Date.now() - began
  expect([ready.status, ready.body]).toEqual([200, { status: 'ready', database: 'up', temporal: 'down' }])
  expect([checked.status, proposed.status, cancelled.status]).toEqual([200, 201, 200])
  expect([confirmed.status, confirmed.body.execution?.state]).toEqual([202, 'running'])
  // A second for the signal that nobody takes, and some for a busy machine: far from the 25 s that it may wait.
  expect(tookMs).toBeLessThan(8_000)
})

test('a confirm waits for Temporal to take its signal as long as it is configured, and no longer', async () => {
  const { account, actor, id } = await gate.openBroadcast({ recipients: 1 })
  const began = Date.now()
  const { status, body } = await apiClient(hasty.api.url, account.key).confirm(id, actor)
  expect([status, body.execution?.state]).toEqual([202, 'running'])
  expect(Date.now() - began).toBeLessThan(8_000)
})

test('a confirm waits for its execution as recorded, whatever changes meanwhile', async () => {
  const open = await gate.openBroadcast({ recipients: 1 })
  await open.account.setPolicy({ expires_after_hours: 0.0005, kinds: {} })
  const { body } = await open.client.propose(open.actor, 'Late.')
  late = { ...open, id: body.id }
  expect((await open.client.confirm(body.id, open.actor)).status).toBe(202)
  await open.account.setTier(open.proposer, 'read_only')
  await until('the proposal is past its expiry', async () => Date.now() > Date.parse(body.expires_at))
  expect((await open.client.get(body.id)).body).toMatchObject({
    status: 'proposed',
    execution: { state: 'running' },
  })
})

describe('once there are workers', () => {
  beforeAll(() => gate.startWorkers(), 30_000)

  test('what was answered 202 goes on, GET shows its end, and a repeat of the confirm gets the row as it ended', async () => {
    const row = await ended(outlasting)
    expect(row).toMatchObject({ status: 'executed', result: { outcome: 'done' } })
    expect(row).not.toHaveProperty('execution')
    const again = await outlasting.client.confirm(outlasting.id, outlasting.actor, { key: outlasting.key })
    expect([again.status, again.body]).toEqual([200, row])
  })

  test('what was confirmed with Temporal down is executed, although nobody asks again', async () => {
    expect(await ended(withoutTemporal)).toMatchObject({ status: 'executed', result: { outcome: 'done' } })
  })

  test('a confirm that comes to be executed past its expiry reads tier and policy again, and is denied where they moved', async () => {
    expect(await ended(late)).toMatchObject({
      status: 'denied',
      denial_reason: expect.stringContaining('This broadcast requires `guarded_write`'),
    })
  })
})
