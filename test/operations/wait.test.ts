import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { randomUUID } from 'node:crypto'
import { type RunningApi, startApi } from '../../src/api.ts'
import { type Deps, makeDeps } from '../../src/deps.ts'
import { freePort } from '../../src/embedded/free-port.ts'
import { apiClient } from '../support/api-client.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { until } from '../support/until.ts'

let gate: TestGate
// A second API on the same database, for which Temporal is down.
let lonely: { deps: Deps; api: RunningApi }
beforeAll(async () => {
  gate = await startGate({ workers: false, env: { CONFIRM_WAIT_MS: '0' } })
  const deps = makeDeps(
    { ...gate.config, TEMPORAL_ADDRESS: `127.0.0.1:${await freePort(0)}`, CONFIRM_WAIT_MS: 25_000 },
    { sandboxUrl: gate.sandbox.url, log: gate.deps.log },
  )
  lonely = { deps, api: await startApi(deps) }
}, 60_000)
afterAll(async () => {
  await lonely.api.stop()
  await lonely.deps.close()
  await gate.stop()
})

const ended = (open: Awaited<ReturnType<TestGate['openBroadcast']>>) =>
  until('the action has ended', async () => {
    const { body } = await open.client.get(open.id)
    return body.status === 'proposed' ? undefined : body
  })

test('a confirm that outlasts the wait answers 202 with a Location, goes on, and GET shows its end', async () => {
  const open = await gate.openBroadcast({ recipients: 4 })
  const { client, actor, id } = open
  const key = randomUUID()
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

  await gate.startWorkers()
  const row = await ended(open)
  expect(row).toMatchObject({ status: 'executed', result: { outcome: 'done' } })
  expect(row).not.toHaveProperty('execution')
  // 202 is never kept: the repeat gets the row as it ended.
  const again = await client.confirm(id, actor, { key })
  expect([again.status, again.body]).toEqual([200, row])
  await gate.stopWorkers()
})

test('with Temporal down, reading, proposing and cancelling work, and a confirm is recorded and answered 202 soon', async () => {
  const open = await gate.openBroadcast({ recipients: 1 })
  const { account, actor, id } = open
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
  expect(tookMs).toBeLessThan(4_000)

  // Once there are workers, the outbox tells them, although nobody asks again.
  await gate.startWorkers()
  expect(await ended(open)).toMatchObject({ status: 'executed', result: { outcome: 'done' } })
  await gate.stopWorkers()
})

test('a confirm that came to be executed past its expiry reads tier and policy again, and is denied where they moved', async () => {
  const open = await gate.openBroadcast({ recipients: 1 })
  const { account, client, actor, proposer } = open
  await account.setPolicy({ expires_after_hours: 0.001, kinds: {} })
  const { body } = await client.propose(actor, 'Late.')
  await client.confirm(body.id, actor)
  await account.setTier(proposer, 'read_only')
  await until('the proposal is past its expiry', async () => Date.now() > Date.parse(body.expires_at))
  await gate.startWorkers()
  expect(await ended({ ...open, id: body.id })).toMatchObject({
    status: 'denied',
    denial_reason: expect.stringContaining('broadcast needs guarded_write'),
  })
  await gate.stopWorkers()
})
