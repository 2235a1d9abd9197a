import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, Connection } from '@temporalio/client'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { limits } from '../../src/limits.ts'
import { cancelAndSignal } from '../../src/operations/decisions/cancel-as-admin.ts'
import type { Workflows } from '../../src/temporal/client.ts'
import { readAction } from '../../src/db/queries/actions/actions.ts'
import { beatPreviewHost } from '../../src/db/queries/previews/preview-hosts.ts'
import { openSummary } from '../../src/db/queries/actions/open-actions.ts'
import type { Deps } from '../../src/deps.ts'
import { proposalWorkflowId } from '../../src/temporal/names.ts'
import { depsOf, livedAccount, livedSeq, openAccount } from '../ledger/lived-account.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'
import { shorten } from '../support/shorten.ts'
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

const noPreviews = { gatewayUrl: 'http://localhost:8789', modes: ['static'], unavailable: {}, previews: [] }

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
  // A busy machine may take longer than an administrator waits.
  const restore = shorten({ temporalConnectMs: 60_000, temporalSignalMs: 60_000 })
  const result = await cancel(gate, account, id).finally(restore)
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

test('a cancel gives its signal a moment, and stands where Temporal does not take it', async () => {
  const { account, propose } = await openAccount(deps)
  const id = await propose()
  const givenMs: number[] = []
  const wake: Workflows['wake'] = async (_proposal, _signal, withinMs) => {
    givenMs.push(withinMs)
    throw new Error('Temporal did not answer in time.')
  }
  const connect = async () => ({ wake }) as Workflows
  const context = { db: database.db, account, session: null }
  expect(await cancelAndSignal(context, id, { reason: 'wrong message', connect })).toMatchObject({
    isSignalled: false,
  })
  expect(givenMs).toEqual([limits.temporalSignalMs])
  expect(await readAction(database.db, account, id)).toMatchObject({ status: 'cancelled' })
})

test('with Temporal down the cancel stands all the same', async () => {
  const { account, propose } = await openAccount(deps)
  const id = await propose()
  const result = await cancel(gateAlone, account, id)
  expect(result).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/^Cancelled\. The workflow could not be notified/),
  })
  expect(result.json).toMatchObject({ status: 'cancelled' })
})

test('an action that has ended or does not exist cannot be cancelled', async () => {
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
    stderr: `Action 99 was not found in ${account}.\n`,
  })
})

test('doctor shows what is open, whether Temporal answers, and the end of every chain', async () => {
  const { account } = await livedAccount(deps)
  const restore = shorten({ temporalConnectMs: 30_000 })
  const { json } = await gate('doctor', '--json')
  restore()
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
    seq: livedSeq,
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    agents_word: expect.stringMatching(/^money: up to 10,000\.00 USD; broadcasts: yes; /),
  })
})

test('doctor says of each part whether it is in order, and exits 1 where one is not', async () => {
  const { account } = await livedAccount(deps)
  const verdicts = ({ json }: CommandResult) =>
    Object.fromEntries(json.checks.map(({ item, verdict }: any) => [item, verdict]))
  const lacking = await gate('doctor', '--json')
  expect([lacking.code, lacking.json.verdict]).toEqual([1, 'attention'])
  expect(lacking.stderr).toBe(
    'previews: No worker serves previews. Start a worker, or remove preview from TOOLS.\n',
  )

  await beatPreviewHost(database.db, { ...noPreviews, hostId: `host_${'h'.repeat(16)}` })
  const healthy = await gate('doctor', '--json')
  expect(healthy).toMatchObject({ code: 0, stderr: '' })
  expect(healthy.json.verdict).toBe('ok')
  expect(verdicts(healthy)).toEqual({
    database: 'ok',
    teams: 'off',
    temporal: 'ok',
    executors: 'ok',
    events: 'ok',
    stripe: 'ok',
    upstreams: 'off',
    outbox: 'ok',
    executions: 'ok',
    sealer: 'ok',
    mail: 'ok',
    slack: 'ok',
    previews: 'ok',
    witnesses: 'off',
  })

  const alone = await gateAlone('doctor')
  expect(alone).toMatchObject({ code: 1, stderr: expect.stringMatching(/^temporal: .* does not answer\./) })
  expect(alone.stdout).toMatch(/^temporal +attention +Temporal at/m)
  expect(alone.stdout).toMatch(/^temporal +down$/m)
  expect(alone.stdout).toContain(account)
})

