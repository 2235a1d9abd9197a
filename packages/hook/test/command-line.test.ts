import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type FakeGate, allows, denyCanary, goodKey, startFakeGate } from './fake-gate.ts'
import { type Machine, exists, newMachine } from './machine.ts'
import { testRows } from '../../../test/support/rows.ts'

const program = fileURLToPath(new URL('../bin/gate-hook.js', import.meta.url))
let gate: FakeGate
let machine: Machine
beforeAll(async () => {
  gate = await startFakeGate()
})
afterAll(() => gate.close())
beforeEach(() => {
  gate.answers = denyCanary
  machine = newMachine()
})
afterEach(() => machine.remove())

function run(...argv: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [program, ...argv], { env: machine.env, cwd: machine.project })
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (data) => (stdout += data))
    child.stderr.on('data', (data) => (stderr += data))
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
}
const install = (...more: string[]) =>
  run('install', '--runner', 'codex', '--url', gate.url, '--key', goodKey, ...more)

test('installs, checks and uninstalls', async () => {
  const installed = await install()
  expect(installed).toMatchObject({ code: 0, stderr: '' })
  expect(installed.stdout).toMatch(/^blocks +canary +Denied by the gate and recorded as action 7$/m)
  expect(installed.stdout).toMatch(/^note +not blocked +Codex skips the hook until you trust it/m)
  expect(installed.stdout).not.toContain(goodKey)
  expect(await run('doctor', '--runner', 'codex')).toMatchObject({ code: 0 })
  expect(await run('uninstall', '--runner', 'codex')).toMatchObject({ code: 0 })
  expect(exists(machine.home, '.codex/hooks.json')).toBe(false)
  expect(await run('doctor', '--runner', 'codex')).toMatchObject({ code: 1, stdout: '' })
})

test('the doctor exits with 1 when something that must block does not', async () => {
  await install()
  gate.answers = allows
  const { code, stdout } = await run('doctor', '--runner', 'codex', '--json')
  expect(code).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({ runner: 'codex', version: '0.169.0', is_gating: false })
})

test('the key can come from the environment', async () => {
  machine.env['GATE_KEY'] = goodKey
  expect(await run('install', '--runner', 'codex', '--url', gate.url)).toMatchObject({ code: 0 })
})

test("a member's key alone is written for a hook of an administrator", async () => {
  machine.env['GATE_KEY'] = goodKey
  expect(await run('key', '--runner', 'codex')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/codex\.key/),
  })
  expect(exists(machine.home, '.config/qualification-gate/codex.key')).toBe(true)
  expect(await run('doctor', '--managed', '--runner', 'codex')).toMatchObject({ code: 1 })
})

test('the files of an administrator are printed, or written where there are none', async () => {
  const args = ['install', '--managed', '--runner', 'codex', '--url', gate.url]
  expect((await run(...args)).stdout).toMatch(
    /^# \/etc\/codex\/requirements\.toml \(owner root, mode 0644\)$/m,
  )
  expect(await run(...args, '--out', 'managed')).toMatchObject({ code: 0 })
  expect(exists(machine.project, 'managed/requirements.toml')).toBe(true)
  expect(await run(...args, '--out', 'managed')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/exists/),
  })
})

testRows<[string, string[], RegExp]>([
  ['no command', [], /name a command/],
  ['an unknown command', ['remove'], /unknown command remove/],
  ['no runner', ['doctor'], /--runner is required/],
  ['no address', ['install', '--runner', 'codex'], /--url is required/],
  ['no key', ['install', '--runner', 'codex', '--url', 'https://gate.example.com'], /--key is required/],
  ['an unknown option', ['doctor', '--all'], /--all/],
  ['a word too much', ['doctor', 'now'], /unexpected argument now/],
])('wrong usage is exit 2 with the usage', async (_, argv, message) => {
  const { code, stderr } = await run(...argv)
  expect(code).toBe(2)
  expect(stderr).toMatch(message)
  expect(stderr).toMatch(/Usage: npx --no qualification-gate-hook install/)
})

test('help is exit 0', async () => {
  expect(await run('--help')).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Usage: npx --no qualification-gate-hook/),
  })
})
