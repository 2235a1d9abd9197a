import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { readHead } from '../../src/db/queries/ledger/ledger.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'
import { adaToAdd, type CommandResult, gateOn, newAccount, safeSending } from './gate-command.ts'

let database: TestDatabase
let folder: string
let gate: (...argv: string[]) => Promise<CommandResult>
beforeAll(async () => {
  database = await freshDatabase()
  folder = mkdtempSync(join(process.env['TEST_RUN_DIR'] ?? tmpdir(), 'ledger-archive-'))
  gate = gateOn({ DATABASE_URL: database.serviceUrl, DATABASE_OWNER_URL: database.ownerUrl })
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await database.drop()
})

/** Makes the entries of an account older, and computes their hashes again. */
async function age(account: string, days: number): Promise<void> {
  await database.asSuperuser(`
    alter table gate.ledger disable trigger ledger_append_only;
    do $do$
    declare l record; before bytea := decode(repeat('00', 32), 'hex'); made bytea; then_at timestamptz;
    begin
      for l in select * from gate.ledger where account_id = '${account}' order by seq loop
        then_at := l.at - interval '${days} days';
        made := sha256(before || convert_to(l.account_id || ' ' || l.seq || ' ' || gate_private.iso(then_at) || E'\\n' || l.entry, 'UTF8'));
        update gate.ledger set at = then_at, prev = before, hash = made where account_id = l.account_id and seq = l.seq;
        update gate.ledger_head set at = then_at, hash = made where account_id = l.account_id;
        before := made;
      end loop;
    end $do$;
    alter table gate.ledger enable always trigger ledger_append_only`)
}

async function oldAccount(days: number): Promise<{ account: string; seq: number }> {
  const { account, ok } = await newAccount(gate)
  await ok('member', 'add', ...adaToAdd)
  await ok('curriculum', 'add', ...safeSending)
  await age(account, days)
  await ok('member', 'set-tier', '--email', 'ada@example.com', '--tier', 'write')
  return { account, seq: (await readHead(database.db, account))!.seq }
}

test('old entries move into the folder; verify and export read them there', async () => {
  const { account, seq } = await oldAccount(400)
  const about = ['--account', account]
  const result = await gate('ledger', 'archive', ...about, '--to', folder, '--json')
  expect(result).toMatchObject({ code: 0, stderr: '' })
  expect(result.json).toEqual({
    account,
    entries: seq - 1,
    files: 1,
    archived_to: seq - 1,
    folder: join(folder, account),
  })
  expect(await gate('ledger', 'verify', ...about, '--archive', folder)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`ledger verified, ${seq + 1} entries`),
  })
  expect(await gate('ledger', 'verify', '--file', join(folder, account))).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`ledger verified, ${seq - 1} entries`),
  })
  const exported = await gate('ledger', 'export', ...about, '--archive', folder)
  const file = join(folder, 'export.jsonl')
  writeFileSync(file, exported.stdout)
  expect(await gate('ledger', 'verify', '--file', file)).toMatchObject({ code: 0 })
  for (const verb of ['verify', 'export'])
    expect(await gate('ledger', verb, ...about)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('--archive FOLDER'),
    })
  expect(await gate('ledger', 'archive', ...about, '--to', folder)).toMatchObject({
    code: 0,
    stdout: `${account}: nothing to archive. Archived so far: ${seq - 1} entries.\n`,
  })
})

test('entries stay for a year, or as many days as the option says', async () => {
  const { account, seq } = await oldAccount(100)
  const archive = (...options: string[]) =>
    gate('ledger', 'archive', '--account', account, '--to', folder, '--json', ...options)
  expect((await archive()).json).toMatchObject({ entries: 0 })
  expect((await archive('--older-than-days', '120')).json).toMatchObject({ entries: 0 })
  expect((await archive('--older-than-days', '90')).json).toMatchObject({ entries: seq - 1 })
  expect(await archive('--older-than-days', '29')).toMatchObject({ code: 2 })
})

test("the service's own connection archives nothing", async () => {
  const { account, seq } = await oldAccount(400)
  const archive = ['ledger', 'archive', '--account', account, '--to', folder]
  const alone = gateOn({ DATABASE_URL: database.serviceUrl })
  expect(await alone(...archive)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('DATABASE_OWNER_URL'),
  })
  const same = gateOn({ DATABASE_URL: database.serviceUrl, DATABASE_OWNER_URL: database.serviceUrl })
  expect(await same(...archive)).toMatchObject({ code: 1, stderr: expect.stringContaining('another role') })
  expect(await readHead(database.db, account)).toMatchObject({ seq, last_seq: seq })
})

test('a tampered file makes verify exit with 1 and name it', async () => {
  const { account } = await oldAccount(400)
  await gate('ledger', 'archive', '--account', account, '--to', folder)
  writeFileSync(join(folder, account, 'manifest.jsonl'), '{}\n')
  expect(await gate('ledger', 'verify', '--account', account, '--archive', folder)).toMatchObject({
    code: 1,
    stderr: 'manifest.jsonl line 1: it does not name the account\n',
  })
})
