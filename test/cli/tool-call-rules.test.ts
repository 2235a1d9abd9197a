import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { defaultRunnerRules } from '../../src/gate/runner-calls/default-rules.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'
import { type CommandResult, gateOn } from './gate-command.ts'
import { testRows } from '../support/rows.ts'

let database: TestDatabase
let gate: (...argv: string[]) => Promise<CommandResult>
let account: string
let folder: string
beforeAll(async () => {
  database = await freshDatabase()
  gate = gateOn({ DATABASE_URL: database.serviceUrl })
  folder = mkdtempSync(join(process.env['TEST_RUN_DIR'] ?? tmpdir(), 'rules-'))
})
beforeEach(async () => {
  account = (await gate('account', 'create', '--name', 'Acme', '--json')).json.account_id
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await database.drop()
})

const run = (...words: string[]) => gate('policy', ...words, '--account', account)
const show = async () => (await run('show', '--json')).json
async function set(document: unknown): Promise<CommandResult> {
  const file = join(folder, 'policy.json')
  writeFileSync(file, JSON.stringify(document))
  return run('set', '--file', file, '--json')
}
async function explain(...options: string[]): Promise<any> {
  const result = await run('explain', '--kind', 'runner_tool', '--json', ...options)
  expect(result).toMatchObject({ code: 0, stderr: '' })
  return result.json
}

const rule = { tool: 'Bash', decision: 'allow', note: 'Allowed.' }

test('the rules about tool calls are shown, replaced as a whole, and kept by a document without them', async () => {
  expect((await show()).runner).toEqual(defaultRunnerRules)
  const rules = [{ ...rule, match: { command: 'git *' } }]
  expect((await set({ runner: { rules, record: 'all' } })).json.runner).toEqual({ rules, record: 'all' })
  await set({ kinds: { broadcast: { tier: 'write' } } })
  expect((await run('preset', 'standard', '--json')).code).toBe(0)
  expect(await show()).toMatchObject({ version: 4, runner: { rules, record: 'all' } })
})

const deep = {
  tool: 'Bash',
  match: { command: { prefix: 'git' } },
  decision: 'consent',
  consent: 'page',
  note: 'x',
}

testRows<[string, unknown, RegExp]>([
  ['no list', { rules: 'all' }, /runner\.rules/],
  ['an unknown field', { rules: [], default: 'deny' }, /unknown field runner\.default/],
  ['an unknown field of a rule', { rules: [{ ...rule, when: 1 }] }, /unknown field runner\.rules\.0\.when/],
  ['no tool', { rules: [{ ...rule, tool: '' }] }, /runner\.rules\.0\.tool must not be empty/],
  [
    'a tool of 501 characters',
    { rules: [{ ...rule, tool: 'x'.repeat(501) }] },
    /runner\.rules\.0\.tool must have at most 500/,
  ],
  [
    'an unknown decision',
    { rules: [rule, { ...rule, decision: 'ask' }] },
    /runner\.rules\.1\.decision must be one of/,
  ],
  ['an unknown tier', { rules: [{ ...rule, tier: 'root' }] }, /runner\.rules\.0\.tier must be one of/],
  [
    "the agent's word",
    { rules: [{ ...deep, consent: 'agent_attested' }] },
    /runner\.rules\.0\.consent must be one of chat, page/,
  ],
  [
    'a consent of what is allowed',
    { rules: [{ ...rule, consent: 'page' }] },
    /runner\.rules\.0 has a consent/,
  ],
  [
    'a tier of what is denied',
    { rules: [{ ...rule, decision: 'deny', tier: 'write' }] },
    /runner\.rules\.0 denies every tier/,
  ],
  ['no note', { rules: [{ tool: 'Bash', decision: 'allow' }] }, /runner\.rules\.0\.note/],
  ['a note of two lines', { rules: [{ ...rule, note: 'a\nb' }] }, /runner\.rules\.0\.note must be one line/],
  [
    'an unknown field of the call',
    { rules: [{ ...rule, match: { '@home': 'x' } }] },
    /runner\.rules\.0\.match\.?\S* must be a field of the input/,
  ],
  [
    'a regular expression',
    { rules: [{ ...rule, match: { command: { regex: '.*' } } }] },
    /runner\.rules\.0\.match\.command must be a pattern/,
  ],
  [
    'no value',
    { rules: [{ ...rule, match: { command: { one_of: [] } } }] },
    /runner\.rules\.0\.match\.command/,
  ],
  [
    '201 rules',
    { rules: Array.from({ length: 201 }, () => rule) },
    /runner\.rules must have at most 200 rules/,
  ],
  ['an unknown record', { rules: [], record: 'none' }, /runner\.record must be one of refused, all/],
])('rules that do not fit are exit 2, name the field and change nothing', async (_, runner, message) => {
  const result = await set({ runner })
  expect(result).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(message) })
  expect((await show()).version).toBe(1)
})

