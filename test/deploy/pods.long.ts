import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from '@jest/globals'
import { parseAllDocuments } from 'yaml'
import { projectRoot } from '../../src/process/root.ts'
import { builtProgram } from '../support/program.ts'
import { testRows } from '../support/rows.ts'
import { type Service, runFolder, startService, until } from '../support/supervisor.ts'
import { testPort } from '../support/test-port.ts'

// The processes of the chart, each with the settings of its pod and no others: those that the chart renders, which
// `npm run test:charts` checks, and of the example overlay.

let service: Service
beforeAll(async () => {
  service = await startService({ processes: [] })
})
afterAll(() => service.stop())

const containerIn = (file: string, name: string): any =>
  parseAllDocuments(readFileSync(join(projectRoot, 'deploy/kustomize', file), 'utf8'))
    .flatMap((one) => one.toJS()?.spec?.template?.spec?.containers ?? [])
    .find((container) => container.name === name)

/** The Secret of docs/kubernetes.md. */
const secrets = (): Record<string, string> => ({
  DATABASE_URL: service.serviceUrl,
  SECRETS_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
  RESEND_API_KEY: 're_test',
})

testRows(['api', 'worker', 'sealer'])(
  'a pod gets ready with the settings that the chart gives it',
  async (name) => {
    const { command, env } = containerIn('base/gate.yaml', name)
    const { env: ofOverlay } = containerIn('overlays/example/settings.yaml', name)
    const given = [...env, ...ofOverlay].map(({ name: setting, value, valueFrom }: any) => [
      setting,
      value ?? secrets()[valueFrom.secretKeyRef.key],
    ])
    const port = await testPort()
    const [program, ...args] = command
    const child = spawn(program, args, {
      cwd: await builtProgram(runFolder()),
      env: {
        // Of the image.
        PATH: process.env['PATH'],
        NODE_ENV: 'production',
        ...Object.fromEntries(given.filter(([, value]) => value !== undefined)),
        // Of this machine.
        HOST: '127.0.0.1',
        DATA_DIR: mkdtempSync(join(runFolder(), `pod-${name}-`)),
        TEMPORAL_ADDRESS: service.temporalAddress,
        [name === 'api' ? 'PORT' : 'WORKER_PORT']: String(port),
        METRICS_PORT: '0',
        METRICS_HOST: '127.0.0.1',
        DRAIN_SECONDS: '0',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (output += part))
    const gone = once(child, 'exit')
    await until(`${name} is ready`, 60_000, async () => {
      if (child.exitCode !== null) throw new Error(`${name} ended (${child.exitCode}):\n${output}`)
      return (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.status === 200
    }).finally(() => child.kill('SIGTERM'))
    expect(await gone).toEqual([0, null])
  },
)
