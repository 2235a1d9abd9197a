import { chmodSync, existsSync, mkdirSync, mkdtempSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { type Started, gateVerb, start } from '../start/started.ts'
import { type ApiClient, apiClient } from '../support/api-client.ts'
import { type DrivenHome, makeHome, run } from '../support/runner-run.ts'
import { until } from '../support/until.ts'

// What a person does on the first day: `npm start`, `gate hook install --runner claude`, and Claude Code at work.

let dataDir: string
let demo: Started
let client: ApiClient
let home: DrivenHome
let build: string
beforeAll(async () => {
  dataDir = mkdtempSync(join(process.env['TEST_RUN_DIR']!, 'demo-'))
  // PostgreSQL runs as another user where this one is root.
  chmodSync(dataDir, 0o711)
  demo = await start(dataDir)
  client = apiClient(demo.baseUrl, demo.demo.api_key)
})
afterAll(() => demo?.end('SIGTERM'))
beforeEach(async () => {
  home = await makeHome('claude', { command: 'rm -rf build', times: 2 })
  build = join(home.work, 'build')
  makeBuild()
})
afterEach(() => home.close())

const makeBuild = () => mkdirSync(join(build, 'assets'), { recursive: true })

/** Installs the hook as the documentation says, with its canary. Claude Code itself allows every command. */
async function installed(key: string): Promise<void> {
  const { HOME, PATH } = { HOME: home.home, PATH: `${dirname(home.program)}:${home.env['PATH']}` }
  const line = `hook install --runner claude --url ${demo.baseUrl} --key ${key} --json`
  const { is_gating: isGating, findings } = await gateVerb(dataDir, line, { HOME, PATH })
  expect([isGating, findings]).toEqual([
    true,
    expect.arrayContaining([expect.objectContaining({ check: 'canary', verdict: 'blocks' })]),
  ])
}

/** The rows of `rm -rf build` of this session, oldest first: of no canary, and of no other test. */
const rowsAfter = async (id: number): Promise<any[]> =>
  (await client.list({ kind: 'runner_tool', order: 'desc' })).body.actions
    .filter((row: any) => row.id > id && row.payload.tool === 'Bash')
    .toReversed()

const newest = async (): Promise<number> =>
  (await client.list({ kind: 'runner_tool', order: 'desc', limit: '1' })).body.actions[0].id

/** Waits until a request to decide is in the Slack of Grace, and presses a button of it. */
async function press(action: number, button: 'gate_approve' | 'gate_decline'): Promise<void> {
  const message = await until(`the request about action ${action} is in Slack`, async () => {
    const inbox = await fetch(new URL('/?mailbox=U0GRACE', demo.demo.sandbox_url), {
      headers: { accept: 'application/json' },
    })
    const { messages } = (await inbox.json()) as { messages: { id: string; action?: number }[] }
    return messages.find((one) => one.action === action)
  })
  await fetch(new URL('/slack/press', demo.demo.sandbox_url), {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ message: message.id, action: button }),
  })
}

const verified = async () =>
  (await gateVerb(dataDir, `ledger verify --account ${demo.demo.account_id} --json`)).ok

test('without the hook, `rm -rf build` runs', async () => {
  await run(home)
  expect(existsSync(build)).toBe(false)
})

test('`rm -rf build` that the member approves in Slack runs once, and one that they decline does not run and is on the ledger', async () => {
  await installed(demo.demo.runner_key)
  const before = await newest()
  const running = run(home)
  const first = await until('the member is asked', async () => (await rowsAfter(before))[0])
  expect(existsSync(build)).toBe(true)
  await press(first.id, 'gate_approve')
  await until('the command ran', async () => !existsSync(build))

  // The model asks for it again: the approval is used up.
  makeBuild()
  const second = await until('the member is asked again', async () => (await rowsAfter(before))[1])
  await press(second.id, 'gate_decline')
  await running
  expect(existsSync(build)).toBe(true)
  expect(home.models.told.at(-1)).toMatch(/declined this call/)
  expect(await rowsAfter(before)).toMatchObject([
    { id: first.id, status: 'executed' },
    { id: second.id, status: 'cancelled', closed_reason: 'member_declined' },
  ])
  expect(await verified()).toBe(true)
})

test('`rm -rf build` of a member who may only read does not run, and is denied on the ledger', async () => {
  const member = 'edsger@example.com'
  const mint = `key mint --account ${demo.demo.account_id} --runner --actor ${member} --label laptop --json`
  await installed((await gateVerb(dataDir, mint)).api_key)
  const before = await newest()
  await run(home)
  expect(existsSync(build)).toBe(true)
  const denied = { status: 'denied', denial_code: 'tier_insufficient', needed_tier: 'guarded_write' }
  expect(await rowsAfter(before)).toMatchObject([denied, denied])
  expect(home.models.told.at(-1)).toContain('guarded_write')
  expect(await verified()).toBe(true)
})

test('with the gate stopped, `rm -rf build` does not run', async () => {
  await installed(demo.demo.runner_key)
  expect(await demo.end('SIGTERM')).toBe(0)
  await run(home)
  expect(existsSync(build)).toBe(true)
  // The first words, and the result of both calls.
  expect(home.models.told.length).toBeGreaterThanOrEqual(3)
})
