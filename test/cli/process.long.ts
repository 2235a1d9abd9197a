import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, cpSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { claimRunFile } from '../../src/data-dir/run-file.ts'
import { projectRoot } from '../../src/process/root.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'
import { noTemporal } from './gate-command.ts'

let database: TestDatabase
let copy: string
let dataDir: string
beforeAll(async () => {
  database = await freshDatabase()
  const folder = process.env['TEST_RUN_DIR'] ?? tmpdir()
  dataDir = mkdtempSync(join(folder, 'data-'))
  // A tree of its own: it is compiled and broken here.
  copy = mkdtempSync(join(folder, 'tree-'))
  for (const name of [
    'bin',
    'src',
    'workflows',
    'activities',
    'dev',
    'packages',
    'package.json',
    'tsconfig.json',
    'tsconfig.build.json',
  ]) {
    cpSync(join(projectRoot, name), join(copy, name), { recursive: true })
  }
  symlinkSync(join(projectRoot, 'node_modules'), join(copy, 'node_modules'))
})
afterAll(async () => {
  for (const folder of [copy, dataDir]) rmSync(folder, { recursive: true, force: true })
  await database.drop()
})

/** The program as people start it. */
async function gate(argv: string[], env: Record<string, string> = { DATABASE_URL: database.serviceUrl }) {
  const child = spawn(process.execPath, [join(copy, 'bin', 'gate.js'), ...argv], {
    env: { PATH: process.env['PATH'], TEMPORAL_ADDRESS: noTemporal, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  return { code: code as number, stdout, stderr }
}

const compiledAt = () => statSync(join(copy, 'dist', '.tsbuildinfo')).mtimeMs

test('the first command compiles what there is, and prints its answer alone', async () => {
  const { code, stdout, stderr } = await gate(['account', 'create', '--name', 'Acme', '--json'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(Object.keys(JSON.parse(stdout))).toEqual(['account_id'])
}, 60_000)

test('the next command compiles nothing; exit codes pass through', async () => {
  const before = compiledAt()
  expect(await gate(['account', 'suspend', '--account', 'acct_0000000000000000'])).toEqual({
    code: 1,
    stdout: '',
    stderr: 'Account not found.\n',
  })
  expect(await gate(['account', 'create'])).toMatchObject({ code: 2, stdout: '' })
  expect(compiledAt()).toBe(before)
})

test('every process ends by itself, also where Temporal was asked', async () => {
  const begin = performance.now()
  const { code, stderr } = await gate(['doctor', '--json'])
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^temporal: .* does not answer\./)])
  expect(performance.now() - begin).toBeLessThan(60_000)
})

test('without DATABASE_URL it talks to the database of the service that runs on DATA_DIR', async () => {
  const run = await claimRunFile(dataDir, () => {})
  const { superuserUrl, ownerUrl, serviceUrl } = database
  run.record({ postgres: { port: 1, superuserUrl, ownerUrl, serviceUrl }, temporal: { address: noTemporal } })
  const env = { DATA_DIR: dataDir, TEMPORAL_ADDRESS: '' }
  expect(JSON.parse((await gate(['account', 'list', '--json'], env)).stdout)).toMatchObject([
    { name: 'Acme' },
  ])
  expect(JSON.parse((await gate(['migrate', '--json'], env)).stdout)).toEqual({ applied: [] })
  expect(JSON.parse((await gate(['doctor', '--json'], env)).stdout)).toMatchObject({
    temporal_address: noTemporal,
  })
  run.release()
  expect(await gate(['account', 'list'], env)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/^No service is running on/),
  })
})

test('an edited source is compiled again; where it does not compile, nothing runs', async () => {
  const before = compiledAt()
  appendFileSync(join(copy, 'src', 'cli', 'print.ts'), '\nexport const more = 1\n')
  expect(await gate(['account', 'list', '--json'])).toMatchObject({ code: 0, stderr: '' })
  expect(compiledAt()).toBeGreaterThan(before)
  appendFileSync(join(copy, 'src', 'cli', 'print.ts'), "\nexport const wrong: number = 'x'\n")
  const broken = await gate(['account', 'create', '--name', 'Never', '--json'])
  expect(broken).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(/src\/cli\/print\.ts.*TS2322/),
  })
  const accounts = await database.asSuperuser(`select name from gate.account where name = 'Never'`)
  expect(accounts).toEqual([])
})
