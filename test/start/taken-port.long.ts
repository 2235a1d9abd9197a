import { expect, test } from '@jest/globals'
import { spawnSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { pino } from 'pino'
import { startApi } from '../../src/api.ts'
import { readConfig } from '../../src/config.ts'
import { makeDeps } from '../../src/deps.ts'
import { builtProgram } from '../support/program.ts'

test('a worker whose port is taken ends with WORKER_PORT named', async () => {
  const program = await builtProgram(process.env['TEST_RUN_DIR']!)
  const holder = createServer().listen(0, '127.0.0.1')
  await once(holder, 'listening')
  const dataDir = join(process.env['TEST_RUN_DIR']!, 'taken-port')
  mkdirSync(dataDir)
  const { port } = holder.address() as AddressInfo
  const done = spawnSync(process.execPath, [join(program, 'dist', 'src', 'worker.js')], {
    env: {
      PATH: process.env['PATH'] ?? '',
      WORKER_PORT: String(port),
      SANDBOX_PORT: '0',
      DATABASE_URL: process.env['TEST_PG_SERVICE_URL'],
      DATA_DIR: dataDir,
      LOG_LEVEL: 'silent',
    },
    encoding: 'utf8',
    timeout: 30_000,
  })
  holder.close()
  expect([done.status, done.stderr]).toEqual([
    1,
    `WORKER_PORT ${port} on 127.0.0.1 is in use. Stop the process that uses it, or set WORKER_PORT (WORKER_PORT=0 takes any free one).\n`,
  ])
}, 60_000)

test.each([
  ['true', true],
  ['1', false],
  ['127.0.0.1', false],
  ['', false],
])('an API with TRUST_PROXY=%s warns at its start that any address is believed: %s', async (value, warns) => {
  const logged: string[] = []
  const log = pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) })
  const deps = makeDeps(
    readConfig({
      PORT: '0',
      DATABASE_URL: process.env['TEST_PG_SERVICE_URL'],
      TRUST_PROXY: value,
      SANDBOX: '1',
    }),
    { sandboxUrl: 'http://127.0.0.1:1', log },
  )
  const api = await startApi(deps)
  await api.stop()
  await deps.close()
  expect(logged.some((line) => line.includes('TRUST_PROXY=true accepts any'))).toBe(warns)
})
