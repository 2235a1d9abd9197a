import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Worker } from '@temporalio/worker'
import { readConfig } from '../../src/config.ts'
import { projectRoot } from '../../src/process/root.ts'
import { loadTelemetry } from '../../src/telemetry/telemetry.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { temporalOf } from '../support/temporal-client.ts'
import { until } from '../support/until.ts'
import { type Collector, pathOf, startCollector } from './collector.ts'
import { silentPlugin, tracedBundle } from './traced-bundle.ts'

let collector: Collector
let gate: TestGate
let served: { stop(): Promise<void> }
let bundle: string
beforeAll(async () => {
  const usual = process.env['TEST_WORKFLOW_BUNDLE']
  const made = await Promise.all([startCollector(), tracedBundle()])
  collector = made[0]
  bundle = made[1]
  process.env['TEST_WORKFLOW_BUNDLE'] = bundle
  try {
    const telemetry = await loadTelemetry(readConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }), 'all')
    gate = await startGate({ telemetry })
    served = await telemetry.serve(gate.deps)
  } finally {
    process.env['TEST_WORKFLOW_BUNDLE'] = usual
  }
})
afterAll(async () => {
  await gate.stop()
  await served.stop()
  await collector.stop()
})

const traceId = '0af7651916cd43dd8448eb211c80319c'
const spanId = 'b7ad6b7169203331'

test('one trace leads from the request of a caller to the call of a provider, and no span quotes what is sent', async () => {
  const { account, actor } = await gate.openBroadcast({ recipients: 1 })
  const headers = { traceparent: `00-${traceId}-${spanId}-01`, 'idempotency-key': 'wallaby-key' }
  const body = { kind: 'broadcast', actor, payload: { message: 'Pangolins at noon.' }, rationale: 'Ocelots.' }
  const proposed = await account.client.request('POST', '/api/v1/actions', { body, headers })
  const { id } = proposed.body
  const confirmed = await account.client.request('POST', `/api/v1/actions/${id}/confirm`, {
    body: { actor },
    headers,
  })
  expect(confirmed.status).toBe(200)
  await account.client.request('POST', '/api/v1/actions', { body: '{"kind":"armadillo', headers })

  const ofTrace = () => collector.spans.filter((span) => span.traceId === traceId)
  await until('the spans arrive', async () => {
    const names = ofTrace().map(({ name }) => name)
    return ['call slack', 'RunWorkflow:proposal', 'confirm_action'].every((name) => names.includes(name))
  })
  const spans = ofTrace()
  const requests = spans.filter(({ parentSpanId }) => parentSpanId === spanId)
  expect(requests.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['request_action', 'confirm_action']),
  )
  const call = spans.find(({ name }) => name === 'call slack')!
  expect(call.attributes).toEqual({ 'gate.provider': 'slack', 'gate.outcome': 'ok' })
  const path = pathOf(spans, call)
  expect(path[0]).toMatch(/^(request|confirm)_action$/)
  expect(path).toContain('RunWorkflow:proposal')
  expect(path.at(-2)).toMatch(/^RunActivity:/)
  const proposing = spans.find(({ name }) => name === 'request_action')!
  expect(proposing.attributes).toMatchObject({ 'gate.action': String(id), 'gate.account': account.account })
  expect(
    spans.filter(({ parentSpanId }) => parentSpanId === proposing.spanId).map(({ name }) => name),
  ).toEqual(expect.arrayContaining([expect.stringMatching(/^statement \w+$/)]))
  expect(spans.filter(({ name }) => name.includes('unnamed'))).toEqual([])

  const sent = collector.bodies.join('\n')
  const secrets = [
    account.key,
    actor.email,
    'pangolin',
    'ocelot',
    'armadillo',
    'noon',
    'ada',
    'wallaby',
    'U00000000',
    'select ',
  ]
  for (const word of secrets) expect(sent.toLowerCase()).not.toMatch(new RegExp(`\\b${word.toLowerCase()}`))
})

test('histories replay with and without what traces workflows, however they were recorded', async () => {
  const folder = join(projectRoot, 'test', 'histories')
  const code = readFileSync(bundle, 'utf8')
  const histories = async function* () {
    for (const file of readdirSync(folder))
      yield { workflowId: file, history: JSON.parse(readFileSync(join(folder, file), 'utf8')) }
  }
  const faults: unknown[] = []
  const replayed = Worker.runReplayHistories(
    { workflowBundle: { code }, plugins: [silentPlugin()] },
    histories(),
  )
  for await (const { error } of replayed) if (error) faults.push(error)
  expect(faults).toEqual([])
  const plain = { workflowBundle: { code: readFileSync(process.env['TEST_WORKFLOW_BUNDLE']!, 'utf8') } }
  const { connection, workflow } = await temporalOf(gate)
  let traced = 0
  for await (const { workflowId } of workflow.list()) {
    const history = await workflow.getHandle(workflowId).fetchHistory()
    if (JSON.stringify(history).includes('_tracer-data')) traced++
    await Worker.runReplayHistory(plain, history, workflowId)
  }
  await connection.close()
  expect(traced).toBeGreaterThan(0)
})

test('without a collector the gate answers, and what waits is bounded', async () => {
  await collector.stop()
  const { client, actor, id } = await gate.openBroadcast({ recipients: 1 })
  expect((await client.confirm(id, actor)).status).toBe(200)
})
