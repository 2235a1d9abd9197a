import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { spawn } from 'node:child_process'
import { chmodSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type Env, type Runner, install } from '../lib/index.js'
import { type FakeGate, goodKey, otherAnswers, startFakeGate } from './fake-gate.ts'
import { type Machine, newMachine } from './machine.ts'
import { testRows } from '../../../test/support/rows.ts'

const call = JSON.stringify({
  hook_event_name: 'PreToolUse',
  tool_name: 'Bash',
  tool_input: { command: 'ls' },
})
let gate: FakeGate
let machine: Machine
beforeAll(async () => {
  gate = await startFakeGate()
})
afterAll(() => gate.close())
const setUp = async () => {
  machine = newMachine()
  gate.hits.length = 0
  await install(machine.options('codex', gate.url))
}
beforeEach(setUp)
const tearDown = () => machine.remove()
afterEach(tearDown)

interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

/** Runs the command that stands in the settings, as a runner does. */
function runEntry(event: string, env: Env = {}, input = call): Promise<Ended> {
  const { hooks } = JSON.parse(machine.read('.codex/hooks.json'))
  return runCommand(hooks[event][0].hooks[0].command, env, input)
}

function runCommand(command: string, env: Env, input = call): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', command], { env: { ...machine.env, ...env } })
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (data) => (stdout += data))
    child.stderr.on('data', (data) => (stderr += data))
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
}

const expectBlocked = ({ code, stdout, stderr }: Ended) => {
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(/^gate: .*\S.*\n/)
}

/** The shell may have said something before. */
const expectBlockedSomehow = ({ code, stdout, stderr }: Ended) => {
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toMatch(/gate: /)
}

