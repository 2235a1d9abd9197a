import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { currencies } from '../../src/gate/money.ts'
import {
  type Policy,
  belowEveryBand,
  channelChoice,
  clearance,
  defaultPolicy,
} from '../../src/gate/policy.ts'
import { type CurriculumRecord, reaches, tiers } from '../../src/gate/tier.ts'
import { curricula, now, sentenceOf, tier } from './arbitraries.ts'
import { testRows } from '../support/rows.ts'

const grace = (curricula: CurriculumRecord[]) => ({ name: 'Grace', adminTier: null, curricula })

const amountCents = fc.integer({ min: 0, max: 20_000_000 })
const currency = fc.constantFrom(...currencies)
const billing = fc.constantFrom('refund', 'checkout', 'payout', 'subscription_cancellation')

test('a broadcast needs guarded_write by default', () => {
  expect(tiers.map((t) => clearance(defaultPolicy, { kind: 'broadcast' }, t).allowed)).toEqual([
    false,
    true,
    true,
  ])
})

testRows([
  ['refund', 10_000, 'guarded_write'],
  ['refund', 10_001, 'write'],
  ['refund', 1_000_000, 'write'],
  ['refund', 1_000_001, null],
  ['checkout', 100_000, 'guarded_write'],
  ['checkout', 100_001, 'write'],
  ['checkout', 5_000_000, 'write'],
  ['checkout', 5_000_001, null],
  ['subscription_cancellation', 50_000, 'guarded_write'],
  ['subscription_cancellation', 50_001, 'write'],
  ['subscription_cancellation', 99_999_999_999, 'write'],
  ['payout', 1, 'write'],
  ['payout', 1_000_000, 'write'],
  ['payout', 1_000_001, null],
])('the default policy asks each amount for its tier', (kind, amount, needed) => {
  expect(clearance(defaultPolicy, { kind, amountCents: amount, currency: 'usd' }, 'write').needed).toBe(
    needed,
  )
})

test('a higher tier is never refused what a lower one may do', () => {
  fc.assert(
    fc.property(billing, amountCents, currency, tier, tier, (kind, amount, cur, a, b) => {
      const [low, high] = reaches(a, b) ? [b, a] : [a, b]
      const weight = { kind, amountCents: amount, currency: cur }
      const isLowAllowed = clearance(defaultPolicy, weight, low).allowed
      return !isLowAllowed || clearance(defaultPolicy, weight, high).allowed
    }),
  )
})

test('a smaller amount is never refused where a larger one is allowed', () => {
  fc.assert(
    fc.property(billing, amountCents, amountCents, currency, tier, (kind, a, b, cur, t) => {
      const allows = (amount: number) =>
        clearance(defaultPolicy, { kind, amountCents: amount, currency: cur }, t).allowed
      return !allows(Math.max(a, b)) || allows(Math.min(a, b))
    }),
  )
})

test('bands hold for every allowed currency unless given apart', () => {
  const policy: Policy = {
    ...defaultPolicy,
    kinds: {
      refund: {
        bands: {
          usd: [{ up_to_cents: 100, tier: 'guarded_write', consent: 'agent_attested' }],
          sek: [{ up_to_cents: 900, tier: 'write', consent: 'agent_attested' }],
        },
      },
    },
  }
  const asks = (cur: string, amount: number) =>
    clearance(policy, { kind: 'refund', amountCents: amount, currency: cur }, 'write')
  for (const cur of currencies.filter((c) => c !== 'sek')) {
    expect(asks(cur, 100)).toMatchObject({ allowed: true, needed: 'guarded_write' })
    expect(asks(cur, 101)).toMatchObject({ allowed: false, needed: null })
  }
  expect(asks('sek', 900)).toMatchObject({ allowed: true, needed: 'write' })
})

test('an action that cannot be weighed is denied for every tier: no amount, a strange currency, a kind without a rule', () => {
  fc.assert(
    fc.property(tier, fc.string({ maxLength: 8 }), (t, text) => {
      const strange = (currencies as readonly string[]).includes(text) ? 'jpy' : text
      for (const weight of [
        { kind: 'refund' },
        { kind: 'refund', amountCents: 1, currency: strange },
        { kind: 'no_such_kind' },
      ]) {
        expect(clearance(defaultPolicy, weight, t)).toMatchObject({ allowed: false, needed: null })
      }
    }),
  )
})

test('the rule names the amount, the tier and the band', () => {
  const cleared = clearance(
    defaultPolicy,
    { kind: 'refund', amountCents: 123_456, currency: 'usd' },
    'read_only',
  )
  expect(cleared.rule).toBe('This 1,234.56 USD refund requires `write` (up to 10,000.00 USD)')
})

test('a denial says the rule, where the member stands, and how to qualify', () => {
  const safeSending: CurriculumRecord = {
    slug: 'safe-sending',
    title: 'Safe sending',
    modules: 4,
    grants: 'guarded_write',
    validDays: null,
    passes: [1, 2].map((module) => ({ module, passedAt: now, latestAt: now })),
  }
  const cleared = clearance(defaultPolicy, { kind: 'broadcast' }, 'read_only')
  expect(sentenceOf(cleared, 'read_only', grace([safeSending]), now)).toBe(
    'This broadcast requires `guarded_write`; the member has `read_only`. To qualify, pass "Safe sending" (2 of 4 modules), or ask an administrator.',
  )
})

