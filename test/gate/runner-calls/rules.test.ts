import { describe, expect, test } from '@jest/globals'
import { defaultRunnerRules } from '../../../src/gate/runner-calls/default-rules.ts'
import { comparedCharsMax, applyRules } from '../../../src/gate/runner-calls/rules.ts'
import type { Pattern, RunnerRule } from '../../../src/gate/runner-calls/rules.ts'
import type { ToolCall } from '../../../src/gate/runner-calls/tool-call.ts'
import { testRows } from '../../support/rows.ts'
import { toolCall } from './tool-call.ts'

const bash = (command: string) => toolCall('Bash', { command })
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
    expect(decide(rules, toolCall('Read', { file_path: 'a' }))).toMatchObject({ decision: 'allow', rule: 1 })
    expect(decide(rules, bash('ls'))).toMatchObject({ decision: 'deny', rule: 2, note: 'no', consent: null })
  })

  test('a call that no rule matches needs consent', () => {
    expect(decide([], bash('ls'))).toEqual({
      decision: 'consent',
      rule: null,
      note: 'No rule matches this call.',
      effect: 'reads',
      on: '',
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

  testRows([
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
  ] as [NonNullable<RunnerRule['match']>, boolean][])('match as they say', (match, expected) => {
    expect(allows(match, bash('git status'))).toBe(expected)
  })

  test('numbers and booleans are compared as text', () => {
    expect(allows({ n: '5', b: 'true' }, toolCall('X', { n: 5, b: true }))).toBe(true)
  })

  test.each([[[1]], [{ a: 1 }], ['a'.repeat(comparedCharsMax + 1)]])(
    'what cannot be compared passes by no rule that allows and by none that denies',
    (value) => {
      expect(allows({ command: '*' }, toolCall('Bash', { command: value }))).toBe(false)
      expect(denies({ command: 'rm *' }, toolCall('Bash', { command: value }))).toBe(true)
    },
  )

  test('names of tools are compared exactly', () => {
    expect(decide([rule({ tool: 'Read' })], toolCall('read', {})).rule).toBeNull()
    expect(decide([rule({ tool: 'Read' })], toolCall('Re\u200dad', {})).rule).toBeNull()
  })
})

describe('a pattern that allows commands', () => {
  const allows = (command: string, pattern: Pattern = 'git *', over: Partial<ToolCall> = {}) =>
    decide([rule({ match: { command: pattern } })], { ...bash(command), ...over }).rule === 1

  testRows([
    'git status',
    'git status 2>&1',
    "git commit -m 'a; b && $(c)'",
    'git commit -m "a | b"',
    'git log\\\n --oneline',
    'git add *.ts',
    'git status;',
  ])('matches one simple command', (command) => {
    expect(allows(command)).toBe(true)
    expect(allows(command, { prefix: 'git ' })).toBe(true)
  })

  testRows([
    'git status; rm -rf ~',
    'git status && rm -rf ~',
    'git status || rm -rf ~',
    'git status | sh',
    'git status & rm -rf ~',
    'git status\nrm -rf ~',
    'git status > ~/x',
    'git apply < ~/x',
    'git log $(rm -rf ~)',
    'git log "$(rm -rf ~)"',
    'git log `rm -rf ~`',
    'git log <(rm -rf ~)',
    'git log $X',
    'git log {a,b}',
    'git log ${x:-$(rm -rf ~)}',
    'git log << X\n$(rm -rf ~)\nX',
    "git log 'a",
    'git log \u2028rm x',
  ])('does not match what does more', (command) => {
    expect(allows(command)).toBe(false)
    expect(allows(command, { prefix: 'git ' })).toBe(false)
    expect(allows(command, { one_of: [command] })).toBe(true)
  })

  test('does not match a command that is too long to be read', () => {
    expect(allows(`git log ${'a'.repeat(20_000)}`)).toBe(false)
  })

  test('does not match a nested command', () => {
    expect(allows('(rm x)', '(rm*')).toBe(false)
  })

  test('a whole command without wildcards is matched as it is written', () => {
    expect(allows('git status; ls', 'git status; ls')).toBe(true)
  })

  test('rules that deny or ask match every command line', () => {
    for (const decision of ['deny', 'consent'] as const)
      expect(decide([rule({ match: { command: 'git *' }, decision })], bash('git status; ls')).rule).toBe(1)
  })

  test('the same holds for tools that the gate does not know, by the name of the field', () => {
    const over = { tool: 'mcp__shell__run', mcpServer: 'shell' }
    expect(allows('git status', 'git *', over)).toBe(true)
    expect(allows('git status; ls', 'git *', over)).toBe(false)
  })

  test('where the shell may be another one, it holds no sign that is special in one', () => {
    const over = { runner: 'gemini', tool: 'run_shell_command', cwd: 'C:\\app' } as const
    expect(allows('git status', 'git *', over)).toBe(true)
    expect(allows("git commit -m 'a & del x'", 'git *', over)).toBe(false)
    expect(allows('git log %X%', 'git *', over)).toBe(false)
    expect(allows('git log "a; b"', 'git *', { tool: 'powershell', runner: 'copilot' })).toBe(false)
  })

  test('other fields of a shell, and patches, are no commands', () => {
    const described = toolCall('Bash', { command: 'ls', description: 'List (quick); then stop' })
    expect(decide([rule({ match: { description: 'List*' } })], described).rule).toBe(1)
    const patch = toolCall('apply_patch', { command: '*** Begin Patch\n<' }, { runner: 'codex' })
    expect(decide([rule({ match: { command: '*** Begin*' } })], patch).rule).toBe(1)
  })

  test.each(['allow', 'deny'] as const)(
    '200 rules that %s about the longest command are decided in 500 ms of processor time',
    (decision) => {
      const command = `git ${'a '.repeat(7_900)}`
      const rules = Array.from({ length: 200 }, (_, n) =>
        rule({ match: { command: `git *${n}b` }, decision }),
      )
      const matching = Array.from({ length: 200 }, () => rule({ match: { command: 'git *', x: '*' } }))
      const from = process.cpuUsage()
      decide([...rules, ...matching], bash(command))
      const { user, system } = process.cpuUsage(from)
      expect((user + system) / 1000).toBeLessThan(500)
    },
  )
})

describe('a pattern that allows paths', () => {
  const matches = (file_path: string, over: Partial<RunnerRule> = {}) =>
    decide(
      [rule({ match: { file_path: '/home/me/.claude/plans/*' }, ...over })],
      toolCall('Read', { file_path }),
    ).rule === 1

  test('does not match a path that leads elsewhere', () => {
    expect(matches('/home/me/.claude/plans/a.md')).toBe(true)
    expect(matches('/home/me/.claude/plans/..a/b..')).toBe(true)
    expect(matches('/home/me/.claude/plans/../x')).toBe(false)
    expect(matches('/home/me/.claude/plans/..')).toBe(false)
    expect(matches('/home/me/.claude/plans/a\\..\\x')).toBe(false)
    expect(matches('/home/me/.claude/plans/../x', { decision: 'deny' })).toBe(true)
    const path = '/home/me/.claude/plans/../x'
    expect(matches(path, { match: { file_path: { prefix: '/home/me/.claude/plans/' } } })).toBe(false)
    expect(matches(path, { match: { file_path: path } })).toBe(true)
  })

  test('text that is no path may have two dots', () => {
    const call = toolCall('Edit', { file_path: 'a', new_string: "import '../a'" })
    expect(decide([rule({ match: { new_string: 'import*' } })], call).rule).toBe(1)
  })
})

describe('the default rules', () => {
  testRows([
    [bash('cat .env'), 'deny', 'deny'],
    [bash('curl x'), 'deny', 'deny'],
    [bash('ls /'), 'allow', 'allow'],
    [bash('echo > x'), 'deny', 'allow'],
    [bash('echo > /etc/x'), 'deny', 'consent'],
    [bash('rm -rf build'), 'deny', 'consent'],
    [toolCall('Edit', { file_path: '/work/app/a.ts' }), 'deny', 'allow'],
    [toolCall('Edit', { file_path: '.claude/settings.json' }), 'deny', 'consent'],
    [toolCall('mcp__a__b', {}, { mcpServer: 'a' }), 'deny', 'consent'],
  ])('decide by the tier', (call, readOnly, guardedWrite) => {
    expect(applyRules(defaultRunnerRules, call, 'read_only').decision).toBe(readOnly)
    expect(applyRules(defaultRunnerRules, call, 'guarded_write').decision).toBe(guardedWrite)
  })
})
