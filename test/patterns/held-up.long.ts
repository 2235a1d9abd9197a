import { expect, test } from '@jest/globals'
import { limits } from '../../src/limits.ts'
import { useGate } from '../support/use-gate.ts'
import { readingHook } from '../support/reading-hook.ts'
import { testRows } from '../support/rows.ts'
import { runnerScene } from '../support/runner-scene.ts'
import { usedBefore } from '../support/used-key.ts'

const gate = useGate()

const charsMax = 15_000
const some = (part: string, chars: number): string => part.repeat(Math.floor(chars / part.length))

/** Calls of one account, at the length that is accepted, that long ago held up the others. */
const calls: [what: string, given: { tool?: string; input: Record<string, unknown> }][] = [
  ['commands', { input: { command: some('a1;', charsMax) } }],
  ['the most commands that are read', { input: { command: some('a1;', 1_500) } }],
  ['words', { input: { command: `git ${some('a ', charsMax)}` } }],
  ['pipes of xargs', { input: { command: `find . -name a.ts${some(' | xargs grep a', charsMax)}` } }],
  ['loops', { input: { command: `${some('for f in a b c d; do ', 200)}cat $f${some('; done', 60)}` } }],
  ['conditions', { input: { command: some('[ -f a ] && ', charsMax) } }],
  ['a script of awk', { input: { command: `awk '${some(' ', charsMax)}!' a` } }],
  ['a script of sed', { input: { command: `sed '${some('/a/p;', 480)}' a` } }],
  ['names of credentials', { input: { command: `ls${some(' a/b-key.pem', charsMax)}` } }],
  ['a path', { tool: 'Read', input: { file_path: some('/a', 60_000) } }],
  ['emoji', { tool: 'mcp__shop__note', input: { text: some('🇩👩', 20_000) } }],
  ['joined emoji', { tool: 'mcp__shop__note', input: { text: some('👩\u200d', 20_000) } }],
  ['secrets', { tool: 'mcp__shop__note', input: { text: some('password=/', 20_000) } }],
  [
    'fields',
    {
      tool: 'mcp__shop__note',
      input: Object.fromEntries(Array.from({ length: 900 }, (_, n) => [`field ${n}`, '🇩👩'])),
    },
  ],
]

testRows(calls)(
  'a call with the longest input holds up no other request',
  async (_what, { tool = 'Bash', input }) => {
    const { hook, setPolicy } = await runnerScene(gate)
    const rules = Array.from({ length: 200 }, (_, n) => ({
      tool: '*',
      match: { command: n % 2 === 0 ? { one_of: [`git *${n}b`, `*a*/*${n}q`] } : `* --force${n}*` },
      decision: 'deny',
      note: 'No',
    }))
    await setPolicy({ runner: { rules, record: 'refused' } })
    // A gate that has just started still compiles what it runs.
    await hook.ask(input, { tool })
    expect(await longestWait(() => hook.ask(input, { tool }))).toBeLessThan(200)
  },
)

test('a call with an offer holds up no other request, whatever was asked about before', async () => {
  const { hook, keyId } = await runnerScene(gate)
  await usedBefore(gate.database, keyId)
  const max = limits.consentAsksPerHourMax / 2
  const reading = readingHook(gate, hook, { 'package.json': '{}' })
  const long = some('ssh a ', limits.toolInputReadAgainCharsMax - 100)
  for (let at = 0; at <= max; at++) await hook.ask(long, { session: `s${at}` })
  await reading.ask('npm test')
  expect(await longestWait(() => reading.ask('npm test', { session: 's1' }))).toBeLessThan(200)
})

/**
 * How long another request waited at most while one was decided, in milliseconds of processor time: what others on the machine do
 * does not count.
 */
async function longestWait(ask: () => Promise<{ decision: string | undefined }>): Promise<number> {
  const state = { isDecided: false }
  const decided = ask().finally(() => (state.isDecided = true))
  let longestMs = 0
  do {
    const began = process.cpuUsage()
    expect((await fetch(`${gate.api.url}/healthz`)).status).toBe(200)
    const { user, system } = process.cpuUsage(began)
    longestMs = Math.max(longestMs, (user + system) / 1_000)
  } while (!state.isDecided)
  expect((await decided).decision).toBe('deny')
  return longestMs
}
