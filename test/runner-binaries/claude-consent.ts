import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { askingScene } from '../support/asking-client.ts'
import { askedInSlack, pressInSandbox } from '../support/consent.ts'
import { ringOf } from '../support/connect.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { type McpWire, startMcpWire } from '../support/mcp-wire.ts'
import { type DrivenHome, endGroup, makeHome, run } from '../support/runner-run.ts'
import { until } from '../support/until.ts'

// Claude Code asks the gate for something that its member decides.

let gate: TestGate
let wire: McpWire
let home: DrivenHome
beforeAll(async () => {
  gate = await startGate({ env: { SECRETS_KEYS: ringOf('k1') } })
})
afterAll(() => gate.stop())
beforeEach(async () => {
  wire = await startMcpWire(() => gate.api.url)
})
afterEach(async () => {
  await home.close()
  await wire.close()
})

async function connected() {
  const one = await askingScene(gate, 'chat')
  const name = 'mcp__gate__confirm_action'
  home = await makeHome('claude', { command: { name, input: one.args }, times: 1 })
  const { env, program, work } = home
  Object.assign(env, { ENABLE_TOOL_SEARCH: 'false', MCP_CONNECTION_NONBLOCKING: '0' })
  await promisify(execFile)(
    program,
    [
      'mcp',
      'add',
      '--transport',
      'http',
      'gate',
      wire.url,
      '--header',
      `Authorization: Bearer ${one.client.key}`,
    ],
    { env, cwd: work },
  )
  return { ...one, name }
}

/** What the client said that it can do, in the call of the tool. */
const declared = () =>
  wire.sent.find(({ message }) => message?.method === 'tools/call')!.message.params._meta[
    'io.modelcontextprotocol/clientCapabilities'
  ]

test('without a terminal it takes no task, and closes each question: its model is told where the member is asked', async () => {
  const { name } = await connected()
  await run(home, '--allowedTools', name)
  expect(declared()).toEqual({ roots: expect.anything(), elicitation: { form: {}, url: {} } })
  expect(wire.sent.at(-1)!.message.params.inputResponses).toEqual({ consent: { action: 'cancel' } })
  expect(home.models.told.at(-1)).toContain('consent_request')
})

test('at a terminal the call goes to the background as a task, and its model is told of the decision', async () => {
  const { name, member } = await connected()
  const terminal = await atTerminal(`--permission-mode default --allowedTools ${name}`)
  try {
    await until('its tools are listed', async () => wire.seen.some((one) => one.startsWith('tools/list')))
    await terminal.enter('go')
    const { message } = await askedInSlack(gate, member.slack!)
    await until('the task is polled', async () => polls() >= 2, 60_000)
    expect(home.models.told.at(-1)).toContain('moved to the background')
    await pressInSandbox(gate, message)
    await until('the model is told', async () => lastTold().includes('<status>completed</status>'), 90_000)
    expect(lastTold()).toContain('"status":"executed"')
    expect(declared().extensions).toEqual({ 'io.modelcontextprotocol/tasks': {} })
    expect(wire.seen.filter((one) => one.startsWith('tools/call'))).toHaveLength(1)
  } finally {
    await terminal.end()
  }
})

const polls = () => wire.seen.filter((one) => one.startsWith('tasks/get')).length
const lastTold = () => home.models.told.at(-1)!.replaceAll('\\', '')

/** Claude Code as a person has it, who trusted the folder and the key before. */
async function atTerminal(options: string) {
  const { home: folder, work, env, program } = home
  const path = join(folder, '.claude.json')
  const known = JSON.parse(readFileSync(path, 'utf8'))
  const trusted = { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true }
  const state = {
    ...known,
    hasCompletedOnboarding: true,
    theme: 'dark',
    projects: { [work]: { ...known.projects?.[work], ...trusted } },
    customApiKeyResponses: { approved: [env['ANTHROPIC_API_KEY']], rejected: [] },
  }
  writeFileSync(path, JSON.stringify(state))
  const pidFile = join(folder, 'pid')
  const command = `echo $$ > ${pidFile}; stty cols 120 rows 40; exec nice -n 10 ${program} ${options}`
  const child = spawn('script', ['-qfec', command, '/dev/null'], {
    cwd: work,
    env: { ...env, SHELL: '/bin/sh' },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const ended = once(child, 'close')
  let shown = ''
  child.stdout.on('data', (bytes: Buffer) => (shown += bytes.toString()))
  const shows = (text: string) =>
    until(`the terminal shows ${text}`, async () => shown.includes(text), 60_000)
  return {
    async enter(text: string) {
      await shows('? for shortcuts')
      shown = ''
      child.stdin.write(text)
      await shows(text)
      child.stdin.write('\r')
    },
    async end() {
      endGroup(Number(readFileSync(pidFile, 'utf8')))
      await ended
    },
  }
}
