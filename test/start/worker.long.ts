import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import { freePort } from '../../dev/embedded/free-port.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'
import { builtProgram } from '../support/program.ts'
import { until } from '../support/until.ts'

// The worker as a process of its own, as it is deployed.

let database: TestDatabase
let program: string
const children: ChildProcess[] = []
beforeAll(async () => {
  database = await freshDatabase()
  program = await builtProgram(process.env['TEST_RUN_DIR']!)
}, 120_000)
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})
afterAll(() => database.drop())

const standIns = join('dev', 'sandbox', 'serve.js')

async function startWorker(env: Record<string, string> = {}, file = join('src', 'worker.js')) {
  const dataDir = join(mkdtempSync(join(process.env['TEST_RUN_DIR']!, 'worker-')), 'not', 'made', 'yet')
  const port = await freePort()
  const child = spawn(process.execPath, [join(program, 'dist', file)], {
    env: {
      PATH: process.env['PATH'] ?? '',
      DATABASE_URL: database.serviceUrl,
      TEMPORAL_ADDRESS: process.env['TEST_TEMPORAL_ADDRESS']!,
      DATA_DIR: dataDir,
      WORKER_PORT: String(port),
      SANDBOX_PORT: '0',
      PREVIEW_PORT: '0',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  children.push(child)
  let output = ''
  child.stdout!.on('data', (bytes) => void (output += bytes))
  child.stderr!.on('data', (bytes) => void (output += bytes))
  const exited = once(child, 'close').then(([code, signal]) => (code ?? signal) as number | string)
  const answers = async (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`).then(
      ({ ok }) => ok,
      () => false,
    )
  return { child, dataDir, exited, answers, output: () => output }
}

test('a worker with the sandbox makes its DATA_DIR, says where its links lead, and ends on a signal', async () => {
  const worker = await startWorker()
  await until('it is ready', () => worker.answers('/readyz'))
  expect(existsSync(join(worker.dataDir, 'sandbox.jsonl'))).toBe(true)
  expect(worker.output()).toContain('PUBLIC_URL is not set')
  worker.child.kill('SIGTERM')
  expect(await worker.exited).toBe(0)
}, 60_000)

test('the stand-ins run as a process of their own, and a worker that is told where they are starts none', async () => {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const sandbox = await startWorker({ SANDBOX_PORT: String(port) }, standIns)
  await until('they answer', () =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  const worker = await startWorker({ SANDBOX: '1', SANDBOX_URL: url })
  await until('it is ready', () => worker.answers('/readyz'))
  const kept = (folder: string) => existsSync(join(folder, 'sandbox.jsonl'))
  expect([kept(sandbox.dataDir), kept(worker.dataDir)]).toEqual([true, false])
  for (const { child, exited } of [worker, sandbox]) {
    child.kill('SIGTERM')
    expect(await exited).toBe(0)
  }
}, 60_000)

test('a worker that is told to end in the middle of its start ends in order', async () => {
  const worker = await startWorker()
  await until('it listens', () => worker.answers('/healthz'))
  worker.child.kill('SIGTERM')
  expect(await worker.exited).toBe(0)
  expect(worker.output()).not.toContain('could not stop in order')
}, 60_000)

test('a worker whose DATA_DIR cannot be made names it', async () => {
  const file = join(mkdtempSync(join(process.env['TEST_RUN_DIR']!, 'worker-')), 'file')
  writeFileSync(file, '')
  const worker = await startWorker({ DATA_DIR: join(file, 'data') })
  expect(await worker.exited).toBe(1)
  expect(worker.output()).toMatch(/DATA_DIR \S+ cannot be used: ENOTDIR\. The sandbox keeps its messages/)
}, 60_000)
