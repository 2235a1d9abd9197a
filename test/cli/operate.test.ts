import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, Connection } from '@temporalio/client'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { readAction } from '../../src/db/queries/actions.ts'
import { openSummary } from '../../src/db/queries/open-actions.ts'
import { type Deps } from '../../src/deps.ts'
import { proposalWorkflowId } from '../../src/temporal/names.ts'
import { depsOf, livedAccount, openAccount } from '../ledger/lived-account.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'
import { type CommandResult, gateOn } from './gate-command.ts'

let database: TestDatabase
let deps: Deps
let connection: Connection
let folder: string
let gate: (...argv: string[]) => Promise<CommandResult>
let gateAlone: (...argv: string[]) => Promise<CommandResult>
beforeAll(async () => {
  database = await freshDatabase()
  deps = depsOf(database)
  connection = await Connection.connect({ address: process.env['TEST_TEMPORAL_ADDRESS']! })
  folder = mkdtempSync(join(process.env['TEST_RUN_DIR'] ?? tmpdir(), 'operate-'))
  const urls = { DATABASE_URL: database.serviceUrl, DATABASE_OWNER_URL: database.ownerUrl }
  gate = gateOn({ ...urls, TEMPORAL_ADDRESS: process.env['TEST_TEMPORAL_ADDRESS']! })
  gateAlone = gateOn(urls)
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await connection.close()
  await deps.close()
  await database.drop()
})

const workflowOf = async (account: string, id: number) => {
  const { uuid } = (await readAction(database.db, account, id))!
  return new Client({ connection }).workflow.getHandle(proposalWorkflowId({ account, id, uuid }))
}
const signalsOf = async (account: string, id: number) => {
  const { events } = await (await workflowOf(account, id)).fetchHistory()
  return events!.flatMap((event) => event.workflowExecutionSignaledEventAttributes?.signalName ?? [])
}
const cancel = (run: typeof gate, account: string, id: number) =>
  run('action', 'cancel', '--account', account, '--id', String(id), '--reason', 'wrong message', '--json')

test('an admin cancels an open proposal, and its workflow is told at once', async () => {
  const { account, propose } = await openAccount(deps)
  const id = await propose()
  const result = await cancel(gate, account, id)
  expect(result).toMatchObject({ code: 0, stderr: '' })
  expect(result.json).toMatchObject({ id, status: 'cancelled', closed_reason: 'admin' })
  expect(result.json).not.toHaveProperty('consent')
  expect(await signalsOf(account, id)).toEqual(['cancel'])
  const entries = await database.asSuperuser(
    `select entry from gate.ledger where account_id = '${account}' and kind = 'cancelled'`,
  )
  expect(JSON.parse(String(entries[0]!['entry']))).toMatchObject({
    actor: 'admin',
    data: { closed_reason: 'admin', reason: 'wrong message' },
  })
})

test('with Temporal down the cancel stands all the same, within a moment', async () => {
  const { account, propose } = await openAccount(deps)
  const id = await propose()
  const begin = performance.now()
  const result = await cancel(gateAlone, account, id)
  expect(performance.now() - begin).toBeLessThan(4_000)
  expect(result).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^Cancelled\. Its workflow could not be told/),
  })
  expect(result.json).toMatchObject({ status: 'cancelled' })
})

test('what has ended or does not exist cannot be cancelled', async () => {
  const { account } = await livedAccount(deps)
  expect(await cancel(gate, account, 2)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/^Action 2 is executed/),
  })
  expect(await cancel(gate, account, 3)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^Action 3 is cancelled/),
  })
  expect(await cancel(gate, account, 99)).toMatchObject({
    code: 1,
    stderr: `There is no action 99 in ${account}.\n`,
  })
})

test('doctor shows what is open, whether Temporal answers, and the end of every chain', async () => {
  const { account } = await livedAccount(deps)
  const { json } = await gate('doctor', '--json')
  const open = await openSummary(database.db)
  expect(json).toMatchObject({
    temporal: 'up',
    open_proposals: open.open_proposals,
    claims_without_end: open.claims_without_end,
  })
  expect(json.accounts).toContainEqual({
    account_id: account,
    name: 'Lived',
    suspended: false,
    seq: 15,
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    agents_word: expect.stringMatching(/^money: up to 10,000\.00 USD on the agent's word; broadcasts: yes; /),
  })
  const alone = await gateAlone('doctor')
  expect(alone).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^temporal +down$/m) })
})

test('repair gives every open row its workflow back after Temporal lost everything', async () => {
  const { account, propose } = await openAccount(deps)
  const ids = [await propose(), await propose()]
  await deps.starter.idle()
  await (await workflowOf(account, ids[0]!)).terminate('lost')
  const before = (await gate('doctor', '--json')).json
  const { json, code } = await gate('repair', '--json')
  expect(code).toBe(0)
  expect(json).toMatchObject({ restarted: expect.any(Number), failed: 0 })
  expect(json.open).toBe(json.restarted + json.running)
  expect(json.open).toBeGreaterThanOrEqual(before.open_proposals)
  expect(json.restarted).toBeGreaterThanOrEqual(1)
  for (const id of ids) expect((await (await workflowOf(account, id)).describe()).status.name).toBe('RUNNING')
  expect((await gate('repair', '--json')).json).toMatchObject({ restarted: 0, failed: 0 })
})

test('repair without Temporal is refused', async () => {
  expect(await gateAlone('repair', '--json')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/does not answer/),
  })
})

test('migrating again applies nothing, and registers what Temporal needs', async () => {
  const schedule = () =>
    connection.workflowService.describeSchedule({ namespace: 'default', scheduleId: 'gate-reconcile' })
  expect(await gate('migrate', '--json')).toMatchObject({ code: 0, stdout: '{"applied":[]}\n', stderr: '' })
  expect((await schedule()).schedule?.action?.startWorkflow?.workflowType?.name).toBe('reconcile')
  expect(await gateAlone('migrate')).toMatchObject({
    code: 0,
    stdout: 'Nothing to apply: the database is up to date.\n',
    stderr: expect.stringMatching(/^Temporal at .* does not answer/),
  })
})

test('an export that was written verifies without a database, and a forged one does not', async () => {
  const { account } = await livedAccount(deps)
  expect((await gate('ledger', 'verify', '--account', account, '--json')).json).toMatchObject({
    ok: true,
    account,
    seq: 15,
  })
  const file = join(folder, 'export.jsonl')
  const alone = gateOn({ DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' })
  for (const format of [[], ['--json']]) {
    const { stdout } = await gate('ledger', 'export', '--account', account, ...format)
    writeFileSync(file, stdout)
    expect(await alone('ledger', 'verify', '--file', file)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/15 entries are in order/),
    })
    writeFileSync(file, stdout.replace('"tier_set"', '"policy_set"'))
    expect(await alone('ledger', 'verify', '--file', file)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^seq 3: /),
    })
  }
  expect((await gate('ledger', 'export', '--account', account, '--json')).json).toHaveLength(16)
  expect(await alone('ledger', 'verify', '--file', join(folder, 'none'))).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/ENOENT/),
  })
})

test('a ledger that was tampered with is exit 1, the place on stderr', async () => {
  const { account } = await livedAccount(deps)
  await database.asSuperuser(
    `update gate.action set status = 'denied', denial_reason = 'x' where account_id = '${account}' and id = 5`,
  )
  const result = await gate('ledger', 'verify', '--account', account, '--json')
  expect(result).toMatchObject({
    code: 1,
    stderr: 'action 5: its row says denied, its entries say proposed\n',
  })
  expect(result.json).toMatchObject({ ok: false, place: 'action 5' })
})
