import { execFile } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, expect, test } from '@jest/globals'
import { projectRoot } from '../../src/process/root.ts'
import { alerts, queries } from './queries.ts'
import { type Scraped, scrapedServices } from './scenario.ts'

// Runs every query in the engine of Prometheus, which Go builds from its module.

const run = promisify(execFile)
let scraped: Scraped
let engine: string
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(process.env['TEST_RUN_DIR']!, 'promql-'))
  engine = join(folder, 'promql')
  await run('go', ['build', '-o', engine, '.'], { cwd: join(projectRoot, 'test', 'telemetry', 'promql') })
  scraped = await scrapedServices()
})

type Answers = Record<string, { error?: string; series: number }>

async function evaluate(asked: Record<string, string>, files: string[]): Promise<Answers> {
  const file = join(folder, 'queries.json')
  writeFileSync(file, JSON.stringify(asked))
  const { stdout } = await run(engine, [file, ...files])
  return JSON.parse(stdout)
}

test('each query of the board has an answer from a scrape of the running service', async () => {
  const ofBoard = queries().filter(({ of }) => of === 'board')
  const answers = await evaluate(
    Object.fromEntries(ofBoard.map(({ name, text }) => [name, text])),
    scraped.files,
  )
  const empty = Object.entries(answers).filter(([, { error, series }]) => error !== undefined || series === 0)
  expect(empty).toEqual([])
})

const ours = '# TYPE gate_build_info gauge\ngate_build_info{process="worker"} 1\n'

/** What a scrape shows when an alert is due. Empty: nothing is scraped. */
const troubles: Record<string, string> = {
  GateDown: '',
  // A worker of another service does not stand in for one of the gate.
  GateWorkerDown:
    '# TYPE temporal_worker_task_slots_available gauge\ntemporal_worker_task_slots_available{task_queue="theirs"} 5\n',
  GateDatabaseUnreadable: '# TYPE gate_database_read_ok gauge\ngate_database_read_ok 0\n',
  GateRequestErrors:
    '# TYPE gate_requests_total counter\ngate_requests_total{operation="get_action",code="internal"} 1\n',
  GateOutboxStuck: '# TYPE gate_outbox_age_seconds gauge\ngate_outbox_age_seconds 301\n',
  GateExecutionLong: '# TYPE gate_oldest_execution_seconds gauge\ngate_oldest_execution_seconds 3601\n',
  GateProviderOutcomeUnknown:
    '# TYPE gate_provider_calls_total counter\ngate_provider_calls_total{provider="stripe",outcome="unknown"} 1\n',
  GateProviderRefuses:
    '# TYPE gate_provider_calls_total counter\ngate_provider_calls_total{provider="slack",outcome="not_done"} 1\n',
  GateConsentRequestsFail:
    '# TYPE gate_consent_requests_total counter\ngate_consent_requests_total{via="email",state="failed"} 1\n',
  GateNotSealed: '# TYPE gate_seal_wait_seconds gauge\ngate_seal_wait_seconds 901\n',
  GateSealerRefuses: '# TYPE gate_seal_passes_total counter\ngate_seal_passes_total{state="attention"} 1\n',
  GateWorkersSaturated: `${ours}# TYPE temporal_activity_schedule_to_start_latency_seconds histogram
temporal_activity_schedule_to_start_latency_seconds_bucket{task_queue="gate",le="1"} 0
temporal_activity_schedule_to_start_latency_seconds_bucket{task_queue="gate",le="10"} 5
temporal_activity_schedule_to_start_latency_seconds_bucket{task_queue="gate",le="+Inf"} 5
`,
  GatePoolExhausted:
    '# TYPE gate_database_statements gauge\ngate_database_statements 21\n# TYPE gate_database_connections_max gauge\ngate_database_connections_max 10\n',
  GateEventLoopBlocked: `${ours}# TYPE nodejs_eventloop_lag_p99_seconds gauge\nnodejs_eventloop_lag_p99_seconds 0.6\n`,
}

test('each alert is silent on a healthy service, and fires on its trouble', async () => {
  const all = Object.fromEntries(alerts().map(({ alert, expr }) => [alert, expr]))
  expect(Object.keys(troubles)).toEqual(Object.keys(all))
  // How busy this machine is, is not known.
  const { GateEventLoopBlocked: _, ...steady } = all
  const healthy = await evaluate(steady, scraped.files)
  expect(healthy).toEqual(Object.fromEntries(Object.keys(steady).map((name) => [name, { series: 0 }])))
  for (const [name, text] of Object.entries(troubles)) {
    const file = join(folder, 'trouble.prom')
    writeFileSync(file, text)
    const answers = await evaluate({ [name]: all[name]! }, text === '' ? [] : [file])
    expect([name, answers]).toEqual([name, { [name]: { series: 1 } }])
  }
})
