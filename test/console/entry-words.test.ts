import { describe, expect, test } from '@jest/globals'
import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { entryTone, entryWords } from '../../src/console/ledger/entry-words.ts'
import { entryGroups, kindsWithoutChecks } from '../../src/gate/entry-groups.ts'
import { entryKinds } from '../../src/gate/lifecycle.ts'
import { projectRoot } from '../../src/process/root.ts'
import { testRows } from '../support/rows.ts'

const nobody = { names: new Map<string, string>(), actionKind: undefined }

describe('every kind of ledger entry', () => {
  test('that the database writes is known', () => {
    const folder = join(projectRoot, 'src/db/functions')
    const sql = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
    // The kind is the third argument of a note; one that depends on something is written as a case.
    const notes = sql.flatMap((text) =>
      [...text.matchAll(/gate_private\.note(?:_change)?\(([^;]*?)\);/gs)].map(([, call]) => call!),
    )
    const written = notes.flatMap(
      (call) => /^[^,]*,[^,]*,([^,]*)/s.exec(call)![1]!.match(/(?<=')[a-z_]{6,}(?=')/g) ?? [],
    )
    expect(new Set(written).size).toBeGreaterThan(20)
    for (const kind of written.filter((name) => name !== 'confirm')) expect(entryKinds).toContain(kind)
  })

  testRows(entryKinds)('has words of its own, even without its data', (kind) => {
    const words = entryWords({ kind, content: {} }, nobody)
    expect(words).not.toBe(kind)
    expect(words).toMatch(/^[A-Z].*[^.]$/)
    expect(words).not.toMatch(/undefined|null|NaN|\[object/)
  })

  test('is in one group of the filter, but for checks', () => {
    expect(Object.values(entryGroups).flat().toSorted()).toEqual([...kindsWithoutChecks].toSorted())
  })
})

testRows<[string, Record<string, unknown>, string]>([
  [
    'member_changed',
    { member: 'mem_1', change: 'updated', fields: ['email', 'name'] },
    'Member updated: Grace (email, name)',
  ],
  [
    'member_changed',
    { member: 'mem_1', change: 'identity_confirmed', fields: ['email'] },
    'Changed email confirmed: Grace',
  ],
  ['tier_set', { member: 'mem_1', tier: null }, 'Tier override removed: Grace'],
  [
    'pass_recorded',
    { member: 'mem_1', curriculum: 'c', module: null, change: 'revoked' },
    'Pass revoked: Grace, every module of c',
  ],
  ['key_minted', { key: 'key_1', rotated_from: 'key_0' }, 'API key created: agent, which replaces another'],
  [
    'app_connected',
    { app: 'app_1', host: 'chat.example', member: 'mem_1' },
    'App of chat.example connected for Grace',
  ],
  [
    'app_ended',
    { app: 'app_1', reason: 'refresh_reused' },
    'App app_1 disconnected: a refresh token was used twice',
  ],
  ['app_client_added', { client: 'client_1' }, 'Client for an app added: client_1'],
  ['app_client_removed', { client: 'client_1' }, 'Client for an app removed: client_1'],
  ['account_suspended', { suspended: false }, 'Account resumed'],
  ['key_limits_set', { key_limits: 'shared' }, 'Key limits set: all API processes count together'],
  [
    'write_refused',
    { operation: 'propose', reason: 'key_revoked' },
    'Refused: propose, the API key was revoked',
  ],
  ['cancelled', { closed_reason: 'admin', reason: 'Wrong.' }, 'Cancelled by an administrator: Wrong'],
  [
    'cancelled',
    { outcome: 'refused', provider: 'stripe', code: 'card_declined' },
    'Refused by Stripe: card declined. Nothing was done',
  ],
  [
    'tool_allowed',
    { rule: 'Rule 3: Reading is allowed.' },
    'Allowed by the policy: Rule 3: Reading is allowed',
  ],
  ['tool_reported', { outcome: 'failed' }, 'The runner reported that the call failed'],
  [
    'tool_calls_counted',
    {
      hour: '2026-11-22T10:00:00.000Z',
      counts: [
        ['mem_1', 'key_1', 'Read', 40, 2, 0],
        ['mem_1', 'key_1', 'Bash', 1, 0, 3],
      ],
    },
    'Tool calls of the hour from 2026-11-22 10:00 UTC: 41 allowed, 2 denied, 3 with consent requested',
  ],
  [
    'tool_calls_counted',
    { counts: [null, 'x'] },
    'Tool calls of the hour from (not recorded): 0 allowed, 0 denied, 0 with consent requested',
  ],
  [
    'tool_called',
    {
      rule: 'The rule of a__b passes calls on; This tool call requires `read_only`',
      result: { outcome: 'unknown' },
    },
    'Passed on: The rule of a__b passes calls on; This tool call requires `read_only`',
  ],
  ['tool_answered', { outcome: 'done' }, 'Tool called'],
  ['tool_answered', { outcome: 'done', is_error: true }, 'Tool called; it answered with an error'],
  ['tool_answered', { outcome: 'unknown', code: 'no_answer' }, 'Outcome unknown'],
  [
    'tool_not_called',
    { outcome: 'refused', code: 'not_taken', closed_reason: 'refused' },
    'The MCP server was not reached, or did not take the call. Nothing was done',
  ],
  [
    'decision_refused',
    { decision: 'confirm', reason: 'no_power' },
    'Refused to confirm: the API key lacked the power to do so',
  ],
  [
    'decision_refused',
    { decision: 'cancel', reason: 'other_kind' },
    'Refused to cancel: the API key was limited to other kinds of action',
  ],
  ['decision_refused', { reason: 'of_tomorrow' }, 'Refused to decide: of_tomorrow'],
  [
    'write_refused',
    { operation: 'request_action', reason: 'no_power_propose' },
    'Refused: request_action, the API key lacked the power "propose"',
  ],
  [
    'write_refused',
    { operation: 'propose refund', reason: 'other_kind' },
    'Refused: propose refund, the API key was limited to other kinds of action',
  ],
  ['of_tomorrow', {}, 'of_tomorrow'],
])('an entry reads as a sentence', (kind, data, words) => {
  const names = new Map([
    ['mem_1', 'Grace'],
    ['key_1', 'agent'],
  ])
  expect(entryWords({ kind, content: { data } }, { names, actionKind: 'refund' })).toBe(words)
})

test('refusals stand out', () => {
  const tones = ['denied', 'decision_refused', 'write_refused', 'expired', 'confirmed'].map((kind) =>
    entryTone({ kind, content: {} }),
  )
  expect(tones).toEqual(['bad', 'bad', 'bad', 'warn', undefined])
})