test('work that is due later is not overdue; work that nobody took is', async () => {
  const { propose } = await openAccount(deps)
  await propose()
  await deps.starter.idle()
  await beatPreviewHost(database.db, { ...noPreviews, hostId: `host_${'h'.repeat(16)}` })
  const due = (interval: string) =>
    database.asSuperuser(`update gate_private.open_action set due_at = now() + interval '${interval}'`)
  await due('1 hour')
  expect((await gate('doctor', '--json')).json.oldest_outbox_due_at).toBeNull()
  await due('-1 hour')
  const late = await gate('doctor', '--json')
  expect(late).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^outbox: Work has been overdue since /),
  })
  expect(late.json.oldest_outbox_due_at).toMatch(/Z$/)
  await database.asSuperuser(`delete from gate_private.open_action`)
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
  const again = await gate('repair', '--json')
  expect(again).toMatchObject({ code: 0, stderr: '' })
  expect(again.json).toMatchObject({ restarted: 0, failed: 0 })
})

test('repair without Temporal is refused', async () => {
  const restore = shorten({ temporalStartMs: 100 })
  expect(await gateAlone('repair', '--json').finally(restore)).toMatchObject({
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
    stderr: expect.stringMatching(/^Temporal at .*: no answer/),
  })
})

test('an export that was written verifies without a database, and a forged one does not', async () => {
  const { account } = await livedAccount(deps)
  expect((await gate('ledger', 'verify', '--account', account, '--json')).json).toMatchObject({
    ok: true,
    account,
    seq: livedSeq,
  })
  const file = join(folder, 'export.jsonl')
  const alone = gateOn({ DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' })
  for (const format of [[], ['--json']]) {
    const { stdout } = await gate('ledger', 'export', '--account', account, ...format)
    writeFileSync(file, stdout)
    expect(await alone('ledger', 'verify', '--file', file)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`ledger verified, ${livedSeq} entries`),
    })
    writeFileSync(file, stdout.replace('"tier_set"', '"policy_set"'))
    expect(await alone('ledger', 'verify', '--file', file)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^seq 4: /),
    })
    writeFileSync(file, stdout.replace('"tier_set"', '"\u009b31m\u202e\\u001b[2J"'))
    expect(await alone('ledger', 'verify', '--file', file)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^seq 4: [^]*⟨U\+009B⟩31m⟨U\+202E⟩⟨U\+001B⟩\[2J/),
    })
  }
  expect((await gate('ledger', 'export', '--account', account, '--json')).json).toHaveLength(1 + livedSeq)
  expect(await alone('ledger', 'verify', '--file', join(folder, 'none'))).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/none cannot be read: there is no such file/),
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
    stderr: 'action 5: its status is denied, but proposed in the ledger\n',
  })
  expect(result.json).toMatchObject({ ok: false, place: 'action 5' })
})

test('an anchor that the chain does not contain is found, in the database and in an export', async () => {
  const { account } = await livedAccount(deps)
  const file = join(folder, 'anchored.jsonl')
  writeFileSync(file, (await gate('ledger', 'export', '--account', account)).stdout)
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  const hashOf = (seq: number) => (JSON.parse(lines[seq]!) as { hash: string }).hash
  const fitting = ['--anchor', `5:${hashOf(5)}`, '--anchor', `${livedSeq}:${hashOf(livedSeq)}`]
  for (const where of [
    ['--account', account],
    ['--file', file],
  ]) {
    expect(await gate('ledger', 'verify', ...where, ...fitting)).toMatchObject({ code: 0, stderr: '' })
    expect(await gate('ledger', 'verify', ...where, ...fitting, '--anchor', `6:${hashOf(5)}`)).toMatchObject({
      code: 1,
      stderr: 'anchor: the hash of seq 6 does not match the anchor\n',
    })
    expect(
      await gate('ledger', 'verify', ...where, '--anchor', `${livedSeq + 1}:${hashOf(5)}`),
    ).toMatchObject({
      code: 1,
      stderr: `anchor: the chain ends at seq ${livedSeq}, but an anchor has seq ${livedSeq + 1}\n`,
    })
  }
  for (const malformed of ['5', `0:${hashOf(5)}`, `5:${hashOf(5).slice(1)}`, `5:${hashOf(5).toUpperCase()}`])
    expect(await gate('ledger', 'verify', '--account', account, '--anchor', malformed)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/--anchor must be SEQ:HASH/),
    })
})

