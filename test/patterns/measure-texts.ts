import { parseMatch } from '../../src/console/runner-rules/match-text.ts'
import { markChanges } from '../../src/console/policies/word-diff.ts'
import { browserName } from '../../src/console/sign-in/browser-name.ts'
import { effectOf } from '../../src/gate/runner-calls/effect.ts'
import { maskSecrets } from '../../src/gate/runner-calls/mask.ts'
import { diffLines } from '../../src/operations/diff-lines.ts'
import { headerLines } from '../../src/operations/upstreams/fields.ts'
import { escapeInvisible } from '../../src/text/escape-invisible.ts'
import { quoteLine } from '../../src/text/quote-lines.ts'
import { toolCall } from '../gate/runner-calls/tool-call.ts'
import { leastTime, some } from './least-time.ts'

// A program of its own: a process that has run other tests collects their garbage meanwhile.

const bash = (command: string) => effectOf(toolCall('Bash', { command }))
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

// From short ones on: what is slow would not come to an end at the longest.
const measured = texts.map(([what, size, work]) => [
  what,
  [64, 16, 4, 1].map((part) => leastTime(() => work(Math.floor(size / part)))),
])
process.stdout.write(JSON.stringify(measured))
