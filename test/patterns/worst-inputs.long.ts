import { expect, test } from '@jest/globals'
import { parseMatch } from '../../src/console/runner-rules/match-text.ts'
import { markChanges } from '../../src/console/policies/word-diff.ts'
import { browserName } from '../../src/console/sign-in/browser-name.ts'
import { effectOf } from '../../src/gate/runner/effect.ts'
import { maskSecrets } from '../../src/gate/runner/mask.ts'
import { type RunnerRule, applyRules } from '../../src/gate/runner/rules.ts'
import type { ToolCall } from '../../src/gate/runner/tool-call.ts'
import { diffLines } from '../../src/operations/diff-lines.ts'
import { headerLines } from '../../src/operations/upstreams/fields.ts'
import { escapeInvisible } from '../../src/text/escape-invisible.ts'
import { quoteLine } from '../../src/text/quote-lines.ts'
import { toolCall } from '../gate/runner/tool-call.ts'
import { testRows } from '../support/rows.ts'

const bash = (command: string) => effectOf(toolCall('Bash', { command }))
const some = (count: number, part: string | ((at: number) => string)): string =>
  typeof part === 'string' ? part.repeat(count) : Array.from({ length: count }, (_, at) => part(at)).join('')

const linesOf = (count: number, name: string) => Array.from({ length: count }, (_, at) => `${name} ${at}`)
const changed = (count: number, change: 'added' | 'removed') =>
  linesOf(count, change).map((text) => ({ change, text }))
const wordsOf = (count: number, change: 'added' | 'removed') => ({
  change,
  text: some(count, (at) => ` ${at % 3 === 0 ? change : 'same'}${at}`),
})

/** The longest that is accepted, or what is slow long before that. */
const texts: [what: string, size: number, work: (size: number) => unknown][] = [
  ['spaces in a script of awk', 15_900, (n) => bash(`awk '${some(n, ' ')}!'`)],
  ['spaces in a condition of awk', 15_900, (n) => bash(`awk 'NR==1${some(n, ' ')}!'`)],
  ['spaces in a print of awk', 15_900, (n) => bash(`awk '{print${some(n, ' ')}!'`)],
  ['spaces in a script of sed', 15_900, (n) => bash(`sed -n '${some(n, ' ')}!'`)],
  ['spaces after an address of sed', 15_900, (n) => bash(`sed -n '1${some(n, ' ')}!'`)],
  ['semicolons in a script of sed', 15_900, (n) => bash(`sed -n '${some(n, ';')}'`)],
  ['braces in a command', 15_900, (n) => bash(some(n, '}'))],
  ['commands', 5_300, (n) => bash(some(n, 'a; '))],
  ['arguments', 7_900, (n) => bash(`git ${some(n, 'a ')}`)],
  ['names of credentials', 3_900, (n) => bash(`ls ${some(n, ' a/b')}`)],
  [
    'lines of a patch',
    200_000,
    (n) =>
      effectOf(toolCall('apply_patch', { input: `*** Begin Patch\n${some(n, '\n')}` }, { runner: 'codex' })),
  ],
  ['heads of tokens', 100_000, (n) => maskSecrets(some(n, '-eyJ'), true)],
  ['names of secrets', 40_000, (n) => maskSecrets(some(n, 'password=/'), true)],
  ['heads of keys', 15_000, (n) => maskSecrets(some(n, '-----BEGIN PRIVATE KEY-----\n'), true)],
  ['spaces in a header', 60_000, (n) => headerLines.safeParse(`a:${some(n, ' ')}\u2028`)],
  ['headers', 20_000, (n) => headerLines.safeParse(some(n, 'a: b\n'))],
  ['conditions of a rule', 20_000, (n) => parseMatch(some(n, (at) => `a${at}: b\n`))],
  ['values of a rule', 60_000, (n) => parseMatch(`a: one of ${some(n, ' ')}"`)],
  ['versions of a browser', 2_000, (n) => browserName(some(n, 'Version/1 '))],
  ['lines of a policy', 8_000, (n) => diffLines(linesOf(n, 'a'), linesOf(n, 'b'))],
  ['changed sentences', 2_000, (n) => markChanges([...changed(n, 'removed'), ...changed(n, 'added')])],
  ['changed words', 8_000, (n) => markChanges([wordsOf(n, 'removed'), wordsOf(n, 'added')])],
  ['letters of a quoted line', 60_000, (n) => quoteLine(some(n, 'a'))],
  ['emoji of a quoted line', 20_000, (n) => quoteLine(some(n, '👩🏽'))],
  ['marks of a quoted line', 30_000, (n) => quoteLine(some(n, '\u0301'))],
  ['one character of a quoted line', 20_000, (n) => quoteLine(`👩${some(n, '🏽')}`)],
  ['joined emoji', 20_000, (n) => escapeInvisible(some(n, '👩\u200d'))],
]

testRows(texts)('a text of four times the length takes about four times as long', (_, size, work) => {
  // From short ones on: what is slow would not come to an end at the longest.
  let before = timeOf(() => work(Math.floor(size / 64)))
  for (const part of [16, 4, 1]) {
    const now = timeOf(() => work(Math.floor(size / part)))
    // Quadratic is 16 times as long. What is too short to be measured does not count.
    expect(now).toBeLessThan(7 * before + 25)
    before = now
  }
  expect(before).toBeLessThan(2_000)
})

const rules = (match: (at: number) => RunnerRule['match'], decision: RunnerRule['decision']): RunnerRule[] =>
  Array.from({ length: 200 }, (_, at) => ({ tool: '*', match: match(at)!, decision, note: 'x' }))
const listed = (field: string) => (at: number) => ({
  [field]: { one_of: Array.from({ length: 40 }, (_, n) => `git ${at} -x ${n}`) },
})
const liked = (field: string) => (at: number) => ({ [field]: `*a*/*${at}${'q'.repeat(400)}` })

const longCalls: [what: string, call: ToolCall, field: string][] = [
  ['of many commands', toolCall('Bash', { command: some(5_000, 'a1;') }), 'command'],
  ['of a long command', toolCall('Bash', { command: `a${some(60_000, ' a')}` }), 'command'],
  ['of many paths', toolCall('Bash', { command: some(2_200, '../x/y;') }), 'command'],
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
        timeOf(() => applyRules({ rules: rules(match, decision), record: 'refused' }, call, 'write'), 1),
      ).toBeLessThan(2_000)
})

test('a call that cannot be compared with every rule in that time is denied, and not allowed', () => {
  const command = some(5_000, (at) => `a${at % 10};`)
  const decide = (decision: RunnerRule['decision']) =>
    applyRules(
      { rules: rules(listed('command'), decision), record: 'refused' },
      toolCall('Bash', { command }),
      'write',
    )
  expect(decide('deny')).toMatchObject({ decision: 'deny', rule: 1 })
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
  const [short, long] = [200, 800].map((n) => timeOf(() => cubic.test(`${some(n, ' ')}!`), 2))
  expect(long).toBeGreaterThan(7 * short! + 25)
})

/** The processor time in milliseconds: the least of several. */
function timeOf(work: () => unknown, times = 4): number {
  return Math.min(
    ...Array.from({ length: times }, () => {
      const from = process.cpuUsage()
      work()
      return process.cpuUsage(from).user / 1_000
    }),
  )
}
