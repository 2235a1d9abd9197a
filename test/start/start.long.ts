import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, statSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, expect, test } from '@jest/globals'
import { readConfig } from '../../src/config.ts'
import { apiClient } from '../support/api-client.ts'
import { freshDatabase } from '../support/database.ts'
import { until } from '../support/supervisor.ts'
import {
  type Started,
  gateVerb,
  interruptedStart,
  processesOf,
  reset,
  start,
  startInVain,
} from './started.ts'

let running: Started | undefined
afterEach(async () => {
  await running?.end('SIGTERM')
  running = undefined
}, 60_000)

const started = async (dataDir: string, env?: Record<string, string>) => (running = await start(dataDir, env))

test('the first start ends in a banner whose lines work as they are pasted, and Ctrl-C leaves no process', async () => {
  const dataDir = freshFolder()
  const { output, demo, baseUrl, end } = await started(dataDir)
  expect(output()).toContain(`claude mcp add --scope user --transport http gate ${baseUrl}/api/mcp`)
  expect(output()).toContain('SANDBOX: nothing is delivered and no money moves')
  // This goes to a pipe, as it would to a file.
  expect(output()).not.toContain(demo.api_key)
  expect(output()).toMatch(/Temporal UI +http:\/\/127\.0\.0\.1:\d+/)
  const key = expect.stringMatching(/^qgk_[0-9A-Za-z]{38}$/)
  expect(demo).toMatchObject({ base_url: baseUrl, api_key: key, propose_key: key, runner_key: key })
  expect(statSync(join(dataDir, 'demo.json')).mode & 0o777).toBe(0o600)
  expect(statSync(join(dataDir, 'run.json')).mode & 0o777).toBe(0o600)
  expect(statSync(join(dataDir, 'secrets.json')).mode & 0o777).toBe(0o600)

  expect(demo.console_url).toBe(`${baseUrl}/console`)
  expect(output()).toContain(`Console           ${demo.console_url}`)
  const line = /npm run -s gate -- (admin invite --account \S+ --email \S+)/.exec(output())![1]!
  const { sign_in_url: link } = await gateVerb(dataDir, `${line} --json`)
  const style = /href="(\/console\/style-\w+\.css)"/.exec(await (await fetch(link)).text())![1]!
  expect((await fetch(`${baseUrl}${style}`)).status).toBe(200)
  const signedIn = await fetch(link, { method: 'POST', redirect: 'manual' })
  expect([signedIn.status, signedIn.headers.get('location')]).toEqual([303, '/console/policies/preset'])

  const [check, proposal, executed] = paste(output())
  expect(check).toMatchObject({ tier: 'guarded_write', certified: true })
  expect(proposal).toMatchObject({ id: 2, status: 'proposed', blast_radius: { unreachable: 1 } })
  expect(executed).toMatchObject({ id: 2, status: 'executed', result: { outcome: 'done', sandbox: true } })
  const inbox = await fetch(demo.sandbox_url, { headers: { accept: 'application/json' } })
  expect(((await inbox.json()) as { messages: unknown[] }).messages.length).toBeGreaterThan(0)

  expect(processesOf(dataDir).length).toBeGreaterThanOrEqual(2)
  expect(await end('SIGINT')).toBe(0)
  expect(processesOf(dataDir)).toEqual([])
  expect(existsSync(join(dataDir, 'run.json'))).toBe(false)
}, 120_000)

test('a second start keeps everything, one after a SIGKILL cleans up first, and reset erases all of it', async () => {
  const dataDir = freshFolder()
  const first = await started(dataDir)
  const actor = { email: first.demo.members.find((member) => member.tier !== 'read_only')!.email! }
  const client = () => apiClient(running!.baseUrl, running!.demo.api_key)
  const proposed = await client().propose(actor, 'Open over a restart.')
  const other = await client().propose(actor, 'Open over a kill.')
  expect([proposed.status, other.status]).toEqual([201, 201])
  await first.end('SIGINT')

  const second = await started(dataDir)
  expect([second.demo.api_key, second.demo.account_id]).toEqual([first.demo.api_key, first.demo.account_id])
  expect(second.output()).not.toContain('migrating:')
  expect((await client().get(proposed.body.id)).body).toEqual(proposed.body)
  expect((await client().confirm(proposed.body.id, actor)).body.status).toBe('executed')
  expect((await startInVain(dataDir, {})).errors).toContain('is already running on')
  await second.end('SIGKILL')
  expect(processesOf(dataDir).length).toBeGreaterThanOrEqual(2)

  const third = await started(dataDir)
  expect(third.output()).toContain('an earlier start left running')
  expect(processesOf(dataDir).filter((command) => command.includes(' server start-dev '))).toHaveLength(1)
  expect((await client().confirm(other.body.id, actor)).body.status).toBe('executed')
  expect((await client().list()).body.actions.map((row: { status: string }) => row.status)).toEqual([
    'executed',
    'executed',
  ])
  const inVain = await reset(dataDir)
  expect([inVain.code, inVain.output]).toEqual([1, expect.stringContaining('is already running on')])
  expect(await third.end('SIGTERM')).toBe(0)
  running = undefined

  expect((await reset(dataDir)).code).toBe(0)
  expect(existsSync(dataDir)).toBe(false)
  expect(processesOf(dataDir)).toEqual([])
}, 180_000)

