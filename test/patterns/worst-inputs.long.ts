import { spawnSync } from 'node:child_process'
import { expect, test } from '@jest/globals'
import { type RunnerRule, applyRules } from '../../src/gate/runner-calls/rules.ts'
import type { ToolCall } from '../../src/gate/runner-calls/tool-call.ts'
import { projectRoot } from '../../src/process/root.ts'
import { quoteLine } from '../../src/text/quote-lines.ts'
import { toolCall } from '../gate/runner-calls/tool-call.ts'
import { testRows } from '../support/rows.ts'
import { leastTime, some } from './least-time.ts'

testRows(measuredTexts())('a text of four times the length takes about four times as long', (_, times) => {
  // Quadratic is 16 times as long. What is too short to be measured does not count.
  times.slice(1).forEach((now, at) => expect(now).toBeLessThan(7 * times[at]! + 25))
  expect(times.at(-1)).toBeLessThan(2_000)
})

function measuredTexts(): [what: string, times: number[]][] {
  const run = spawnSync(
    process.execPath,
    // Garbage is collected where the work is, so that no other thread's time counts.
    [
      '--single-threaded',
      '--no-warnings',
      '--import',
      './test/support/run-ts.js',
      'test/patterns/measure-texts.ts',
    ],
    { cwd: projectRoot, encoding: 'utf8' },
  )
  if (run.status !== 0) throw new Error(run.stderr)
  return JSON.parse(run.stdout)
}

const rules = (match: (at: number) => RunnerRule['match'], decision: RunnerRule['decision']): RunnerRule[] =>
  Array.from({ length: 200 }, (_, at) => ({ tool: '*', match: match(at)!, decision, note: 'x' }))
const listed = (field: string) => (at: number) => ({
  [field]: { one_of: Array.from({ length: 40 }, (_, n) => `git ${at} -x ${n}`) },
})
const liked = (field: string) => (at: number) => ({ [field]: `*a*/*${at}${'q'.repeat(400)}` })

const longCalls: [what: string, call: ToolCall, field: string][] = [
  ['of many commands', toolCall('Bash', { command: some(500, 'a1;') }), 'command'],
  ['of a long command', toolCall('Bash', { command: `a${some(60_000, ' a')}` }), 'command'],
  ['of many paths', toolCall('Bash', { command: some(490, '../x/y;') }), 'command'],
  [
    'of another shell',
    toolCall('Bash', { command: some(60_000, 'a(') }, { runner: 'codex', cwd: null }),
    'command',
  ],
  ['of a long path', toolCall('Read', { file_path: some(60_000, '/a') }), 'file_path'],
  ['of an object', toolCall('Read', { file_path: 'a', x: { y: some(100_000, 'a') } }), 'x'],
]

testRows(longCalls)('a long call is judged in bounded time, whatever the rules', (_, call, field) => {
  for (const match of [listed(field), liked(field)])
    for (const decision of ['deny', 'allow'] as const)
      expect(
        leastTime(() => applyRules({ rules: rules(match, decision), record: 'refused' }, call, 'write'), 1),
      ).toBeLessThan(2_000)
})

test('a call that cannot be compared with every rule in that time is denied, and not allowed', () => {
  const command = some(490, (at) => `a${at % 10};`)
  const decide = (decision: RunnerRule['decision']) =>
    applyRules(
      { rules: rules(listed('command'), decision), record: 'refused' },
      toolCall('Bash', { command }),
      'write',
    )
  expect(decide('deny')).toMatchObject({ decision: 'deny' })
  expect(decide('allow')).toMatchObject({ decision: 'consent', rule: null })
})

test('an ordinary call is compared with every rule', () => {
  const command = `npm run lint && git add ${some(300, (at) => `src/room/file-${at}.ts `)}`
  const match = (at: number) => ({ command: `git push --force origin ${at}*` })
  const all = rules(match, 'deny')
  expect(
    applyRules({ rules: all, record: 'refused' }, toolCall('Bash', { command }), 'write').rule,
  ).toBeNull()
})

test('characters are not torn where a long line is read in parts', () => {
  const clusters = ['👩🏽', 'e\u0301', '🇩🇪', '👨‍👩‍👧‍👦', '\u0915\u094d\u0937', '❤️', '\ud7b0\ud7cb', 'a']
  const whole = new Intl.Segmenter('en', { granularity: 'grapheme' })
  for (let before = 90; before < 130; before++) {
    const line = 'a'.repeat(before) + clusters.join('') + clusters.toReversed().join('').repeat(20)
    const rows = quoteLine(line).map((row) => row.slice(2))
    expect(rows.join('')).toBe(line)
    const starts = new Set(Array.from(whole.segment(line), ({ index }) => index))
    let at = 0
    for (const row of rows) {
      expect(starts).toContain(at)
      at += row.length
    }
  }
})

test('these tests measure what they say: the patterns before took far longer', () => {
  const cubic = /^\s*(a\s*b)?\s*(c)?\s*$/
  const [short, long] = [200, 800].map((n) => leastTime(() => cubic.test(`${some(n, ' ')}!`), 2))
  expect(long).toBeGreaterThan(7 * short! + 25)
})