test('the consent to tool calls is never the word of the agent', async () => {
  const result = await set({ kinds: { runner_tool: { tier: 'write', consent: 'agent_attested' } } })
  expect(result).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/kinds\.runner_tool\.consent must be one of/),
  })
})

describe('a tool call is explained', () => {
  const remove = ['--tool', 'Bash', '--input', '{"command":"rm -rf build"}']

  test('with the decision, the rule by number and words, the effect and the consent', async () => {
    expect(await explain(...remove, '--tier', 'guarded_write', '--cwd', '/p')).toEqual({
      allowed: true,
      decision: 'consent',
      rule: expect.stringMatching(/^Rule 5: any tool: consent chat from guarded_write \(Running commands/),
      rule_number: 5,
      effect: expect.any(String),
      consent: 'chat',
    })
    expect(await explain(...remove, '--tier', 'read_only')).toMatchObject({
      allowed: false,
      decision: 'deny',
      rule_number: 5,
      consent: null,
      denial_code: 'tier_insufficient',
      needed_tier: 'guarded_write',
    })
  })

  test('by the runner, the folder and the MCP server too', async () => {
    const only = (match: object) => ({ ...rule, tool: '*', match })
    await set({
      runner: {
        rules: [only({ '@runner': 'codex' }), only({ '@cwd': '/p*' }), only({ '@mcp_server': 'github' })],
      },
    })
    const by = async (...options: string[]) =>
      (await explain('--tool', 'run', '--tier', 'read_only', ...options)).rule_number
    expect(await by()).toBeNull()
    expect(await by('--runner', 'codex')).toBe(1)
    expect(await by('--cwd', '/p')).toBe(2)
    expect(await by('--mcp-server', 'github')).toBe(3)
  })

  test('by a pattern that allows only where it is one command, and in these words', async () => {
    const rules = [{ ...rule, match: { command: 'git *' } }]
    await set({ runner: { rules } })
    const of = (command: string) =>
      explain('--tool', 'Bash', '--input', JSON.stringify({ command }), '--tier', 'read_only')
    expect(await of('git status')).toMatchObject({
      decision: 'allow',
      rule: 'Rule 1: "Bash", input "command" is one command that is like "git *": allowed (Allowed.)',
    })
    expect(await of('git status; rm -rf ~')).toMatchObject({ decision: 'consent', rule_number: null })
  })

  test('to people, one field a line', async () => {
    const { stdout, code } = await run(
      'explain',
      '--kind',
      'runner_tool',
      '--tier',
      'guarded_write',
      ...remove,
    )
    expect(code).toBe(0)
    for (const line of [
      /^allowed +yes$/m,
      /^decision +consent$/m,
      /^rule +Rule 5: any tool/m,
      /^consent +chat$/m,
    ])
      expect(stdout).toMatch(line)
  })

  testRows([
    [['--kind', 'runner_tool'], /--kind runner_tool needs --tool/],
    [['--kind', 'runner_tool', '--tool', ''], /--tool must not be empty/],
    [['--kind', 'runner_tool', '--tool', 'Bash', '--input', 'ls'], /--input must be a JSON object/],
    [['--kind', 'runner_tool', '--tool', 'Bash', '--input', '[1]'], /--input must be a JSON object/],
    [['--kind', 'runner_tool', '--tool', 'Bash', '--runner', 'vim'], /--runner must be one of claude, codex/],
    [['--kind', 'runner_tool', '--tool', 'Bash', '--cwd', 'here'], /--cwd must be an absolute path/],
    [
      ['--kind', 'runner_tool', '--tool', 'Bash', '--amount-cents', '5'],
      /--amount-cents does not go with --kind runner_tool/,
    ],
    [
      ['--kind', 'broadcast', '--tool', 'Bash'],
      /--tool does not go with --kind broadcast: it is for --kind runner_tool/,
    ],
  ])('but not by options that do not fit: exit 2', async (options, message) => {
    const result = await run('explain', '--tier', 'write', ...options)
    expect(result).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(message) })
  })
})
