import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { noTelemetry, loadTelemetry } from '../../src/telemetry/telemetry.ts'
import { type MetricOfTable, metricTable } from '../../src/telemetry/table.ts'
import { readConfig } from '../../src/config.ts'
import { customerDeletion, declare } from '../support/declared-kind.ts'
import { askedInSlack } from '../support/consent.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { ringOf } from '../support/connect.ts'
import { addEndpoint } from '../../src/operations/events/endpoints.ts'
import { standIn } from '../executors/stand-in.ts'
import { until } from '../support/until.ts'
import { samplesOf, scrape, valueOf } from './scrape.ts'

let gate: TestGate
let served: { port: number; stop(): Promise<void> }
beforeAll(async () => {
  const telemetry = await loadTelemetry(readConfig({ METRICS_PORT: '0' }), 'all')
  gate = await startGate({
    telemetry,
    env: { SECRETS_KEYS: ringOf('k1'), EXECUTOR_ALLOW: '127.0.0.1' },
  })
  served = (await telemetry.serve(gate.deps)) as typeof served
})
afterAll(async () => {
  await served.stop()
  await gate.stop()
})

const mcp = (name: string, args: object) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: { name, arguments: args },
})

test('a scrape counts requests, proposals, consent, executions and calls, without a word of an account', async () => {
  const { account, client, proposer, actor, id } = await gate.openBroadcast({ recipients: 4 })
  await declare(
    gate.deps.db,
    account.account,
    customerDeletion({
      kind: 'quokka_removal',
      default_rule: { tier: 'guarded_write', consent: 'chat' },
    }),
  )
  expect((await client.confirm(id, actor)).status).toBe(200)
  const reader = await account.addMember({ name: 'Zanzibar', email: 'zanzibar@example.com' })
  expect((await client.propose({ email: reader.email }, 'Pangolins at noon.')).body.status).toBe('denied')
  const payload = { customer: { id: 'cus_wombat' } }
  const body = { kind: 'quokka_removal', actor, payload }
  const asking = await client.request('POST', '/api/v1/actions', { body })
  expect((await client.confirm(asking.body.id, actor)).status).toBe(202)
  expect((await client.get(99_999)).status).toBe(404)
  await client.request('GET', '/api/v1/armadillo')
  const headers = { accept: 'application/json, text/event-stream' }
  for (const call of [
    mcp('get_action', { id }),
    mcp('propose_quokka_removal', { actor, ...payload }),
    mcp('narwhal', {}),
  ])
    await client.request('POST', '/api/mcp', { headers, body: call })
  await askedInSlack(gate, proposer.slack!)
  await until('it is told that the request was sent', async () =>
    valueOf(await scrape(served.port), 'gate_consent_requests_total', { via: 'slack', state: 'sent' }),
  )
  const text = await scrape(served.port)
  const value = (name: string, labels?: Record<string, string>) => valueOf(text, name, labels)

  expect(value('gate_requests_total', { operation: 'confirm_action', code: 'ok' })).toBe(2)
  expect(value('gate_requests_total', { operation: 'get_action', code: 'not_found' })).toBe(1)
  expect(value('gate_requests_total', { operation: 'get_action', code: 'ok' })).toBe(1)
  expect(value('gate_requests_total', { operation: 'other', code: 'not_found' })).toBe(1)
  expect(value('gate_request_seconds_count', { operation: 'request_action' })).toBe(3)
  expect(value('gate_proposals_total', { kind: 'broadcast', outcome: 'proposed' })).toBe(1)
  expect(value('gate_proposals_total', { kind: 'broadcast', outcome: 'denied' })).toBe(1)
  expect(value('gate_proposals_total', { kind: 'declared' })).toBeGreaterThanOrEqual(1)
  expect(value('gate_decisions_total', { decision: 'confirm' })).toBe(1)
  expect(value('gate_consent_seconds_count', { strength: 'agent_attested' })).toBe(1)
  expect(value('gate_executions_total', { kind: 'broadcast' })).toBe(1)
  expect(value('gate_provider_calls_total', { provider: 'email', outcome: 'ok' })).toBe(1)
  expect(value('gate_provider_calls_total', { provider: 'slack', outcome: 'ok' })).toBeGreaterThanOrEqual(3)
  expect(value('gate_open_proposals')).toBeGreaterThanOrEqual(1)
  expect(value('gate_outbox_age_seconds')).toBeGreaterThanOrEqual(0)
  expect(value('gate_database_read_ok')).toBe(1)
  expect(value('gate_database_statement_seconds_count', { outcome: 'ok' })).toBeGreaterThan(10)
  expect(value('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0)

  const words = [
    'quokka',
    'wombat',
    'zanzibar',
    'pangolin',
    'armadillo',
    'narwhal',
    'acct_',
    'example.com',
    'noon',
  ]
  for (const word of words) expect(text.toLowerCase()).not.toContain(word)
})

test('deliveries of events are calls of the provider `endpoint`: taken, not taken or never sent, and broken off', async () => {
  const { account, addMember } = await gate.account()
  const receivers = await Promise.all([
    standIn((_request, response) => void response.writeHead(204).end()),
    standIn((_request, response) => void response.writeHead(302, { location: '/' }).end()),
    standIn((_request, response) => void response.destroy()),
    standIn(() => undefined),
  ])
  await receivers[3]!.close()
  const { db, secretsKeys: keys, network } = gate.deps
  for (const { url } of receivers)
    await addEndpoint(
      { db, account, session: null },
      { keys, allowed: network.allowed },
      { url, description: 'Receiver', types: ['member.changed'], isFull: false },
    )
  await addMember({ name: 'Capybara', email: 'capybara@example.com' })
  const counted = await until('every delivery', async () => {
    const text = await scrape(served.port)
    const of = (outcome: string) =>
      valueOf(text, 'gate_provider_calls_total', { provider: 'endpoint', outcome }) ?? 0
    const counts = [of('ok'), of('not_done'), of('unknown')]
    return counts.reduce((sum, one) => sum + one, 0) >= receivers.length && counts
  })
  expect(counted).toEqual([1, 2, 1])
  await Promise.all(receivers.slice(0, 3).map((one) => one.close()))
})

test('every metric of the gate is one of the table, with its labels and no other', async () => {
  const shown = samplesOf(await scrape(served.port)).filter(({ name }) => name.startsWith('gate_'))
  const table = metricTable as Record<string, MetricOfTable>
  for (const { name, labels } of shown) {
    const base = name.replace(/_(bucket|sum|count)$/, '')
    const metric = table[name] ?? table[base]
    expect([name, Object.keys(labels).filter((label) => label !== 'le')]).toEqual([
      name,
      Object.keys(metric!.labels ?? {}).filter((label) => label in labels),
    ])
  }
  const known = new Set(shown.map(({ name }) => name.replace(/_(bucket|sum|count)$/, '')))
  expect(Object.keys(table).filter((name) => !known.has(name))).toEqual([])
})

test('many scrapes read the database once, and other paths answer nothing', async () => {
  await scrape(served.port)
  const statements = async () =>
    samplesOf(await gate.deps.telemetry.metrics!.register.text())
      .filter(({ name }) => name === 'gate_database_statement_seconds_count')
      .reduce((sum, { value }) => sum + value, 0)
  await gate.stopWorkers()
  const before = await statements()
  await Promise.all(Array.from({ length: 15 }, () => scrape(served.port)))
  expect((await statements()) - before).toBeLessThanOrEqual(2)
  const at = (path: string, method = 'GET') => fetch(`http://127.0.0.1:${served.port}${path}`, { method })
  expect([(await at('/')).status, (await at('/metrics', 'POST')).status]).toEqual([404, 405])
})

test('without METRICS_PORT nothing is counted, served or loaded', async () => {
  expect(await loadTelemetry(readConfig({}), 'api')).toBe(noTelemetry)
})
