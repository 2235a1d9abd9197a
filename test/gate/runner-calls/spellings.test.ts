import { expect, test } from '@jest/globals'
import { applyRules } from '../../../src/gate/runner-calls/rules.ts'
import type { Pattern, RunnerRule } from '../../../src/gate/runner-calls/rules.ts'
import type { ToolCall } from '../../../src/gate/runner-calls/tool-call.ts'
import { testRows } from '../../support/rows.ts'
import { commandRows, otherLines, pathRows, pushes } from './spelled.ts'
import { toolCall } from './tool-call.ts'

const rulesFor = (match: RunnerRule['match']): RunnerRule[] => [
  { tool: '*', ...(match && { match }), decision: 'deny', note: 'no' },
  { tool: '*', decision: 'allow', note: 'else' },
]
const isDenied = (match: RunnerRule['match'], call: ToolCall): boolean =>
  applyRules({ rules: rulesFor(match), record: 'refused' }, call, 'write').decision === 'deny'
const denies = (command: Pattern, text: string, over: Partial<ToolCall> = {}): boolean =>
  isDenied({ command }, toolCall('Bash', { command: text }, over))
const deniesPath = (file_path: Pattern, path: string, over: Partial<ToolCall> = {}): boolean =>
  isDenied({ file_path }, toolCall('Write', { file_path: path, content: 'x' }, over))

const push = 'git push*'

testRows(pushes)('a rule that denies `git push*` denies every spelling of it', (text) =>
  expect(denies(push, text)).toBe(true),
)

testRows(otherLines)('a rule that denies `git push*` leaves other commands alone', (text) =>
  expect(denies(push, text)).toBe(false),
)

testRows(commandRows)(
  'a rule is matched on program, operands and options, each for itself',
  (pattern, text, expected) => expect(denies(pattern, text)).toBe(expected),
)

testRows(pathRows)('a rule about a path is about the file', (pattern, path, expected) =>
  expect(deniesPath(pattern, path)).toBe(expected),
)

test('a path from a folder that is not known matches what it could lead to', () => {
  const unknown = { cwd: null }
  expect(deniesPath('/srv/shop/*', 'shop/x', unknown)).toBe(true)
  expect(deniesPath('migrations/*', 'src/x', unknown)).toBe(false)
  expect(deniesPath('migrations/*', './migrations/x', unknown)).toBe(true)
})

testRows<[Partial<ToolCall>, string, boolean]>([
  [{ runner: 'copilot', tool: 'powershell' }, '& git push', true],
  [{ runner: 'copilot', tool: 'powershell' }, 'g`it push', true],
  [{ runner: 'copilot', tool: 'powershell' }, 'git status; git push', true],
  [{ runner: 'copilot', tool: 'powershell' }, '& $g push', true],
  [{ runner: 'copilot', tool: 'powershell' }, 'iex ("git " + "pu" + "sh")', true],
  [{ runner: 'copilot', tool: 'powershell' }, 'powershell -enc ZwBpAHQA', true],
  [{ runner: 'copilot', tool: 'powershell' }, 'git status', false],
  [{ runner: 'gemini', tool: 'run_shell_command', cwd: 'C:\\app' }, 'g^it push', true],
  [{ runner: 'gemini', tool: 'run_shell_command', cwd: 'C:\\app' }, 'cmd /c git push', true],
  [{ runner: 'gemini', tool: 'run_shell_command', cwd: 'C:\\app' }, 'git.exe push', true],
  [{ runner: 'gemini', tool: 'run_shell_command', cwd: 'C:\\app' }, 'dir src', false],
  [{ tool: 'mcp__shell__run', mcpServer: 'shell' }, 'sudo git push', true],
  [{ tool: 'mcp__shell__run', mcpServer: 'shell' }, 'git status', false],
])(
  'a rule that denies `git push*` holds for other shells and for tools that the gate does not know',
  (over, text, expected) => expect(denies(push, text, over)).toBe(expected),
)

testRows<[string[], boolean]>([
  [['bash', '-lc', 'git push'], true],
  [['git', '-C', '.', 'push'], true],
  [['env', 'git', 'push'], true],
  [['bash', '-lc', 'git status'], false],
  [['git', 'status'], false],
])('a rule that denies `git push*` denies a command that is given as a list of words', (words, expected) =>
  expect(isDenied({ command: push }, toolCall('shell', { command: words }, { runner: 'codex' }))).toBe(
    expected,
  ),
)
