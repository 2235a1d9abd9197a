import { expect } from '@jest/globals'
import type { Runner } from '../../src/gate/runner-calls/tool-call.ts'
import { runners } from '../../src/gate/runner-calls/tool-call.ts'
import { limits } from '../../src/limits.ts'
import { isProblem } from '../../src/runner-hooks/dialect.ts'
import { runnerDialects } from '../../src/runner-hooks/registry.ts'
import { testRows } from '../support/rows.ts'

/** A body of each runner, from the same four facts. */
type Facts = { session: unknown; tool: unknown; input: unknown; cwd: unknown }
const claudeBody = ({ session, tool, input, cwd }: Facts) => ({
  hook_event_name: 'PreToolUse',
  session_id: session,
  tool_name: tool,
  tool_input: input,
  cwd,
})
const bodies: Record<Runner, (facts: Facts) => object> = {
  claude: claudeBody,
  codex: claudeBody,
  gemini: (facts) => ({ ...claudeBody(facts), hook_event_name: 'BeforeTool' }),
  cursor: ({ session, ...facts }) => ({
    ...claudeBody({ session, ...facts }),
    hook_event_name: 'preToolUse',
    conversation_id: session,
  }),
  copilot: ({ session, tool, input, cwd }) => ({ sessionId: session, toolName: tool, toolArgs: input, cwd }),
  opencode: ({ session, tool, input, cwd }) => ({
    hook: 'tool.execute.before',
    sessionID: session,
    tool,
    args: input,
    cwd,
  }),
}

const facts = { session: 's', tool: 'Bash', input: { command: 'ls' }, cwd: '/work' }
const nested = (depth: number): object => JSON.parse('{"a":'.repeat(depth) + '1' + '}'.repeat(depth))

const readCall = (runner: Runner, given: Partial<Facts>) =>
  runnerDialects[runner].readCall(bodies[runner]({ ...facts, ...given }), { version: null })
/** Each row for each runner. */
const ofEvery = <Row extends unknown[]>(rows: Row[]) =>
  runners.flatMap((runner) => rows.map((row): [Runner, ...Row] => [runner, ...row]))

testRows(runners)('a call at every bound is read', (runner) => {
  const atBounds = {
    session: 's'.repeat(limits.runnerIdCharsMax),
    tool: 't'.repeat(limits.runnerToolCharsMax),
    cwd: `/${'d'.repeat(limits.runnerCwdCharsMax - 1)}`,
    input: { command: 'x'.repeat(limits.runnerInputBytesMax - 'command'.length - 8) },
  }
  expect(readCall(runner, atBounds)).toMatchObject({
    session: atBounds.session,
    tool: atBounds.tool,
    cwd: atBounds.cwd,
  })
  expect(isProblem(readCall(runner, { input: nested(limits.runnerInputDepthMax) }))).toBe(false)
})

const beyond: [string, Partial<Facts>][] = [
  ['a session that is too long', { session: 's'.repeat(limits.runnerIdCharsMax + 1) }],
  ['a session with a line break', { session: 's\n2' }],
  ['a session that is no text', { session: 7 }],
  ['a tool that is too long', { tool: 't'.repeat(limits.runnerToolCharsMax + 1) }],
  ['a tool with an escape character', { tool: 'Bash\u001b[2J' }],
  ['an empty tool', { tool: '' }],
  ['no tool', { tool: undefined }],
  ['a folder that is too long', { cwd: '/'.repeat(limits.runnerCwdCharsMax + 1) }],
  ['a folder with a lone surrogate', { cwd: '/\ud800' }],
  ['an input with NUL', { input: { command: 'ls\0' } }],
  ['an input with NUL in a name', { input: { 'a\0': 1 } }],
  ['an input with a lone surrogate deep inside', { input: { a: [{ b: '\udc00' }] } }],
  ['an input that is too large', { input: { command: 'é'.repeat(limits.runnerInputBytesMax / 2) } }],
  [
    'an input of too many values',
    { input: { a: Array.from({ length: limits.runnerInputValuesMax }, () => 0) } },
  ],
  ['an input that is nested too deep', { input: nested(limits.runnerInputDepthMax + 2) }],
  [
    'an input nested deep enough to exhaust a stack',
    { input: { a: JSON.parse('['.repeat(100_000) + ']'.repeat(100_000)) } },
  ],
  ['an input with a number beyond JSON', { input: { a: Number.POSITIVE_INFINITY } }],
  ['an input with a whole number that is read as another one', { input: { a: [{ id: 2 ** 53 }] } }],
  ['an input with such a number below zero', { input: { id: -(2 ** 53) } }],
  ['an input that is a list', { input: ['ls'] }],
]

testRows(ofEvery(beyond))('a call beyond a bound is a problem', (runner, _what, given) => {
  expect(readCall(runner, given)).toEqual({ problem: expect.stringMatching(/\.$/) })
})

testRows(runners)('numbers that every reader reads alike are taken', (runner) => {
  const input = { numbers: [2 ** 53 - 1, 1 - 2 ** 53, 0.1, -1.5, 5e-324, 0] }
  expect(readCall(runner, { input })).toMatchObject({ input })
})

const noBodies = [null, undefined, 7, 'text', '', '{"cut":', [], {}, { hook_event_name: 'Stop' }]
testRows(ofEvery(noBodies.map((body) => [body])))(
  'what is no body is a problem, before a call and after it',
  (runner, body) => {
    const { readCall, readOutcome } = runnerDialects[runner]
    expect(readCall(body, { version: null })).toEqual({ problem: expect.any(String) })
    expect(readOutcome(body)).toEqual({ problem: expect.any(String) })
  },
)

testRows(runners)('the report of an outcome is no call, and a call is no outcome', (runner) => {
  const { readOutcome } = runnerDialects[runner]
  if (runner !== 'copilot') expect(isProblem(readOutcome(bodies[runner](facts)))).toBe(true)
  const after = {
    ...bodies[runner](facts),
    hook_event_name: 'PostToolUse',
    hook: 'tool.execute.after',
    toolResult: {},
  }
  expect(isProblem(runnerDialects[runner].readCall(after, { version: null }))).toBe(true)
})

testRows(runners)('a missing input is an empty one', (runner) => {
  const { input: _none, ...others } = facts
  const body = JSON.parse(JSON.stringify(bodies[runner]({ ...others, input: undefined })))
  expect(runnerDialects[runner].readCall(body, { version: null })).toMatchObject({ input: {} })
})

testRows(runners)('a version that is too long is a problem', (runner) => {
  const version = '1'.repeat(limits.runnerVersionCharsMax + 1)
  expect(isProblem(runnerDialects[runner].readCall(bodies[runner](facts), { version }))).toBe(true)
})

testRows(runners)('fields that are not known are ignored, and a missing session is null', (runner) => {
  const body = { ...bodies[runner]({ ...facts, session: undefined }), brand_new: { deep: ['\0'] } }
  expect(runnerDialects[runner].readCall(body, { version: null })).toMatchObject({
    session: null,
    input: facts.input,
  })
})
