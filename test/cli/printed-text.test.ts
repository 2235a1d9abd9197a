import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { formatForPeople, print, printJson, printable } from '../../src/cli/print.ts'
import { statusWordOf } from '../../src/operations/actions/action-view.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { testRows } from '../support/rows.ts'
import { type CommandResult, gateOn } from './gate-command.ts'

let gate: TestGate
let run: (...argv: string[]) => Promise<CommandResult>
beforeAll(async () => {
  gate = await startGate({ workers: false })
  run = gateOn({ DATABASE_URL: gate.database.serviceUrl, DATABASE_OWNER_URL: gate.database.ownerUrl })
}, 60_000)
afterAll(() => gate.stop())

/** Characters without a glyph, or that steer a terminal or the direction of writing, one of each class. */
const hostile = [
  '\u200B',
  '\u200D',
  '\u2060',
  '\uFEFF',
  '\u00AD',
  '\u034F',
  '\u061C',
  '\u115F',
  '\u180E',
  '\u202E',
  '\u2066',
  '\u2028',
  '\u3164',
  '\u2800',
  '\u00A0',
  '\uE000',
  '\u{E0041}',
  '\u{1BCA0}',
  '\u0085',
  '\u009B',
  '\u001B',
  '\u0007',
  '\t',
  '\r',
]
const seen = /^[^\p{Cf}\p{Cc}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\u00A0]*$/u
const isVisible = (text: string) => text.split('\n').every((line) => seen.test(line))

function written(write: (stream: NodeJS.WritableStream) => void): string {
  let text = ''
  write({ write: (part: string) => (text += part) } as unknown as NodeJS.WritableStream)
  return text
}

testRows(hostile.map((character) => [character]))(
  'a character that cannot be seen is written out: %j',
  (character) => {
    const text = `a${character}b`
    expect(isVisible(printable(text))).toBe(true)
    for (const shown of [text, formatForPeople({ text }), formatForPeople([{ text }]), `refused: ${text}.`]) {
      const line = written((stream) => print(stream, shown))
      expect([line, isVisible(line)]).toEqual([expect.stringContaining('⟨U+'), true])
    }
    const json = written((stream) => printJson(stream, { text, [text]: 1 }))
    expect([isVisible(json), JSON.parse(json)]).toEqual([true, { text, [text]: 1 }])
  },
)

test('letters, emoji and escapes of our own stay as they are; an escape in a cell cannot be forged', () => {
  const text = 'Żółć 東京 नमस्ते ❤️ 👩‍👩‍👧 ⟨U+200B⟩'
  expect(written((stream) => print(stream, text))).toBe(`${text}\n`)
  expect(printable('⟨U+200B⟩')).toBe('⟨U+27E8⟩U+200B⟨U+27E9⟩')
  expect(printable('a\nb')).toBe('a↵b')
})

test('texts from outside reach no terminal as they are, whatever verb prints them', async () => {
  const account = await gate.account()
  const id = ['--account', account.account]
  const refused = ['\r', '\t', '\u0085', '\u2028', '\u001B', '\u0007', '\u009B']
  const all = hostile.filter((character) => !refused.includes(character)).join('x')
  await gate.database.asSuperuser(
    `update gate.account set name = 'Acme ${all}' where account_id = '${account.account}'`,
  )
  await account.addMember({ name: `Ada ${all}`, email: 'ada@example.com', tier: 'write' })
  const body = {
    kind: 'broadcast',
    actor: { email: 'ada@example.com' },
    payload: { message: `Pay pal\u200B.com ${all}` },
    rationale: `Because ${all}`,
  }
  const { body: row } = await account.client.request('POST', '/api/v1/actions', { body })
  const shown = [
    await run('action', 'show', ...id, '--id', String(row.id)),
    await run('action', 'list', ...id),
    await run('member', 'list', ...id),
    await run('account', 'list'),
    await run('account', 'show', ...id),
    await run('member', 'show', ...id, '--email', `x${all}@example.com`),
    await run('action', all),
    await run(`x${all}`),
    await run('action', 'show', ...id, `--${all}`),
  ]
  for (const { stdout, stderr } of shown)
    expect([stdout + stderr, isVisible(stdout + stderr)]).toEqual([expect.any(String), true])
  expect(shown[0]!.stdout).toContain('pal⟨U+200B⟩.com')
  const { stdout, json } = await run('action', 'show', ...id, '--id', String(row.id), '--json')
  expect([isVisible(stdout), json.payload.message]).toEqual([true, body.payload.message])
}, 60_000)

test('people read that an action runs, or that nobody decided in time: both have another status by the contract', () => {
  const consent = { strength: 'chat', by: 'Ada', channel: 'slack', at: '2026-01-01T00:00:00.000Z' } as const
  expect(statusWordOf({ status: 'proposed' })).toBe('proposed')
  expect(statusWordOf({ status: 'proposed', consent })).toBe('running')
  expect(statusWordOf({ status: 'cancelled', closed_reason: 'expired' })).toBe('expired')
  expect(statusWordOf({ status: 'cancelled', closed_reason: 'proposer' })).toBe('cancelled')
})

const keyRow = { key_id: 'key_kPo1kKXKDx6EZQh8', last4: 'QMOW', state: 'in force', used_today: 12 }

test('a table narrows its widest column between words where the last one has no room, and is printed row by row if that is not enough', () => {
  const row = { ...keyRow, powers: ['read', 'propose', 'confirm', 'execute'], name: 'demo' }
  const other = { ...keyRow, powers: ['read', 'propose'], name: 'demo, proposes only' }
  expect(formatForPeople([row, other]).split('\n')).toEqual([
    'KEY_ID                LAST4  STATE     USED_TODAY  POWERS             NAME',
    'key_kPo1kKXKDx6EZQh8  QMOW   in force  12          read, propose,     demo',
    '                                                   confirm, execute',
    'key_kPo1kKXKDx6EZQh8  QMOW   in force  12          read, propose      demo, proposes only',
  ])
  const long = 'An agent of the support desk that answers what customers of the shop ask'
  const lines = formatForPeople([row, { ...row, name: long }]).split('\n')
  expect([lines[0]!.startsWith('KEY_ID  '), Math.max(...lines.map((line) => line.length)) <= 100]).toEqual([
    true,
    true,
  ])
  expect(formatForPeople([{ ...keyRow, digest: 'x'.repeat(64), name: 'demo' }])).toMatch(/^key_id +key_kPo1/)
  expect(formatForPeople({})).toBe('')
})
