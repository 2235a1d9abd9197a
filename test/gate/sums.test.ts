import type { CurriculumRecord } from '../../src/gate/tier.ts'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { dryRun, type PastProposal } from '../../src/gate/dry-run.ts'
import { meetsFloor } from '../../src/gate/consent.ts'
import { type KindRule, type Policy, clearance, defaultPolicy } from '../../src/gate/policy.ts'
import { spentText } from '../../src/gate/subject.ts'
import { type Spent, type Velocity, dayCentsMax, defaultLimits, velocityOf } from '../../src/gate/velocity.ts'
import { limits } from '../../src/limits.ts'
import { now, sentenceOf, tier } from './arbitraries.ts'
import { testRows } from '../support/rows.ts'

const grace = (curricula: CurriculumRecord[]) => ({ name: 'Grace', adminTier: null, curricula })

const attested = 'agent_attested' as const
const withRefund = (rule: KindRule): Policy => ({ ...defaultPolicy, kinds: { refund: rule } })
/** The agent's word up to 100.00, the member's own page up to 1,000.00. */
const floored = withRefund({
  bands: {
    usd: [
      { up_to_cents: 10_000, tier: 'guarded_write', consent: attested },
      { up_to_cents: 100_000, tier: 'write', consent: 'page' },
    ],
  },
})
const ofRefund = (policy: Policy, amountCents: number, spent: Partial<Spent>, of = 'write' as const) =>
  clearance(policy, { kind: 'refund', amountCents, currency: 'usd' }, of, spent)

const cents = fc.integer({ min: 0, max: 200_000 })

describe('amounts in pieces', () => {
  test('are cleared like one amount of their sum', () => {
    fc.assert(
      fc.property(cents, cents, tier, (amount, before, of) => {
        const weigh = (amountCents: number, subjectCents: number) =>
          clearance(floored, { kind: 'refund', amountCents, currency: 'usd' }, of, { subjectCents })
        const [pieces, whole] = [weigh(amount, before), weigh(amount + before, 0)]
        expect(pieces.allowed).toBe(whole.allowed)
        if (pieces.allowed) expect([pieces.needed, pieces.consent]).toEqual([whole.needed, whole.consent])
      }),
    )
  })

  test('never need less after more was confirmed', () => {
    fc.assert(
      fc.property(cents, cents, cents, tier, (amount, a, b, of) => {
        const weigh = (subjectCents: number) =>
          clearance(floored, { kind: 'refund', amountCents: amount, currency: 'usd' }, of, { subjectCents })
        const [less, more] = [weigh(Math.min(a, b)), weigh(Math.max(a, b))]
        if (!more.allowed) return
        expect(less.allowed && meetsFloor(more.consent, less.consent)).toBe(true)
      }),
    )
  })

  test('however they are cut, no more than the floor is confirmed by the agent alone', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 15_000 }), { maxLength: 20 }), (pieces) => {
        let attestedCents = 0
        for (const piece of pieces) {
          const cleared = ofRefund(floored, piece, { subjectCents: attestedCents })
          if (cleared.allowed && cleared.consent === attested) attestedCents += piece
        }
        expect(attestedCents).toBeLessThanOrEqual(10_000)
      }),
    )
  })

  test('count by subject or by customer, whichever is more, and say which', () => {
    fc.assert(
      fc.property(cents, cents, cents, tier, (amount, a, b, of) => {
        const weigh = (spent: Partial<Spent>) =>
          clearance(floored, { kind: 'refund', amountCents: amount, currency: 'usd' }, of, spent)
        const both = weigh({ subjectCents: a, customerCents: b })
        const alone = a >= b ? weigh({ subjectCents: a }) : weigh({ customerCents: b })
        expect(both).toEqual(alone)
        const cleared = weigh({ subjectCents: Math.max(a, b) })
        expect([both.allowed, both.needed, both.consent]).toEqual([
          cleared.allowed,
          cleared.needed,
          cleared.consent,
        ])
      }),
    )
    expect(ofRefund(floored, 10_000, { subjectCents: 10_000, customerCents: 40_000 }).rule).toBe(
      'This 100.00 USD refund, with 400.00 USD already refunded to this customer in the last 24 hours, requires `write` (up to 1,000.00 USD)',
    )
  })

  test('are told with their sum where it needs another tier, another consent, or is above the last band', () => {
    const before = 'with 400.00 USD already refunded on this payment in the last 24 hours'
    const spent = { subjectCents: 40_000 }
    expect(ofRefund(floored, 10_000, spent)).toEqual({
      allowed: true,
      rule: `This 100.00 USD refund, ${before}, requires \`write\` (up to 1,000.00 USD)`,
      needed: 'write',
      consent: 'page',
    })
    const guarded = clearance(floored, { kind: 'refund', amountCents: 10_000 }, 'guarded_write', spent)
    expect(sentenceOf(guarded, 'guarded_write', grace([]), now)).toBe(
      `This 100.00 USD refund, ${before}, requires \`write\` (up to 1,000.00 USD); the member has \`guarded_write\`. To qualify, ask an administrator.`,
    )
    const above = ofRefund(floored, 60_001, spent)
    expect(sentenceOf(above, 'write', grace([]), now)).toBe(
      `This 600.01 USD refund, ${before}, is above the highest amount that the policy allows. Wait, or ask an administrator.`,
    )
  })

  test('are denied for the tier and not for the day where the tier would not do for one of them', () => {
    const denied = clearance(floored, { kind: 'refund', amountCents: 50_000 }, 'guarded_write', {
      subjectCents: 90_000,
    })
    expect(denied).toMatchObject({
      allowed: false,
      rule: 'This 500.00 USD refund requires `write`',
      needed: 'write',
    })
    expect(denied).toMatchObject({ code: 'tier_insufficient' })
  })

  test('are told in the words of their kind', () => {
    expect(spentText('payout', { subjectCents: 100, customerCents: 0 }, 'eur')).toBe(
      'with 1.00 EUR already paid out to this destination in the last 24 hours',
    )
    expect(spentText('buy_coffee', { subjectCents: 100, customerCents: 0 }, 'eur')).toBe(
      'with 1.00 EUR already confirmed for the same subject in the last 24 hours',
    )
    expect(spentText('refund', { subjectCents: 0, customerCents: 0 }, 'usd')).toBe('')
  })
})

