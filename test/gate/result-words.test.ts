import { expect } from '@jest/globals'
import { notDoneWords, resultTone, resultWords } from '../../src/gate/result-words.ts'
import { testRows } from '../support/rows.ts'

const none = { slack: 0, email: 0 }
const sent = { outcome: 'done', slack: 4, email: 2, unreachable: 1, failed: none, unknown: none }
const money = { outcome: 'done', provider: 'stripe', amount_cents: 1_000, currency: 'eur' }

testRows<[string, Record<string, unknown>, string, string]>([
  ['broadcast', sent, 'Delivered to 4 in Slack and 2 by e-mail, 1 unreachable', 'good'],
  [
    'broadcast',
    { ...sent, outcome: 'partial', slack: 0, unreachable: 0, failed: { slack: 3, email: 1 } },
    'Delivered to 2 by e-mail, 4 failed',
    'warn',
  ],
  [
    'broadcast',
    { outcome: 'unknown', slack: 0, email: 0, unreachable: 0, failed: none, unknown: { slack: 2, email: 0 } },
    'Delivered to nobody, 2 unknown',
    'warn',
  ],
  ['refund', { ...money, status: 'succeeded' }, 'Refunded 10.00 EUR', 'good'],
  ['refund', { ...money, status: 'succeeded', sandbox: true }, 'Refunded 10.00 EUR (sandbox)', 'good'],
  ['payout', { ...money, status: 'in_transit' }, 'Paid out 10.00 EUR, in transit at the provider', 'good'],
  [
    'refund',
    { outcome: 'refused', provider: 'stripe', code: 'charge_already_refunded' },
    'Refused by Stripe: charge already refunded. Nothing was done',
    'bad',
  ],
  [
    'refund',
    { outcome: 'refused', provider: 'stripe', code: 'not_sent' },
    'Stripe was not asked. Nothing was done',
    'bad',
  ],
  [
    'refund',
    { outcome: 'refused', provider: 'stripe', code: 'account_suspended' },
    'Stripe was not asked: account suspended. Nothing was done',
    'bad',
  ],
  [
    'payout',
    { outcome: 'unknown', provider: 'stripe', code: 'timeout' },
    'Outcome unknown: Stripe may have done it. Check there before you repeat it',
    'warn',
  ],
  [
    'subscription_cancellation',
    { outcome: 'done', provider: 'stripe', status: 'active' },
    'Subscription ends with its paid period',
    'good',
  ],
  ['integration', { outcome: 'done', provider: 'slack' }, 'Slack connected', 'good'],
  ['capability_check', { tier: 'write', certified: false }, 'Tier write, not certified', 'good'],
  ['deployment', { outcome: 'done', reported: 'done' }, 'Done, as its executor reported', 'good'],
  [
    'deployment',
    { outcome: 'refused', reported: 'refused' },
    'Refused by its executor. Nothing was done',
    'bad',
  ],
  [
    'deployment',
    { outcome: 'partial', reported: 'failed' },
    'Failed, as its executor reported. A part may be done',
    'warn',
  ],
  ['deployment', { outcome: 'unknown', reported: 'unknown' }, 'Outcome unknown to its executor', 'warn'],
  [
    'broadcast',
    { outcome: 'refused', code: 'payload_changed' },
    'Changed in the database after the consent. Nothing was done',
    'bad',
  ],
  [
    'deployment',
    { outcome: 'refused', code: 'not_claimed' },
    'Nobody claimed it in time. Nothing was done',
    'bad',
  ],
  [
    'deployment',
    { outcome: 'unknown', code: 'lease_ended' },
    'Outcome unknown: it was claimed, and nothing was reported in time',
    'warn',
  ],
  [
    'deployment',
    { outcome: 'done', executor: 'webhook', result_digest: '5f' },
    'Done by its executor',
    'good',
  ],
  [
    'deployment',
    { outcome: 'refused', executor: 'webhook', code: 'http_422' },
    'Refused by its executor: http 422. Nothing was done',
    'bad',
  ],
  [
    'deployment',
    { outcome: 'refused', executor: 'webhook', code: 'address_refused' },
    'Its executor was not called: its address is not one that the gate may call. Nothing was done',
    'bad',
  ],
  [
    'deployment',
    { outcome: 'unknown', executor: 'webhook', code: 'timeout' },
    'Outcome unknown: its executor may have done it. Check there before you repeat it',
    'warn',
  ],
  [
    'upstream_tool',
    { outcome: 'refused', code: 'tool_gone' },
    'The tool is no longer served. Nothing was done',
    'bad',
  ],
  [
    'upstream_tool',
    { outcome: 'refused', code: 'not_taken' },
    'The MCP server was not reached, or did not take the call. Nothing was done',
    'bad',
  ],
  [
    'of_tomorrow',
    { outcome: 'done', parts_sent: 3, is_late: true },
    'outcome: done; parts sent: 3; is late',
    'good',
  ],
])('a result reads as a sentence', (kind, result, words, tone) => {
  expect([resultWords(kind, result), resultTone(result)]).toEqual([words, tone])
})

testRows<[kind: string, result: Record<string, unknown>, words: string]>([
  ['refund', { outcome: 'refused', provider: 'stripe' }, 'The provider refused it. Nothing was executed'],
  ['broadcast', { outcome: 'refused' }, 'The provider refused it. Nothing was executed'],
  [
    'upstream_tool',
    { outcome: 'refused', code: 'tool_changed' },
    'The tool changed after it was proposed. Nothing was done',
  ],
  [
    'deployment',
    { outcome: 'refused', executor: 'webhook', code: 'http_422' },
    'Refused by its executor: http 422. Nothing was done',
  ],
  ['deployment', { outcome: 'refused', reported: 'refused' }, 'Refused by its executor. Nothing was done'],
  [
    'refund',
    { outcome: 'refused', code: 'payload_changed' },
    'Changed in the database after the consent. Nothing was done',
  ],
])('a member who approved reads who refused', (kind, result, words) => {
  expect(notDoneWords(kind, result)).toBe(words)
})
