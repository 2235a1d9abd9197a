import { describe, expect, test } from '@jest/globals'
import { defaultRunnerRules } from '../../../src/gate/runner/default-rules.ts'
import { comparedCharsMax, applyRules } from '../../../src/gate/runner/rules.ts'
import type { RunnerRule } from '../../../src/gate/runner/rules.ts'
import type { ToolCall } from '../../../src/gate/runner/tool-call.ts'

const callOf = (tool: string, input: ToolCall['input'], over: Partial<ToolCall> = {}): ToolCall => ({
  runner: 'claude',
  runnerVersion: null,
  session: 's',
  callId: null,
  agentId: null,
  tool,
  input,
  cwd: '/work/app',
  mcpServer: null,
  ...over,
})
const bash = (command: string) => callOf('Bash', { command })
const decide = (
  rules: RunnerRule[],
  call: ToolCall,
  tier: 'read_only' | 'guarded_write' | 'write' = 'write',
) => applyRules({ rules, record: 'refused' }, call, tier)
const rule = (over: Partial<RunnerRule>): RunnerRule => ({
  tool: '*',
  decision: 'allow',
  note: 'note',
  ...over,
})

describe('the order of rules', () => {
  test('the first rule that matches decides', () => {
    const rules = [rule({ tool: 'Read' }), rule({ decision: 'deny', note: 'no' }), rule({})]
    expect(decide(rules, callOf('Read', { file_path: 'a' }))).toMatchObject({ decision: 'allow', rule: 1 })
    expect(decide(rules, bash('ls'))).toMatchObject({ decision: 'deny', rule: 2, note: 'no', consent: null })
  })

  test('a call that no rule matches needs consent', () => {
    expect(decide([], bash('ls'))).toEqual({
      decision: 'consent',
      rule: null,
      note: 'No rule matches this call.',
      effect: 'reads',
      consent: 'chat',
      neededTier: null,
    })
  })

  test('a rule whose tier the member lacks denies, and no later rule is tried', () => {
    const rules = [rule({ tier: 'write' }), rule({})]
    expect(decide(rules, bash('ls'), 'guarded_write')).toMatchObject({
      decision: 'deny',
      rule: 1,
      neededTier: 'write',
    })
    expect(decide(rules, bash('ls'))).toMatchObject({ decision: 'allow', rule: 1, neededTier: null })
  })

  test('consent has the strength of its rule', () => {
    expect(decide([rule({ decision: 'consent' })], bash('x'))).toMatchObject({ consent: 'chat' })
    expect(decide([rule({ decision: 'consent', consent: 'page' })], bash('x'))).toMatchObject({
      consent: 'page',
    })
  })
})

describe('the fields of a rule', () => {
  const allows = (match: NonNullable<RunnerRule['match']>, call: ToolCall) =>
    decide([rule({ match })], call).rule === 1
  const denies = (match: NonNullable<RunnerRule['match']>, call: ToolCall) =>
    decide([rule({ match, decision: 'deny' })], call).rule === 1

  test.each([
    [{ command: 'git *' }, true],
    [{ command: { prefix: 'git ' } }, true],
    [{ command: { one_of: ['ls', 'git status'] } }, true],
    [{ command: { one_of: ['git'] } }, false],
    [{ command: 'git *', '@effect': 'reads' }, true],
    [{ command: 'git *', '@effect': 'runs' }, false],
    [{ '@cwd': '/work/*' }, true],
    [{ '@runner': 'claude' }, true],
    [{ '@mcp_server': '*' }, false],
    [{ absent: '*' }, false],
    [{ toString: '*' }, false],
    [{ '@other': '*' }, false],
  ] as [NonNullable<RunnerRule['match']>, boolean][])('%j matches: %j', (match, expected) => {
    expect(allows(match, bash('git status'))).toBe(expected)
  })

  test('numbers and booleans are compared as text', () => {
    expect(allows({ n: '5', b: 'true' }, callOf('X', { n: 5, b: true }))).toBe(true)
  })

  test.each([[['a']], [{ a: 1 }], ['a'.repeat(comparedCharsMax + 1)]])(
    'what cannot be compared passes by no rule that allows and by none that denies',
    (value) => {
      expect(allows({ command: '*' }, callOf('Bash', { command: value }))).toBe(false)
      expect(denies({ command: 'rm *' }, callOf('Bash', { command: value }))).toBe(true)
    },
  )

  test('names of tools are compared exactly', () => {
    expect(decide([rule({ tool: 'Read' })], callOf('read', {})).rule).toBeNull()
    expect(decide([rule({ tool: 'Read' })], callOf('Re\u200dad', {})).rule).toBeNull()
  })
})

describe('the default rules', () => {
  test.each([
    [bash('cat .env'), 'deny', 'deny'],
    [bash('curl x'), 'deny', 'deny'],
    [bash('ls /'), 'allow', 'allow'],
    [bash('echo > x'), 'deny', 'allow'],
    [bash('echo > /etc/x'), 'deny', 'consent'],
    [bash('rm -rf build'), 'deny', 'consent'],
    [callOf('Edit', { file_path: '/work/app/a.ts' }), 'deny', 'allow'],
    [callOf('Edit', { file_path: '.claude/settings.json' }), 'deny', 'consent'],
    [callOf('mcp__a__b', {}, { mcpServer: 'a' }), 'deny', 'consent'],
  ])('%j', (call, readOnly, guardedWrite) => {
    expect(applyRules(defaultRunnerRules, call, 'read_only').decision).toBe(readOnly)
    expect(applyRules(defaultRunnerRules, call, 'guarded_write').decision).toBe(guardedWrite)
  })
})
