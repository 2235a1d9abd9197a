import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { parseVkey } from '../../src/seals/note.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'
import { appendTo, asOwner, truncateTo } from '../seals/scene.ts'
import { type CommandResult, gateOn, newAccount } from './gate-command.ts'

let database: TestDatabase
let folder: string
let env: Record<string, string>
let gate: (...argv: string[]) => Promise<CommandResult>
let account: string
beforeAll(async () => {
  database = await freshDatabase()
  folder = mkdtempSync(join(process.env['TEST_RUN_DIR'] ?? tmpdir(), 'ledger-seals-'))
  env = { DATABASE_URL: database.serviceUrl, DATA_DIR: folder, PUBLIC_URL: 'https://gate.example.com' }
  gate = gateOn(env)
  account = (await newAccount(gate)).account
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await database.drop()
})

test('the first seal makes the key, for this user alone; keys shows it with a policy', async () => {
  expect((await gate('ledger', 'keys')).code).toBe(1)
  const sealed = await gate('ledger', 'seal', '--json')
  expect(sealed).toMatchObject({ code: 0, stderr: '' })
  expect(sealed.json).toMatchObject({
    state: 'sealed',
    epoch: 1,
    accounts: [{ account, seq: 1 }],
    faults: [],
  })
  const log = join(folder, 'ledger', readdirSync(join(folder, 'ledger'))[0]!)
  expect(statSync(join(log, 'key.json')).mode & 0o777).toBe(0o600)
  const { json } = await gate('ledger', 'keys', '--json')
  expect(json.keys).toHaveLength(1)
  expect(parseVkey(json.keys[0].vkey)).toMatchObject({ name: 'gate.example.com/epochs', type: 1 })
  expect(json.policy).toBe(`log ${json.keys[0].vkey}\nquorum none`)
  expect((await gate('ledger', 'seal')).stdout).toBe('Nothing new to seal. The last epoch is 1.\n')
})

test('a rotated key signs beside the old one', async () => {
  const rotated = await gate('ledger', 'keys', 'rotate', '--json')
  expect(rotated.code).toBe(0)
  expect(rotated.json.keys.map((key: any) => key.signs_until !== null)).toEqual([false, true])
  expect((await gate('ledger', 'keys', 'rotate')).code).toBe(1)
  await appendTo(database, account, 1)
  expect((await gate('ledger', 'seal')).code).toBe(0)
  const [row] = await database.asSuperuser(
    'select note from gate_private.epoch_seal order by size desc limit 1',
  )
  expect((row!['note'] as string).match(/^— /gm)).toHaveLength(4)
  expect((await gate('ledger', 'keys', 'sideways')).code).toBe(2)
})

test('an export has its seal where that is asked for', async () => {
  const { code, stdout } = await gate('ledger', 'export', '--sealed', '--account', account)
  expect(code).toBe(0)
  expect(
    stdout
      .split('\n')
      .slice(0, -1)
      .map((line) => Object.keys(JSON.parse(line))[0]),
  ).toEqual(['v', 'seq', 'seq', 'seal', 'end'])
  expect((await gate('ledger', 'export', '--sealed', '--json', '--account', account)).code).toBe(2)
})

test('the key of a log that is whole is rotated, and not replaced', async () => {
  expect(await gate('ledger', 'seal')).toMatchObject({ code: 0 })
  const before = (await gate('ledger', 'keys', '--json')).json
  expect(await gate('ledger', 'keys', 'replace')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('The log is whole'),
  })
  expect((await gate('ledger', 'keys', '--json')).json).toEqual(before)
})

test('a ledger that was cut turns seal, verify and doctor to 1', async () => {
  await appendTo(database, account, 3)
  await gate('ledger', 'seal')
  await truncateTo(database, account, 2)
  expect(await gate('ledger', 'seal')).toMatchObject({ code: 1, stderr: expect.stringContaining('missing') })
  expect(await gate('ledger', 'verify', '--account', account)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('seq 3: it is missing: seq 5 was sealed'),
  })
  expect(await gate('doctor')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`sealer: ${account}: it ends`),
  })
})

test('a database that was restored turns seal, verify and doctor to 1, until a new log begins', async () => {
  await asOwner(
    database,
    `delete from gate_private.epoch_seal where size > 1;
    delete from gate_private.epoch_leaf where n >= 1;
    delete from gate.ledger_seal where size > 1`,
  )
  const older = { code: 1, stderr: expect.stringContaining('the database is older than what was signed') }
  expect(await gate('ledger', 'seal')).toMatchObject(older)
  expect(await gate('ledger', 'verify', '--account', account)).toMatchObject(older)
  expect(await gate('doctor')).toMatchObject(older)
  // Another DATA_DIR knows of no such log, but of the fault.
  expect((await gateOn({ ...env, DATA_DIR: join(folder, 'other') })('doctor')).stderr).toContain('older')
  const replaced = await gate('ledger', 'keys', 'replace', '--json')
  expect(replaced.json.keys).toHaveLength(1)
  expect(await gate('ledger', 'seal')).toMatchObject({ code: 0 })
  expect(await gate('ledger', 'verify', '--account', account)).toMatchObject({ code: 0 })
})

test('a DATA_DIR that knows the log of another database makes no key for this one', async () => {
  const other = await freshDatabase()
  await other.asSuperuser('update gate_private.ledger_log set log_id = gen_random_uuid()')
  const there = gateOn({ ...env, DATABASE_URL: other.serviceUrl })
  await newAccount(there)
  expect(await there('ledger', 'seal')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('log of another database'),
  })
  expect((await there('ledger', 'keys', 'replace')).code).toBe(0)
  expect((await there('ledger', 'seal')).code).toBe(0)
  await other.drop()
})
