import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js'
import { processorMs } from '../../bench/support/processor-time.ts'
import { projectRoot } from '../../src/process/root.ts'
import { proposalWorkflowId } from '../../src/temporal/names.ts'
import { type Sender, ended, senderTo } from '../faults/broadcasts.ts'
import { type Service, startService } from '../support/supervisor.ts'
import { type HistoryEvent, cloudActions, totalOf } from './cloud-actions.ts'
import { measureDatabase, perCycle, sumOf } from './tables.ts'
import { type TemporalCluster, startTemporalCluster } from './temporal-cluster.ts'
import { members } from './temporal-config.ts'

// Measures what docs/performance.md says: each run prints it, and bounds hold it.
const cycles = Number(process.env['CYCLES'] ?? 400)
const recipients = 3
const hands = 8

let cluster: TemporalCluster
let service: Service
beforeAll(async () => {
  const superuserUrl = process.env['TEST_PG_SUPERUSER_URL']!
  cluster = await startTemporalCluster({ folder: process.env['TEST_RUN_DIR']!, superuserUrl })
  service = await startService({ isSandbox: true, hasOwnPostgres: true, temporalAddress: cluster.address })
})
afterAll(async () => {
  await service?.stop()
  await cluster?.stop()
}, 120_000)

test('a proposal of three recipients costs at most the rows, bytes and actions that the documentation says', async () => {
  const sender = await senderTo(service, recipients)
  // Past the first pages of each table.
  await runCycles(sender, cycles / 8)
  const before = await measureAll()
  await runCycles(sender, cycles)
  const after = await measureAll()

  const gate = perCycle(before.gate.tables, after.gate.tables, cycles)
  const temporal = perCycle(before.temporal.tables, after.temporal.tables, cycles)
  const history = await historyOf(sender)
  say('rows and bytes in the tables of the gate', gate)
  say('together', { ...sumOf(gate), ...eachCycle(before.gate, after.gate) })
  say('rows and bytes in the tables of Temporal', temporal)
  say('together', { ...sumOf(temporal), ...eachCycle(before.temporal, after.temporal) })
  say('milliseconds of processor', eachCycle(before.cpu, after.cpu))
  say('history', history)

  expect(sumOf(gate).rows).toBeLessThanOrEqual(9)
  expect(sumOf(gate).bytes).toBeLessThanOrEqual(12_000)
  expect(sumOf(temporal).bytes).toBeLessThanOrEqual(64_000)
  expect(totalOf(history.actions)).toBeLessThanOrEqual(5)
})

test.each([
  ['executed', 5],
  ['cancelled', 5],
  ['expired', 4],
  ['asked', 9],
])('a proposal that ends as %s is at most %d actions of Temporal Cloud', (name, most) => {
  const folder = join(projectRoot, 'test', 'histories')
  const { events } = JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as {
    events: HistoryEvent[]
  }
  expect(totalOf(cloudActions(events))).toBeLessThanOrEqual(most)
})

async function measureAll() {
  const { temporal, visibility } = cluster.database
  const urlOf = (database: string) =>
    Object.assign(new URL(process.env['TEST_PG_SUPERUSER_URL']!), { pathname: `/${database}` }).href
  const cpu = processCpu()
  const [gate, first, second] = [
    await measureDatabase(service.superuserUrl),
    await measureDatabase(urlOf(temporal)),
    await measureDatabase(urlOf(visibility)),
  ]
  const tables = { ...first.tables, ...second.tables }
  return { gate, temporal: { ...first, tables, commits: first.commits + second.commits }, cpu }
}

function processCpu(): Record<string, number> {
  const ofCluster = members.map((member) => [`Temporal ${member}`, processorMs([cluster.pidOf(member)])])
  const ofService = (['api', 'worker'] as const).map((name) => [name, processorMs([service.pidOf(name)])])
  return Object.fromEntries([...ofService, ...ofCluster])
}

/** The differences of what are numbers, by cycle. */
function eachCycle<T extends object>(before: T, after: T): Record<string, number> {
  const was = new Map<string, unknown>(Object.entries(before))
  return Object.fromEntries(
    Object.entries(after).flatMap(([name, value]) =>
      typeof value === 'number' ? [[name, (value - Number(was.get(name))) / cycles]] : [],
    ),
  )
}

/** Several clients propose and confirm, until all of it is executed. */
async function runCycles({ account, actor }: Sender, count: number): Promise<void> {
  const { api } = account
  let left = count
  const hand = async () => {
    while (left-- > 0) {
      const { body } = await api.propose(actor, `Lunch is at noon, number ${left}.`)
      const answer = await api.confirm(body.id, actor)
      if (answer.status === 202) await ended(service, account.account, body.id, 60_000)
      else expect(answer.status).toBe(200)
    }
  }
  await Promise.all(Array.from({ length: hands }, hand))
}

/** The workflow history of the last proposal. */
async function historyOf({ account: { account } }: Sender) {
  const [row] = await service.sql<{ id: number; uuid: string }>(
    `select id::int, uuid from gate.action where account_id = '${account}' order by id desc limit 1`,
  )
  const client = await service.temporal()
  const handle = client.workflow.getHandle(proposalWorkflowId({ account, ...row! }))
  const { events } = JSON.parse(historyToJSON(await handle.fetchHistory())) as { events: HistoryEvent[] }
  const { historySize } = await handle.describe()
  return { events: events.length, bytes: historySize, actions: cloudActions(events) }
}

function say(what: string, figures: unknown): void {
  process.stderr.write(`cost of a proposal: ${what}: ${JSON.stringify(figures, null, 1)}\n`)
}