describe('a day', () => {
  const bands = { usd: [{ up_to_cents: 10_000, tier: 'write' as const, consent: attested }] }
  const member = (actions: number, spentCents: number) => ({ member: { actions, cents: spentCents } })

  test('has by default 50 actions of a member, and ten times the highest amount that is cleared', () => {
    const policy = withRefund({ bands })
    expect(ofRefund(policy, 1, member(49, 0)).allowed).toBe(true)
    expect(ofRefund(policy, 1, member(50, 0)).allowed).toBe(false)
    expect(ofRefund(policy, 10_000, member(9, 90_000)).allowed).toBe(true)
    expect(ofRefund(policy, 10_000, member(9, 90_001)).allowed).toBe(false)
    expect(defaultLimits({ ...bands, eur: [{ tier: 'write', consent: attested }] })).toEqual({
      actions_per_day: 50,
      cents_per_day: { usd: 100_000, eur: dayCentsMax },
    })
    expect(dayCentsMax).toBe(limits.amountCentsMax)
  })

  test('never stops a single amount that an open band clears, but pieces of it', () => {
    const policy = withRefund({ bands: { usd: [...bands.usd, { tier: 'write', consent: attested }] } })
    expect(ofRefund(policy, 99_999_999, member(0, 0)).allowed).toBe(true)
    expect(ofRefund(policy, 99_999, member(1, 2)).allowed).toBe(false)
    const explicit = withRefund({
      bands: { usd: [...bands.usd, { tier: 'write', consent: attested }] },
      velocity: { cents_per_day: { usd: 100 } },
    })
    expect(ofRefund(explicit, 101, member(0, 0)).allowed).toBe(false)
  })

  testRows<[string, Velocity | 'off' | undefined, Velocity]>([
    ['nothing: the defaults', undefined, { actions_per_day: 50, cents_per_day: { usd: 100_000 } }],
    ['off', 'off', {}],
    ['one limit, as in policies of before: that alone', { actions_per_day: 3 }, { actions_per_day: 3 }],
    [
      'the account alone: a member has the defaults',
      { account: { actions_per_day: 9 } },
      { actions_per_day: 50, cents_per_day: { usd: 100_000 }, account: { actions_per_day: 9 } },
    ],
    [
      'the account, and no limit of a member',
      { actions_per_day: null, account: { actions_per_day: 9 } },
      { actions_per_day: null, account: { actions_per_day: 9 } },
    ],
  ])('whose velocity has sums', (_, velocity, holds) => {
    expect(velocityOf({ bands, velocity })).toEqual(holds)
  })

  test('of the account and of a key has limits of its own, which say whose they are', () => {
    const velocity = {
      actions_per_day: null,
      account: { actions_per_day: 2 },
      key: { cents_per_day: { usd: 500 } },
    }
    const policy = withRefund({ bands, velocity })
    const two = { actions: 2, cents: 0 }
    expect(ofRefund(policy, 1, { member: { actions: 999, cents: 0 } }).allowed).toBe(true)
    expect(ofRefund(policy, 1, { account: two }).rule).toBe(
      'The limit is 2 refund actions in 24 hours for the whole account (2 already confirmed)',
    )
    expect(ofRefund(policy, 101, { key: { actions: 1, cents: 400 } }).rule).toBe(
      'This 1.01 USD refund plus the 4.00 USD of the last 24 hours exceeds the limit of 5.00 USD for one API key',
    )
  })

  test('with more in it than is counted has no room', () => {
    expect(ofRefund(withRefund({ bands, velocity: 'off' }), 1, { isUncounted: true }).allowed).toBe(false)
  })
})

