import { expect, test } from '@jest/globals'
import { defaultRunnerRules } from '../../../src/gate/runner-calls/default-rules.ts'
import { ruleText, runnerRuleLines } from '../../../src/gate/runner-calls/rule-words.ts'
import type { RunnerRule } from '../../../src/gate/runner-calls/rules.ts'
import { testRows } from '../../support/rows.ts'

test('the default rules are told in their order, one a line', () => {
  expect(runnerRuleLines(defaultRunnerRules)).toEqual([
    'tool calls: allowed calls are counted, not recorded as actions',
    'tool calls: any tool, effect is "credentials": denied (Agents do not read or change files with credentials.)',
    'tool calls: any tool, effect is "network": denied (Agents do not use the network from tools.)',
    'tool calls: any tool, effect is one of "reads" "reads_outside": allowed (Reading is allowed.)',
    'tool calls: any tool, effect is "edits_inside": allowed from guarded_write (Editing files in the working folder requires guarded_write.)',
    'tool calls: any tool: consent chat from guarded_write (Running commands and editing elsewhere requires guarded_write and consent.)',
  ])
})

const rule: RunnerRule = { tool: 'Bash', decision: 'consent', note: 'Ask.' }

testRows<[string, Partial<RunnerRule>, string]>([
  ['the default strength of a consent', {}, '"Bash": consent chat (Ask.)'],
  ['its own strength', { consent: 'page' }, '"Bash": consent page (Ask.)'],
  [
    'a field of the input',
    { match: { command: 'git *' } },
    '"Bash", input "command" is like "git *": consent chat (Ask.)',
  ],
  [
    'what a pattern that allows commands matches',
    { match: { command: 'git *', file_path: 'a*' }, decision: 'allow' },
    '"Bash", input "command" is one command that is like "git *", input "file_path" is like "a*": allowed (Ask.)',
  ],
  [
    'what a prefix that allows commands matches',
    { match: { command: { prefix: 'git ' } }, decision: 'allow' },
    '"Bash", input "command" is one command that starts with "git ": allowed (Ask.)',
  ],
  [
    'a whole command that is allowed',
    { match: { command: 'ls' }, decision: 'allow' },
    '"Bash", input "command" is "ls": allowed (Ask.)',
  ],
  ['an exact value', { match: { command: 'ls' } }, '"Bash", input "command" is "ls": consent chat (Ask.)'],
  [
    'a prefix of the folder and the runner',
    { match: { '@cwd': { prefix: '/work/' }, '@runner': 'codex', '@mcp_server': 'github' } },
    '"Bash", folder starts with "/work/", runner is "codex", MCP server is "github": consent chat (Ask.)',
  ],
  ['a glob over the name', { tool: 'mcp__*' }, '"mcp__*": consent chat (Ask.)'],
  [
    'what cannot be seen',
    { tool: 'Ba\u200bsh', match: { command: 'a\u202eb\u0007"' }, note: 'a\u2066b' },
    '"Ba\\u{200b}sh", input "command" is "a\\u{202e}b\\u0007\\"": consent chat (a\\u{2066}b)',
  ],
])('a rule is told with all that it says', (_, given, text) => {
  expect(ruleText({ ...rule, ...given })).toBe(text)
})

test('the words of the rules say that every call is recorded as an action, and that there are no rules', () => {
  expect(runnerRuleLines({ rules: [], record: 'all' })).toEqual([
    'tool calls: every call is recorded as an action',
    'tool calls: without rules, every call requires consent chat',
  ])
})