test('a denial names only curricula that would suffice, the nearest first, three at most', () => {
  fc.assert(
    fc.property(curricula, (records) => {
      const cleared = clearance(defaultPolicy, { kind: 'payout', amountCents: 1 }, 'read_only')
      const sentence = sentenceOf(cleared, 'read_only', grace(records), now)
      const ways = sentence.slice(sentence.indexOf(': ') + 2).match(/\(\d+ of \d+ modules\)/g) ?? []
      const left = ways.map((way) => {
        const [passed, total] = way.match(/\d+/g)!.map(Number)
        return total! - passed!
      })
      const sufficient = records.filter((c) => c.grants === 'write').length
      expect(ways.length).toBeLessThanOrEqual(Math.min(3, sufficient) + otherMatches(records))
      expect(left).toEqual(left.toSorted((a, b) => a - b))
      expect(sentence).toMatch(/ask an administrator\.$/)
    }),
  )
  // Titles are free text: one that looks like a count is no count.
  function otherMatches(records: CurriculumRecord[]): number {
    return records.filter((c) => /modules/.test(c.title)).length
  }
})

test('above the last band the denial says that nobody may', () => {
  const cleared = clearance(defaultPolicy, { kind: 'payout', amountCents: 1_000_001 }, 'write')
  expect(sentenceOf(cleared, 'write', grace([]), now)).toBe(
    'This 10,000.01 USD payout is above the highest amount that the policy allows. No tier is sufficient; ask an administrator to change the policy.',
  )
})

test('a broadcast takes one channel a member unless the policy says all', () => {
  expect(channelChoice(defaultPolicy, 'broadcast')).toBe('preferred')
  const all: Policy = {
    ...defaultPolicy,
    kinds: { broadcast: { tier: 'write', channels: 'all', consent: 'agent_attested' } },
  }
  expect(channelChoice(all, 'broadcast')).toBe('all')
})

const limited: Policy = {
  ...defaultPolicy,
  kinds: {
    refund: {
      bands: { usd: [{ up_to_cents: 10_000, tier: 'guarded_write', consent: 'agent_attested' }] },
      velocity: { actions_per_day: 3, cents_per_day: { usd: 15_000, eur: 100 } },
    },
  },
}
const ofRefund = (amount: number, spent: { actions: number; cents: number }, currency = 'usd') =>
  clearance(limited, { kind: 'refund', amountCents: amount, currency }, 'write', { member: spent })

testRows([
  [5_000, { actions: 2, cents: 10_000 }, 'usd', true],
  [5_001, { actions: 2, cents: 10_000 }, 'usd', false],
  [1, { actions: 3, cents: 3 }, 'usd', false],
  [100, { actions: 0, cents: 0 }, 'eur', true],
  [101, { actions: 0, cents: 0 }, 'eur', false],
  [5_000, { actions: 0, cents: 10_000 }, 'gbp', true],
  [5_001, { actions: 0, cents: 10_000 }, 'gbp', false],
])('an amount is allowed while the day has room for it', (amount, spent, currency, allowed) => {
  expect(ofRefund(amount, spent, currency).allowed).toBe(allowed)
})

test('a denial by the limit of a day says what was confirmed, and to wait', () => {
  const often = ofRefund(1, { actions: 3, cents: 3 })
  expect(sentenceOf(often, 'write', grace([]), now)).toBe(
    'The limit is 3 refund actions in 24 hours for one member (3 already confirmed). Wait, or ask an administrator.',
  )
  const much = ofRefund(6_000, { actions: 1, cents: 10_000 })
  expect(sentenceOf(much, 'write', grace([]), now)).toBe(
    'This 60.00 USD refund plus the 100.00 USD of the last 24 hours exceeds the limit of 150.00 USD for one member. Wait, or ask an administrator.',
  )
})

test('a tier that does not suffice is told that, whatever the day has seen', () => {
  const denied = clearance(limited, { kind: 'refund', amountCents: 1 }, 'read_only', {
    member: { actions: 9, cents: 9 },
  })
  expect(denied).toMatchObject({ allowed: false, needed: 'guarded_write' })
  expect(denied).toMatchObject({ code: 'tier_insufficient' })
})

test('having done more never allows more', () => {
  const count = fc.integer({ min: 0, max: 5 })
  fc.assert(
    fc.property(amountCents, count, count, amountCents, (amount, a, b, cents) => {
      const allows = (actions: number) => ofRefund(amount, { actions, cents }).allowed
      return !allows(Math.max(a, b)) || allows(Math.min(a, b))
    }),
  )
})

test('a member below every band of a kind is refused whatever the amount, and nobody else is', () => {
  fc.assert(
    fc.property(billing, amountCents, currency, tier, (kind, amount, cur, t) => {
      const below = belowEveryBand(defaultPolicy, kind, t)
      const weighed = clearance(defaultPolicy, { kind, amountCents: amount, currency: cur }, t)
      const canReach = clearance(defaultPolicy, { kind, amountCents: 0, currency: cur }, t).allowed
      return below ? !weighed.allowed && !canReach : canReach
    }),
  )
})

test('a kind that asks for one tier at any amount has that as its only band', () => {
  const policy: Policy = { ...defaultPolicy, kinds: { refund: { tier: 'write', consent: 'agent_attested' } } }
  expect(belowEveryBand(policy, 'refund', 'guarded_write')).toMatchObject({
    allowed: false,
    needed: 'write',
    rule: 'A refund requires at least `write`',
  })
  expect(belowEveryBand(policy, 'refund', 'write')).toBeUndefined()
})
