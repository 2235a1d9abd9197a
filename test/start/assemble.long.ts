import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { projectRoot } from '../../src/process/root.ts'
import { builtProgram } from '../support/program.ts'
import { type Service, startService } from '../support/supervisor.ts'
import { until } from '../support/until.ts'
import { type Collector, startCollector } from '../telemetry/collector.ts'

// The files of the image: assembled, and then started in place of the program of the tests.

const filesOfDev = readdirSync(join(projectRoot, 'dev'), { recursive: true, encoding: 'utf8' }).filter(
  (name) => name.endsWith('.ts'),
)

let tree: string
let folder: string
let service: Service
let collector: Collector
beforeAll(async () => {
  const runDir = process.env['TEST_RUN_DIR']!
  tree = mkdtempSync(join(runDir, 'tree-'))
  cpSync(join(projectRoot, 'bin'), join(tree, 'bin'), { recursive: true })
  for (const name of ['package.json', 'LICENSE', 'packages', 'src', 'node_modules'])
    symlinkSync(join(projectRoot, name), join(tree, name))
  symlinkSync(join(await builtProgram(runDir), 'dist'), join(tree, 'dist'))
  folder = join(runDir, 'assembled')
  collector = await startCollector()
  execFileSync(process.execPath, [join(tree, 'bin/assemble.js'), folder])
  service = await startService({
    program: folder,
    isSandbox: true,
    processes: ['api', 'worker'],
    env: { CONFIRM_SIGNAL_MS: '10000', METRICS_PORT: '0', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
  })
}, 180_000)
afterAll(async () => {
  await service?.stop()
  await collector.stop()
}, 60_000)

test('a broadcast is proposed, confirmed and delivered by the API and the worker', async () => {
  const { api, addMember } = await service.account()
  const sender = { email: (await addMember({ email: 'ada@example.com', tier: 'guarded_write' })).email }
  const proposed = await api.propose(sender, 'From the image.')
  expect((await api.confirm(proposed.body.id, sender)).body).toMatchObject({ status: 'executed' })
  expect(service.sandbox.messages().length).toBeGreaterThan(0)
  await until('its trace arrives, of the API and of workflows', async () => {
    const names = collector.spans.map(({ name }) => name)
    return ['confirm_action', 'RunWorkflow:proposal', 'call email'].every((name) => names.includes(name))
  })
}, 120_000)

test('the command line and the hook run there', () => {
  const gate = (...args: string[]) =>
    spawnSync(process.execPath, [join(folder, 'bin/gate.js'), ...args], { encoding: 'utf8' })
  expect(gate('--help')).toMatchObject({ status: 0, stderr: '' })
  expect(gate('hook', 'doctor', '--help')).toMatchObject({ status: 0, stderr: '' })
}, 60_000)

test('the assembled folder has nothing of dev: the API and the worker say so where the stand-ins are asked for', () => {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const ofDev = filesOfDev.map((file) => file.replace(/\.ts$/, ''))
  expect(ofDev).toContain('sandbox/sandbox')
  expect(names.filter((name) => ofDev.some((file) => name.includes(`dev/${file}`)))).toEqual([])
  expect(readdirSync(join(folder, 'dist')).toSorted()).toEqual([
    'activities',
    'src',
    'traced-workflow-bundle.js',
    'workflow-bundle.js',
    'workflows',
  ])
  for (const name of ['api', 'worker']) {
    const done = spawnSync(process.execPath, [join(folder, 'dist/src', `${name}.js`)], {
      encoding: 'utf8',
      env: { NODE_ENV: 'production', SANDBOX: '1', DATABASE_URL: 'postgres://localhost:1/gate' },
    })
    expect([done.status, done.stderr]).toEqual([
      1,
      expect.stringMatching(
        /^SANDBOX is on, but this installation does not contain the simulated providers\./,
      ),
    ])
  }
}, 60_000)

test('there is no compiler, no source, no type, and one native library of Temporal', () => {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  expect(names.filter((name) => /\.ts$|\.map$|tsconfig/.test(name))).toEqual([])
  expect(existsSync(join(folder, 'node_modules/typescript'))).toBe(false)
  expect(names.filter((name) => name.endsWith('.node'))).toEqual([
    expect.stringContaining('@temporalio/core-bridge/releases/'),
  ])
})

test('the production folder is written into an empty folder alone', () => {
  const taken = join(tree, 'taken')
  mkdirSync(taken)
  writeFileSync(join(taken, 'mine.txt'), '')
  const done = spawnSync(process.execPath, [join(tree, 'bin/assemble.js'), taken], { encoding: 'utf8' })
  expect([done.status, readdirSync(taken)]).toEqual([2, ['mine.txt']])
})