test('doctor writes anchors, goes on from them, and finds a chain that was rewritten', async () => {
  const { account, check } = await livedAccount(deps)
  const file = join(folder, 'anchors.jsonl')
  await beatPreviewHost(database.db, { ...noPreviews, hostId: `host_${'h'.repeat(16)}` })
  const doctor = () => gate('doctor', '--anchors', file, '--json')
  const first = (await doctor()).json
  expect(first.anchors).toEqual({ file, compared: 0, added: first.accounts.length, faults: [] })
  const lines = () => readFileSync(file, 'utf8').trim().split('\n')
  expect((await doctor()).json.anchors).toMatchObject({ compared: lines().length, added: 0 })
  await check()
  expect((await doctor()).json.anchors).toMatchObject({ added: 1, faults: [] })
  expect(JSON.parse(lines().at(-1)!)).toEqual({
    account,
    seq: livedSeq + 1,
    hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    at: expect.stringMatching(/Z$/),
  })

  // A thorough forger: the last entry goes, and the head is set back.
  await database.asSuperuser(`
    alter table gate.ledger disable trigger all;
    delete from gate.ledger where account_id = '${account}' and seq = ${livedSeq + 1};
    delete from gate.action where account_id = '${account}' and id = 6;
    update gate.ledger_head h set (seq, hash, at) = (
      select seq, hash, at from gate.ledger l where l.account_id = h.account_id and seq = ${livedSeq}
    ), action_seq = 5 where account_id = '${account}';
    alter table gate.ledger enable always trigger ledger_append_only;
    alter table gate.ledger enable always trigger ledger_no_truncate`)
  expect(await gate('ledger', 'verify', '--account', account)).toMatchObject({ code: 0 })
  const before = readFileSync(file, 'utf8')
  const found = await doctor()
  expect(found).toMatchObject({
    code: 1,
    stderr: `${account}: its ledger no longer contains seq ${livedSeq + 1}, as ${file} has it.\n`,
  })
  expect(found.json.anchors).toMatchObject({ added: 0, faults: [{ place: account }] })
  expect(readFileSync(file, 'utf8')).toBe(before)
})

test('doctor refuses a file that it has not written, and leaves it as it is', async () => {
  const file = join(folder, 'notes.txt')
  writeFileSync(file, 'seq 5 was fine\n')
  expect(await gate('doctor', '--anchors', file)).toMatchObject({
    code: 1,
    stdout: '',
    stderr: `Line 1 of ${file} is not an anchor written by gate doctor. Nothing was compared or added.\n`,
  })
  expect(readFileSync(file, 'utf8')).toBe('seq 5 was fine\n')
  const nowhere = join(folder, 'none', 'anchors.jsonl')
  expect(await gate('doctor', '--anchors', nowhere)).toMatchObject({ code: 1 })
  expect(existsSync(nowhere)).toBe(false)
})