describe('the script', () => {
  test('allows on the exact answer, and sends what the runner sent', async () => {
    gate.answers = (_, response) => response.end('allow')
    expect(await runEntry('PreToolUse')).toEqual({ code: 0, stdout: '', stderr: '' })
    const [{ path, query, headers, body }] = gate.hits as [FakeGate['hits'][0]]
    expect(path).toBe('/api/v1/runner/tool-calls')
    expect(Object.fromEntries(query)).toEqual({ runner: 'codex', as: 'text', wait: '50', version: '0.169.0' })
    expect(headers).toMatchObject({ authorization: `Bearer ${goodKey}`, 'content-type': 'application/json' })
    expect(body).toBe(call)
  })

  test('is found by the entry of a project, which is the same for every member', async () => {
    gate.answers = (_, response) => response.end('allow')
    await install({ ...machine.options('gemini', gate.url), scope: 'project', dir: machine.project })
    const { hooks } = JSON.parse(machine.read('../project/.gemini/settings.json'))
    const { command } = hooks.BeforeTool[0].hooks[0]
    expect(await runCommand(command, {})).toMatchObject({ code: 0 })
    const other = newMachine()
    expectBlockedSomehow(await runCommand(command, other.env))
    other.remove()
  })

  test('sends a call of a megabyte whole', async () => {
    gate.answers = (_, response) => response.end('allow')
    const input = JSON.stringify({ tool_input: { text: 'ä'.repeat(500_000) } })
    expect(await runEntry('PreToolUse', {}, input)).toMatchObject({ code: 0 })
    expect(gate.hits[0]!.body === input).toBe(true)
  })

  test.each<[Runner, string]>([
    ['cursor', '{"permission":"allow"}'],
    ['claude', '{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"allow"}}'],
  ])('tells %s that the call is allowed', async (runner, answer) => {
    await install(machine.options(runner, gate.url))
    gate.answers = (_, response) => response.end('allow')
    const script = join(machine.home, '.config/qualification-gate/gate-hook.sh')
    const { stdout, code } = await runCommand(`"${script}" ${runner}`, {})
    expect([code, stdout]).toEqual([0, `${answer}\n`])
  })

  test('says the reason of the gate when it denies', async () => {
    gate.answers = (_, response) => response.end('Waiting for consent, action 7: call again unchanged.')
    const ended = await runEntry('PreToolUse')
    expectBlocked(ended)
    expect(ended.stderr).toMatch(/^gate: Waiting for consent, action 7: call again unchanged\.\n/)
  })

  testRows(otherAnswers, [tearDown, setUp])(
    'blocks on every answer but the one that allows',
    async (_, answer) => {
      gate.answers = answer
      expectBlocked(await runEntry('PreToolUse', { GATE_HOOK_SECONDS: '1' }))
    },
  )

  test('does not follow a redirect', async () => {
    gate.answers = (_, response) => response.writeHead(302, { location: '/elsewhere' }).end()
    machine.write('.curlrc', 'location\n')
    expectBlocked(await runEntry('PreToolUse'))
    expect(gate.hits).toHaveLength(1)
  })

  test('takes no control characters of an answer into the terminal', async () => {
    gate.answers = (_, response) => response.end('no \u001b[2J\u0007 way')
    const { stderr } = await runEntry('PreToolUse')
    expect(stderr).toContain('no  [2J  way')
  })

  testRows<[string, () => Env | void]>(
    [
      [
        'nothing listens',
        () =>
          machine.write('.config/qualification-gate/codex.env', envWith('http://127.0.0.1:1')) && undefined,
      ],
      ['its settings are gone', () => rmSync(join(machine.home, '.config/qualification-gate/codex.env'))],
      ['its settings are empty', () => void machine.write('.config/qualification-gate/codex.env', '')],
      [
        'its settings have no key',
        () => void machine.write('.config/qualification-gate/codex.env', `GATE_URL=${gate.url}\n`),
      ],
      ['it is gone', () => rmSync(join(machine.home, '.config/qualification-gate/gate-hook.sh'))],
      [
        'it may not be run',
        () => chmodSync(join(machine.home, '.config/qualification-gate/gate-hook.sh'), 0o600),
      ],
      [
        'it is empty and fails',
        () => void machine.write('.config/qualification-gate/gate-hook.sh', '#!/bin/sh\nexit 3\n', 0o700),
      ],
      [
        'it is killed',
        () => void machine.write('.config/qualification-gate/gate-hook.sh', '#!/bin/sh\nkill -9 $$\n', 0o700),
      ],
      ['curl is missing', () => ({ PATH: toolsWithoutCurl() })],
      [
        'curl fails after it printed the answer',
        () => {
          machine.write('tools/curl', "#!/bin/sh\nprintf 'allow\\n200 5'\nexit 28\n", 0o755)
          return { PATH: `${join(machine.home, 'tools')}:${machine.env['PATH']}` }
        },
      ],
      ['there is no program at all', () => ({ PATH: '/nonexistent' })],
    ],
    [tearDown, setUp],
  )('blocks when it cannot ask', async (_, prepare) => {
    gate.answers = (_, response) => response.end('allow')
    const env = prepare() ?? {}
    expectBlockedSomehow(await runEntry('PreToolUse', env))
  })

  test('the time it may take can be shortened, and not lengthened', async () => {
    const settings = envWith(gate.url).replace(/GATE_SECONDS=\d+/, 'GATE_SECONDS=9')
    machine.write('.config/qualification-gate/codex.env', settings)
    machine.write('tools/curl', '#!/bin/sh\nprintf "%s\\n" "$@" >"$HOME/arguments"\nexit 28\n', 0o755)
    const secondsOf = async (GATE_HOOK_SECONDS: string) => {
      const PATH = `${join(machine.home, 'tools')}:${machine.env['PATH']}`
      expectBlocked(await runEntry('PreToolUse', { PATH, GATE_HOOK_SECONDS }))
      return /^-m\n(.*)$/m.exec(machine.read('arguments'))![1]
    }
    expect(await secondsOf('8')).toBe('8')
    for (const longer of ['10', '600', 'long', '0', '-1'])
      expect([longer, await secondsOf(longer)]).toEqual([longer, '9'])
  })

  test('blocks once its time is over', async () => {
    gate.answers = () => undefined
    expectBlocked(await runEntry('PreToolUse', { GATE_HOOK_SECONDS: '1' }))
  })

  test('shows the key to no other user: it is in no argument', async () => {
    const tools = join(machine.home, 'tools')
    mkdirSync(tools)
    machine.write('tools/curl', '#!/bin/sh\nprintf "%s\\n" "$@" >"$HOME/arguments"\nexit 7\n', 0o755)
    expectBlocked(await runEntry('PreToolUse', { PATH: `${tools}:${machine.env['PATH']}` }))
    expect(machine.read('arguments')).toContain('/api/v1/runner/tool-calls')
    expect(machine.read('arguments')).not.toContain(goodKey)
  })
})

describe('the script of outcomes', () => {
  test('reports what ran', async () => {
    gate.answers = (_, response) => response.end('ok')
    expect(await runEntry('PostToolUse')).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(gate.hits[0]).toMatchObject({ path: '/api/v1/runner/outcomes', body: call })
    expect(Object.fromEntries(gate.hits[0]!.query)).toEqual({ runner: 'codex', as: 'text' })
  })

  test.each<[string, () => void]>([
    ['the gate fails', () => (gate.answers = (_, response) => response.writeHead(500).end())],
    ['its settings are gone', () => rmSync(join(machine.home, '.config/qualification-gate/codex.env'))],
    ['it is gone', () => rmSync(join(machine.home, '.config/qualification-gate/gate-outcome.sh'))],
  ])('blocks nothing when %s', async (_, prepare) => {
    prepare()
    expect(await runEntry('PostToolUse')).toMatchObject({ code: 0, stdout: '' })
  })
})

const envWith = (url: string) =>
  machine.read('.config/qualification-gate/codex.env').replace(/^GATE_URL=.*$/m, `GATE_URL=${url}`)

/** A PATH with what the script needs, but for curl. */
function toolsWithoutCurl(): string {
  const folder = join(machine.home, 'tools')
  mkdirSync(folder)
  for (const tool of ['sh', 'tr', 'cat']) symlinkSync(`/usr/bin/${tool}`, join(folder, tool))
  return folder
}
