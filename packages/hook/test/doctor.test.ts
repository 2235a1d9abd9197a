import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { chmodSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import {
  type Finding,
  type InstallOptions,
  type Report,
  type Runner,
  doctor,
  install,
  runners,
} from '../lib/index.js'
import { type FakeGate, allows, denyCanary, says, startFakeGate } from './fake-gate.ts'
import { type Machine, newMachine } from './machine.ts'
import { testRows } from '../../../test/support/rows.ts'

let gate: FakeGate
let machine: Machine
beforeAll(async () => {
  gate = await startFakeGate()
})
afterAll(() => gate.close())
const setUp = () => {
  machine = newMachine()
  gate.hits.length = 0
  gate.answers = denyCanary
}
beforeEach(setUp)
const tearDown = () => machine.remove()
afterEach(tearDown)

const put = (runner: Runner, given: Partial<InstallOptions> = {}) =>
  install({ ...machine.options(runner, gate.url), dir: machine.project, hasCanary: true, ...given })
/** Without the calls that must be blocked: the doctor makes them. */
const putOnly = (runner: Runner) => put(runner, { hasCanary: false })
const look = (runner: Runner) => doctor({ runner, dir: machine.project, env: machine.env })
const verdictsOf = ({ findings }: Report) =>
  findings
    .filter(({ verdict }) => verdict === 'blocks' || verdict === 'fails')
    .map(({ check, verdict }) => `${check} ${verdict}`)
const failuresOf = ({ findings }: Report): Finding[] => findings.filter(({ verdict }) => verdict === 'fails')

const ofEvery = testRows([...runners], [tearDown, setUp])

ofEvery(
  'the canary is blocked and on the ledger, and so is every call when the gate is down; the doctor sees the same later',
  async (runner) => {
    const report = await put(runner)
    expect(verdictsOf(report)).toEqual(
      ['canary', 'wrong key', 'gate down', 'unsigned answer', 'hook program gone'].map(
        (one) => `${one} blocks`,
      ),
    )
    expect(report).toMatchObject({ runner, is_gating: true })
    expect(report.findings).toContainEqual({
      check: 'canary',
      verdict: 'blocks',
      detail: 'Denied by the gate and recorded as action 7',
    })
    const body = JSON.parse(gate.hits[0]!.body)
    expect(body.tool ?? body.tool_name).toBe('gate_canary')

    const withoutChance = (text: string) =>
      text.replaceAll(/:\d{4,5}/g, ':…').replaceAll(/gate-hook-\w{6}/g, '…')
    const said = (finding: Finding) => ({ ...finding, detail: withoutChance(finding.detail) })
    const { findings } = await look(runner)
    expect(findings.map(said)).toEqual(report.findings.map(said))

    const hasOffers = ['claude', 'gemini', 'opencode'].includes(runner)
    expect(findings.find(({ check }) => check === 'questions')).toMatchObject({
      verdict: 'note',
      detail: expect.stringMatching(
        hasOffers ? /^After two approvals .*is stopped/ : /^The gate offers nothing .*is stopped/,
      ),
    })
  },
)

ofEvery('a gate that allows the canary is not gating', async (runner) => {
  gate.answers = allows
  expect(failuresOf(await put(runner)).map(({ check }) => check)).toContain('canary')
})

ofEvery('a denial that is on no ledger is not enough', async (runner) => {
  gate.answers = says('Denied.')
  expect(failuresOf(await put(runner))).toMatchObject([
    { check: 'canary', detail: expect.stringMatching(/Denied/) },
  ])
})

ofEvery('a key that the gate does not accept is not enough', async (runner) => {
  expect(failuresOf(await put(runner, { key: 'gate_unknownKey' }))).toMatchObject([
    { check: 'canary', detail: expect.stringMatching(/does not know this runner key/) },
  ])
})

ofEvery('an entry that is gone fails', async (runner) => {
  const { files } = await putOnly(runner)
  rmSync(files.at(-1)!.path)
  expect(failuresOf(await look(runner))).toContainEqual(expect.objectContaining({ check: 'entry' }))
})

ofEvery('a key that others can read fails', async (runner) => {
  await putOnly(runner)
  chmodSync(join(machine.home, `.config/qualification-gate/${runner}.key`), 0o644)
  expect(failuresOf(await look(runner))).toMatchObject([{ check: 'key' }])
})

ofEvery('what is not installed is refused', async (runner) => {
  await expect(look(runner)).rejects.toThrow(/is not installed there/)
})

testRows<[Runner, string, (json: any) => unknown]>(
  [
    ['claude', '.claude/settings.json', (json) => delete json.hooks.PreToolUse[0].hooks[0].onFailure],
    ['claude', '.claude/settings.json', (json) => (json.hooks.PreToolUse[0].hooks[0].onFailure = 'Block')],
    ['claude', '.claude/settings.json', (json) => delete json.hooks.PreToolUse[0].hooks[0].type],
    ['claude', '.claude/settings.json', (json) => (json.hooks.PreToolUse[0].matcher = 'Bash')],
    ['gemini', '.gemini/settings.json', (json) => (json.hooks.BeforeTool[0].hooks[0].timeout = 90)],
    ['cursor', '.cursor/hooks.json', (json) => delete json.hooks.preToolUse[0].failClosed],
  ],
  [tearDown, setUp],
)('an entry that the runner would drop or weaken fails', async (runner, file, change) => {
  await putOnly(runner)
  const json = JSON.parse(machine.read(file))
  change(json)
  machine.write(file, JSON.stringify(json), 0o600)
  expect(failuresOf(await look(runner))).toMatchObject([{ check: 'entry' }])
})

test('a runner that was downgraded is refused', async () => {
  await putOnly('claude')
  machine.write('../programs/claude', '#!/bin/sh\necho 2.1.197\n', 0o755)
  await expect(look('claude')).rejects.toThrow(/cannot be gated/)
})