test('a policy tried on the past sums what it would have let through, over members and keys', () => {
  const past = [1, 2, 3, 4].map((id): PastProposal => ({
    id,
    kind: 'refund',
    memberId: `mem_${id % 2}`,
    tier: 'write',
    createdAt: new Date(now.getTime() + id * 1_000),
    confirmedAt: new Date(now.getTime() + id * 1_000),
    isRefused: false,
    weight: { amountCents: 10_000, currency: 'usd' },
    subject: id === 4 ? 'pi_other' : 'pi_1',
    customer: null,
    keys: [],
  }))
  const alone = withRefund({ bands: { usd: [{ tier: 'write', consent: attested }] } })
  const { changed } = dryRun(alone, floored, past)
  expect(changed.map(({ id, change }) => [id, change])).toEqual([
    [3, 'stronger'],
    [2, 'stronger'],
  ])
  const perKey = withRefund({
    bands: { usd: [{ tier: 'write', consent: attested }] },
    velocity: { key: { actions_per_day: 1 } },
  })
  const byKey = past.map((p) => ({ ...p, keys: p.id < 3 ? ['key_a'] : [`key_${p.id}`] }))
  expect(dryRun(alone, perKey, byKey).changed.map(({ id }) => id)).toEqual([2])
})

test('a policy tried on the past sums refunds of one customer over several payments', () => {
  const past = [1, 2, 3].map((id): PastProposal => ({
    id,
    kind: 'refund',
    memberId: 'mem_1',
    tier: 'write',
    createdAt: new Date(now.getTime() + id * 1_000),
    confirmedAt: new Date(now.getTime() + id * 1_000),
    isRefused: false,
    weight: { amountCents: 10_000, currency: 'usd' },
    subject: `pi_${id}`,
    customer: id === 3 ? 'cus_other' : 'cus_1',
    keys: [],
  }))
  const alone = withRefund({ bands: { usd: [{ tier: 'write', consent: attested }] } })
  const { changed } = dryRun(alone, floored, past)
  expect(changed.map(({ id, change }) => [id, change])).toEqual([[2, 'stronger']])
})
