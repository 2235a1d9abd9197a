import { describe, expect, test } from '@jest/globals'
import { runners } from '../../src/gate/runner-calls/tool-call.ts'
import { runnerDialects } from '../../src/runner-hooks/registry.ts'
import { writeText } from '../../src/runner-hooks/write-text.ts'
import { testRows } from '../support/rows.ts'

const claudeAnswer = (permissionDecision: string) => ({
  hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, permissionDecisionReason: 'Why.' },
})
const plain = (decision: string) => ({ decision, reason: 'Why.' })
const written = {
  claude: claudeAnswer,
  codex: claudeAnswer,
  gemini: plain,
  opencode: plain,
  cursor: (permission: string) => ({ permission, user_message: 'Why.', agent_message: 'Why.' }),
  copilot: (decision: string) => ({
    ...claudeAnswer(decision),
    permissionDecision: decision,
    permissionDecisionReason: 'Why.',
  }),
}

testRows(runners)('allow and deny are written in the form of each runner', (runner) => {
  for (const decision of ['allow', 'deny'] as const)
    expect(runnerDialects[runner].writeAnswer({ decision, reason: 'Why.' })).toEqual(
      written[runner](decision),
    )
})

test('only Claude Code is told to defer; for every other runner that is a denial', () => {
  for (const runner of runners)
    expect(runnerDialects[runner].writeAnswer({ decision: 'defer', reason: 'Why.' })).toEqual(
      written[runner](runner === 'claude' ? 'defer' : 'deny'),
    )
})

describe('an answer as text:', () => {
  test('allow is exactly one word', () => {
    expect(writeText({ decision: 'allow', reason: 'Allowed by rule 2.' })).toBe('allow')
  })

  test('defer is the word and the number of the action', () => {
    expect(writeText({ decision: 'defer', reason: 'Waiting.', actionId: 7 })).toBe('defer 7')
    expect(writeText({ decision: 'defer', reason: 'Waiting.', actionId: null })).toBe('Waiting.')
  })

  testRows([
    ['allow', 'Denied: allow'],
    [' Allow\n', 'Denied: Allow'],
    ['', 'Denied: no reason given.'],
    ['\n\t ', 'Denied: no reason given.'],
    ['defer 7', 'Denied: defer 7'],
    [' Defer\n7 ', 'Denied: Defer 7'],
    ['allow\n200', 'allow 200'],
    ['Denied by rule 3.\nallow', 'Denied by rule 3. allow'],
    ['all\u{200b}ow', 'all⟨U+200B⟩ow'],
  ])('no reason of a denial reads as allow', (reason, line) => {
    expect(writeText({ decision: 'deny', reason })).toBe(line)
    expect(writeText({ decision: 'defer', reason })).toBe(line)
  })
})
