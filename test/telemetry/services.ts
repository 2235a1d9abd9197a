import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../../dev/embedded/free-port.ts'
import type { TestDatabase } from '../support/database.ts'
import { builtProgram } from '../support/program.ts'
import { until } from '../support/until.ts'

export interface Service {
  /** Of the API, or of the health of the others. */
  url: string
  metricsPort: number
  child: ChildProcess
  stop(): Promise<void>
}

/** A process as it is deployed, with metrics, on the database and the Temporal of the tests. */
export async function startService(
  name: 'api' | 'worker' | 'sealer',
  { database, env = {} }: { database: TestDatabase; env?: Record<string, string> },
): Promise<Service> {
  const program = await builtProgram(process.env['TEST_RUN_DIR']!)
  const [port, metricsPort] = [await freePort(), await freePort()]
  const child = spawn(process.execPath, [join(program, 'dist', 'src', `${name}.js`)], {
    env: {
      PATH: process.env['PATH'] ?? '',
      DATABASE_URL: database.serviceUrl,
      TEMPORAL_ADDRESS: process.env['TEST_TEMPORAL_ADDRESS']!,
      DATA_DIR: mkdtempSync(join(process.env['TEST_RUN_DIR']!, `${name}-`)),
      [name === 'api' ? 'PORT' : 'WORKER_PORT']: String(port),
      METRICS_PORT: String(metricsPort),
      SANDBOX_PORT: '0',
      PREVIEW_PORT: '0',
      LOG_LEVEL: 'warn',
      ...env,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const url = `http://127.0.0.1:${port}`
  await until(`the ${name} is ready`, () =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  return {
    url,
    metricsPort,
    child,
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}