test('Ctrl-C in the middle of a start leaves no process', async () => {
  const dataDir = freshFolder()
  const { code, errors } = await interruptedStart(dataDir, 'migrating: ')
  expect([code, errors]).toEqual([0, ''])
  expect(processesOf(dataDir)).toEqual([])
  expect(existsSync(join(dataDir, 'run.json'))).toBe(false)
}, 60_000)

test('a taken port ends the start with an error that names PORT, before anything is started', async () => {
  const dataDir = freshFolder()
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const { code, errors } = await startInVain(dataDir, { PORT: String(port) })
  other.close()
  expect(code).toBe(1)
  expect(errors).toMatch(new RegExp(`^PORT ${port} .* is in use\\. `))
  expect(existsSync(join(dataDir, 'postgres'))).toBe(false)
}, 30_000)

const malformed: [Record<string, string>, string][] = [
  [{ PORT: 'eighty' }, 'PORT'],
  [{ CONFIRM_WAIT_MS: '-1' }, 'CONFIRM_WAIT_MS'],
  [{ CONFIRM_SIGNAL_MS: '0' }, 'CONFIRM_SIGNAL_MS'],
  [{ DATABASE_URL: 'mysql://gate:hush@db/gate' }, 'DATABASE_URL'],
  [{ TOOLS: 'gate,guns' }, 'TOOLS'],
  [{ RESEND_API_KEY: 're_hush' }, 'MAIL_FROM'],
]

test.each(malformed)('a malformed environment %j is refused with %s named and no value told', (env, name) => {
  expect(() => readConfig(env)).toThrow(new RegExp(`^(?!.*(hush|guns|eighty)).* ${name}\\b`))
})

test('a malformed environment ends the start, with each variable named and no value told', async () => {
  // That MAIL_FROM is missing is only looked at where the others are well-formed.
  const together = malformed.slice(0, -1)
  const { code, errors } = await startInVain(
    freshFolder(),
    Object.assign({}, ...together.map(([env]) => env)),
  )
  expect(code).toBe(1)
  for (const [, name] of together) expect(errors).toContain(name)
  expect(errors).not.toMatch(/hush|guns|eighty/)
}, 60_000)

test('with DATABASE_URL set a start neither migrates nor seeds', async () => {
  const dataDir = freshFolder()
  const database = await freshDatabase()
  const { output, baseUrl, end } = await started(dataDir, { DATABASE_URL: database.serviceUrl })
  expect(output()).not.toMatch(/migrating:|PostgreSQL: starting|KEY=/)
  await until('it is ready', 60_000, async () => (await fetch(`${baseUrl}/readyz`)).status === 200)
  expect(await database.asSuperuser('select 1 from gate_private.account_directory')).toEqual([])
  expect(existsSync(join(dataDir, 'demo.json'))).toBe(false)
  expect(await end('SIGINT')).toBe(0)
  running = undefined
  await database.drop()
}, 120_000)

function freshFolder(): string {
  const made = mkdtempSync(join(process.env['TEST_RUN_DIR']!, 'start-'))
  chmodSync(made, 0o711)
  return made
}

/** Runs the banner's lines in bash, as a person would. @returns what each curl answered */
function paste(output: string): any[] {
  const lines = output.split('\n')
  const from = lines.findIndex((line) => line.trimStart().startsWith('KEY='))
  const to = lines.findIndex((line) => line.includes('To connect an agent:'))
  const done = spawnSync('bash', ['-c', lines.slice(from, to).join('\n')], { encoding: 'utf8' })
  expect([done.status, done.stderr]).toEqual([0, ''])
  return done.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}
