import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Pattern, RunnerRule } from '../../src/gate/runner-calls/rules.ts'
import { commandLines } from '../gate/runner-calls/command-lines.ts'
import { commandRows, otherLines, pathRows, pushes } from '../gate/runner-calls/spelled.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { testRows } from '../support/rows.ts'
import { type Call, type HookedMachine, hookedMachine } from './hooked.ts'

// What an agent can do to a rule: it asks through the program of the hook that a member installed, in every spelling that it knows.

let gate: TestGate
let account: Awaited<ReturnType<TestGate['account']>>
const machines: HookedMachine[] = []
beforeAll(async () => {
  gate = await startGate()
  account = await gate.account()
}, 60_000)
afterAll(async () => {
  for (const machine of machines) machine.remove()
  await gate.stop()
})

let people = 0
async function machineOf(tier: 'read_only' | 'guarded_write'): Promise<HookedMachine> {
  const member = await account.addMember({ name: 'Grace', email: `spelled${++people}@example.com`, tier })
  const machine = await hookedMachine(gate, account, { member })
  machines.push(machine)
  return machine
}

const obeys = (...rules: RunnerRule[]) => account.setPolicy({ runner: { rules, record: 'refused' } })
const allowed: RunnerRule = { tool: '*', decision: 'allow', note: 'Everything else' }
const bash = (command: string): Call => ({ tool: 'Bash', input: { command } })

/** A rule that restricts, and what the hook says where it does. */
const forms: [string, Partial<RunnerRule>, RegExp][] = [
  ['denies', { decision: 'deny' }, /^gate: Rule 1 denies/],
  ['requires a tier', { decision: 'allow', tier: 'write' }, /`write`/],
  ['asks', { decision: 'consent', consent: 'page' }, /^gate: Waiting for the consent/],
]
const ruleOf = (match: Record<string, Pattern>, form: Partial<RunnerRule>, tool = '*'): RunnerRule => ({
  tool,
  match,
  decision: 'deny',
  note: 'Restricted',
  ...form,
})

describe('a rule about a command', () => {
  let machine: HookedMachine
  beforeAll(async () => {
    machine = await machineOf('guarded_write')
    await obeys(ruleOf({ command: 'git push*' }, { decision: 'deny' }), allowed)
  })

  testRows(pushes)('that denies is obeyed in every spelling', async (command) => {
    expect(await machine.ask(bash(command))).toMatchObject({
      code: 2,
      said: expect.stringMatching(forms[0]![2]),
    })
  })

  testRows(otherLines)('is about no other command', async (command) => {
    expect(await machine.ask(bash(command))).toEqual({ code: 0, said: '' })
  })

  testRows(['command', 'cmd', 'script', 'shell_command', 'args'])(
    'holds for the tools of MCP servers, whatever their field is called',
    async (field) => {
      await obeys(ruleOf({ [field]: 'git push*' }, { decision: 'deny' }), allowed)
      for (const value of [
        'sudo git  push',
        "bash -c 'git -C . push'",
        ['git', '-C', '.', 'push'],
        { a: ['git push'] },
      ])
        expect([
          value,
          await machine.ask({ tool: 'mcp__shell__run', input: { [field]: value } }),
        ]).toMatchObject([value, { code: 2 }])
    },
  )
})

describe('the tier and the consent of a rule', () => {
  const spellings = [
    'git push',
    'CI=1 git  push',
    'sudo -u ada git -C . "push"',
    "bash -c -- 'git push'",
    'cd x && git pu\\sh',
    'echo $(git push)',
    'git $P',
    'git-push',
    'echo origin | xargs git push',
    'cat x | sudo sh',
    "GIT_EDITOR='git push' git commit",
    'f() { git push; }; f',
  ]
  testRows(forms.slice(1))('are required in every spelling, and no weaker one', async (_, form, said) => {
    await obeys(
      ruleOf({ command: 'git push*' }, form),
      ruleOf({ command: 'git *' }, { decision: 'consent' }),
      allowed,
    )
    const machine = await machineOf('guarded_write')
    // The folder exists: the hook reads the files that a call runs.
    const cwd = machine.project
    for (const command of spellings)
      expect([command, await machine.ask({ ...bash(command), cwd })]).toEqual([
        command,
        { code: 2, said: expect.stringMatching(said) },
      ])
    const { actions } = (await account.client.list({ kind: 'runner_tool', status: 'proposed' })).body
    for (const { consent_required: strength } of actions) expect(strength).toBe('page')
  })
})

/** Rows that share a pattern need one policy. */
const byPattern = (rows: [Pattern, string, boolean][]): [Pattern, [string, boolean][]][] => {
  const texts = [...new Set(rows.map(([pattern]) => JSON.stringify(pattern)))]
  return texts.map((text) => [
    JSON.parse(text),
    rows
      .filter(([pattern]) => JSON.stringify(pattern) === text)
      .map(([, spelled, isDenied]) => [spelled, isDenied]),
  ])
}

testRows(byPattern(commandRows))(
  'a rule is about a program, its words and its options',
  async (pattern, rows) => {
    await obeys(ruleOf({ command: pattern }, { decision: 'deny' }), allowed)
    const machine = machines[0]!
    for (const [command, isDenied] of rows)
      expect([command, (await machine.ask(bash(command))).code]).toEqual([command, isDenied ? 2 : 0])
  },
)

testRows(byPattern(pathRows))(
  'a rule is about a file, for every tool that names one',
  async (pattern, rows) => {
    await obeys(
      ...['file_path', 'notebook_path', 'path', 'uri'].map((field) =>
        ruleOf({ [field]: pattern }, { decision: 'deny' }),
      ),
      allowed,
    )
    const machine = machines[0]!
    for (const [path, isDenied] of rows)
      for (const [tool, field] of [
        ['Read', 'file_path'],
        ['Write', 'file_path'],
        ['NotebookEdit', 'notebook_path'],
        ['mcp__files__write', isDenied ? 'uri' : 'path'],
      ] as const)
        expect([tool, path, (await machine.ask({ tool, input: { [field]: path } })).code]).toEqual([
          tool,
          path,
          isDenied ? 2 : 0,
        ])
  },
)

describe('the rules that apply until an administrator sets others', () => {
  let machine: HookedMachine
  beforeAll(async () => {
    account = await gate.account()
    machine = await machineOf('read_only')
  })
  const worse = (['credentials', 'network', 'runs', 'edits_inside', 'edits_outside'] as const).flatMap(
    (effect) => commandLines[effect]!.map((line) => [effect, line] as const),
  )

  testRows(worse)(
    'let a member who may only read do no more than look, in any spelling',
    async (effect, command) => {
      const { code, said } = await machine.ask(bash(command))
      expect([code, said]).toEqual([2, expect.stringMatching(/^gate: \S/)])
      if (effect === 'credentials') expect(said).toMatch(/^gate: Rule 1 denies/)
      if (effect === 'network') expect(said).toMatch(/^gate: Rule 2 denies/)
    },
  )

  test('let a member who may only read look', async () => {
    expect(await machine.ask(bash('git status'))).toEqual({ code: 0, said: '' })
  })
})
