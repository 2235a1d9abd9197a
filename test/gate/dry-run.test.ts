import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type PastProposal, dryRun } from '../../src/gate/dry-run.ts'
import { type KindRule, type Policy, clearance, defaultPolicy } from '../../src/gate/policy.ts'
import { dayMs, now, tier } from './arbitraries.ts'

const consent = 'agent_attested' as const
const withRule = (kind: string, rule: KindRule): Policy => ({
  ...defaultPolicy,
  kinds: { ...defaultPolicy.kinds, [kind]: rule },
})

const proposal = fc
  .record({
    kind: fc.constantFrom('refund', 'payout', 'broadcast', 'checkout'),
    memberId: fc.constantFrom('mem_a', 'mem_b'),
    tier,
    ageMs: fc.integer({ min: 0, max: 3 * dayMs }),
    amountCents: fc.integer({ min: 1, max: 2_000_000 }),
    currency: fc.constantFrom('usd', 'eur'),
    isConfirmed: fc.boolean(),
    isRefused: fc.boolean(),
    subject: fc.constantFrom(null, 'pi_1', 'pi_2'),
    customer: fc.constantFrom(null, 'cus_1'),
    keys: fc.subarray(['key_1', 'key_2']),
  })
  .map(({ ageMs, amountCents, currency, isConfirmed, ...rest }): Omit<PastProposal, 'id'> => ({
    ...rest,
    createdAt: new Date(now.getTime() - ageMs),
    confirmedAt: isConfirmed ? new Date(now.getTime() - ageMs + 1_000) : null,
    weight: rest.kind === 'broadcast' ? null : { amountCents, currency },
  }))
const proposals = fc
  .array(proposal, { maxLength: 30 })
  .map((list) => list.map((p, i) => ({ ...p, id: i + 1 })))

const refund = (id: number, p: Partial<PastProposal> = {}): PastProposal => ({
  id,
  kind: 'refund',
  memberId: 'mem_a',
  tier: 'guarded_write',
  createdAt: new Date(now.getTime() + id * 1_000),
  confirmedAt: new Date(now.getTime() + id * 1_000),
  isRefused: false,
  weight: { amountCents: 5_000, currency: 'usd' },
  subject: null,
  customer: null,
  keys: [],
  ...p,
})

describe('a policy tried on the past', () => {
  test('that is the same changes nothing, and counts every proposal once', () => {
    fc.assert(
      fc.property(proposals, (past) => {
        const { kinds, changed } = dryRun(defaultPolicy, defaultPolicy, past)
        expect(changed).toEqual([])
        expect(kinds.reduce((sum, k) => sum + k.proposals, 0)).toBe(past.length)
      }),
    )
  })

  test('says of each proposal what clearance says, in whatever order they come', () => {
    const stricter = withRule('payout', { tier: 'write', consent: 'page' })
    fc.assert(
      fc.property(proposals, fc.infiniteStream(fc.nat()), (past, random) => {
        const result = dryRun(defaultPolicy, stricter, past)
        const shuffled = past.toSorted(() => (random.next().value % 2 === 0 ? 1 : -1))
        expect(dryRun(defaultPolicy, stricter, shuffled)).toEqual(result)
        const expected = past.filter((p) => {
          const [a, b] = [defaultPolicy, stricter].map((policy) =>
            clearance(policy, { kind: p.kind, ...p.weight }, p.tier),
          )
          return a!.allowed !== b!.allowed || (a!.allowed && a!.consent !== b!.consent)
        })
        expect(result.changed.map((c) => c.id)).toEqual(expected.map((p) => p.id).toReversed())
      }),
    )
  })

  test('tells denied, allowed, stronger and weaker apart', () => {
    const bands = (upTo: number, floor: 'agent_attested' | 'page' = consent): KindRule => ({
      bands: { usd: [{ up_to_cents: upTo, tier: 'guarded_write', consent: floor }] },
    })
    const counts = (before: KindRule, after: KindRule) =>
      dryRun(withRule('refund', before), withRule('refund', after), [refund(1)]).kinds[0]!.counts
    const none = { denied: 0, allowed: 0, stronger: 0, weaker: 0 }
    expect(counts(bands(5_000), bands(4_999))).toEqual({ ...none, denied: 1 })
    expect(counts(bands(4_999), bands(5_000))).toEqual({ ...none, allowed: 1 })
    expect(counts(bands(5_000), bands(5_000, 'page'))).toEqual({ ...none, stronger: 1 })
    expect(counts(bands(5_000, 'page'), bands(5_000))).toEqual({ ...none, weaker: 1 })
  })

  const aDay = (actions: number): Policy =>
    withRule('refund', {
      bands: { usd: [{ tier: 'guarded_write', consent }] },
      velocity: { actions_per_day: actions },
    })

  test("counts against a day's limit only what that policy would have let through", () => {
    const past = [1, 2, 3, 4].map((id) => refund(id))
    const { changed } = dryRun(aDay(100), aDay(2), past)
    expect(changed.map(({ id, change }) => [id, change])).toEqual([
      [4, 'denied'],
      [3, 'denied'],
    ])
    expect(changed[0]!.why).toBe(
      'The limit is 2 refund actions in 24 hours for one member (2 already confirmed)',
    )
  })

  test("leaves out of a day what was refused, never confirmed, another member's, or a day old", () => {
    const past = [
      refund(1, { isRefused: true }),
      refund(2, { confirmedAt: null }),
      refund(3, { memberId: 'mem_b' }),
      refund(4, { confirmedAt: new Date(now.getTime() - dayMs) }),
      refund(5),
    ]
    expect(dryRun(aDay(100), aDay(1), past).changed).toEqual([])
  })

  test('does not guess what a proposal of unknown weight would have come to', () => {
    const past = [refund(1, { weight: undefined })]
    const [counted] = dryRun(defaultPolicy, withRule('refund', { tier: 'write', consent }), past).kinds
    expect(counted).toMatchObject({ proposals: 1, unknownAmount: 1, counts: { denied: 0 } })
  })

  test('knows the answer for a tier below every band, whatever it weighed', () => {
    const past = [refund(1, { weight: undefined, tier: 'read_only' })]
    const open: KindRule = { tier: 'read_only', consent }
    const [counted] = dryRun(defaultPolicy, withRule('refund', open), past).kinds
    expect(counted).toMatchObject({ unknownAmount: 0, counts: { allowed: 1 } })
  })
})