test('actions are listed as the API lists them, and one is shown with its timeline', async () => {
  const { account } = await livedAccount(deps)
  const list = (...filters: string[]) => gate('action', 'list', '--account', account, ...filters)
  const idsOf = async (...filters: string[]) =>
    (await list('--json', ...filters)).json.actions.map(({ id }: { id: number }) => id)
  expect(await idsOf()).toEqual([5, 4, 3, 2, 1])
  expect(await idsOf('--order', 'asc', '--after', '2', '--limit', '2')).toEqual([3, 4])
  expect(await idsOf('--status', 'denied')).toEqual([4])
  expect(await idsOf('--member', 'ada@example.com', '--exclude-kind', 'capability_check')).toEqual([5, 3, 2])
  expect(await idsOf('--kind', 'capability_check', '--created-before', '2000-01-01')).toEqual([])
  expect((await list('--kind', 'refund')).stdout).toBe('No actions match.\n')
  expect(await list('--member', 'nobody@example.com')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^No member of this account has this identity\./),
  })

  const { stdout } = await list('--limit', '2')
  expect(stdout).toMatch(
    /^ID +CREATED +KIND +STATUS +MEMBER +ABOUT\n5 +\d{4}-\d\d-\d\d \d\d:\d\d +broadcast +proposed/,
  )
  expect(stdout).toMatch(/More: --after 4\n$/)
  const { stdout: shown } = await gate('action', 'show', '--account', account, '--id', '2')
  expect(shown).toMatch(/^status +executed$/m)
  expect(shown).toMatch(/^consent\.strength +agent_attested$/m)
  expect(shown).toMatch(/^payload\.message +\S/m)
  expect(shown).toMatch(
    /\n\nTimeline:\n\nSEQ +AT +ENTRY +BY +ABOUT\n.*\bproposed +Ada .*\n(.*\n)*.*\bexecuted +system +done\n$/,
  )
  const long = `${stdout}${shown}`.split('\n').filter((line) => line.length > 100)
  // Digests and ids do not break.
  expect(long.filter((line) => line.trim().split(/ +/).length > 2)).toEqual([])

  const { json } = await gate('action', 'show', '--account', account, '--id', '2', '--json')
  const { stdout: asListed } = await list('--json', '--status', 'executed')
  expect(json).toEqual(JSON.parse(asListed).actions[0])
  expect(await gate('action', 'show', '--account', account, '--id', '99')).toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'Action 99 was not found in this account.\n',
  })
})

test('an admin erases the payload of what has ended, with an entry and nothing else', async () => {
  const { account } = await livedAccount(deps)
  const erase = (id: number, reason = 'asked for by Ada') =>
    gate('action', 'erase', '--account', account, '--id', String(id), '--reason', reason, '--json')
  const { json, code } = await erase(2)
  expect(code).toBe(0)
  expect(json).toMatchObject({ id: 2, status: 'executed', payload: {} })
  const [left] = await database.asSuperuser(`
    select a.payload::text as payload, a.salt, l.entry, (
      select count(*) from gate.delivery d where d.account_id = a.account_id and d.message is not null
    ) as messages
    from gate.action a
    join gate.ledger l on l.account_id = a.account_id and l.action_id = a.id and l.kind = 'payload_erased'
    where a.account_id = '${account}' and a.id = 2`)
  expect(left).toMatchObject({ payload: '{}', salt: null, messages: '0' })
  expect(JSON.parse(String(left!['entry']))).toMatchObject({
    actor: 'admin',
    data: { reason: 'asked for by Ada' },
    v: 2,
  })
  expect(await gate('ledger', 'verify', '--account', account)).toMatchObject({ code: 0, stderr: '' })

  const refused = (id: number) => erase(id).then(({ code, stderr }) => ({ code, stderr }))
  expect(await refused(2)).toEqual({ code: 1, stderr: 'Action 2 has no payload.\n' })
  expect(await refused(1)).toEqual({ code: 1, stderr: 'Action 1 has no payload.\n' })
  expect(await refused(5)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^Action 5 has not ended/),
  })
  expect(await refused(99)).toEqual({ code: 1, stderr: `Action 99 was not found in ${account}.\n` })

  // A payload that comes back to an erased row is found, too.
  await database.asSuperuser(
    `update gate.action set payload = '{"message":"Dinner"}' where account_id = '${account}' and id = 2`,
  )
  expect(await gate('ledger', 'verify', '--account', account)).toMatchObject({
    code: 1,
    stderr: 'action 2: its payload is erased in the ledger, but still stored\n',
  })
})
