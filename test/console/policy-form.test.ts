import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { actionKinds } from '../../src/actions/registry.ts'
import { parsePolicyFields, policyFields } from '../../src/console/policies/form-fields.ts'
import { countRows } from '../../src/console/policies/form-values.ts'
import { rebaseForm } from '../../src/console/policies/rebase-form.ts'
import { currencies } from '../../src/gate/money.ts'
import type { KindRule, Policy } from '../../src/gate/policy.ts'
import { tiers } from '../../src/gate/tier.ts'
import { limits } from '../../src/limits.ts'
import { accountPolicy } from '../../src/operations/policy/account-policy.ts'
import { defaultRules, parsePolicyDocument } from '../../src/operations/policy/parse-policy-document.ts'
import { onlyChanges } from '../../src/operations/policy/only-changes.ts'
import { testRows } from '../support/rows.ts'

const kinds = new Map(actionKinds.map((kind) => [kind.kind, kind]))
const rules = defaultRules(kinds)
const names = Object.keys(rules)
const parts = [...names, 'settings']
const inForce = accountPolicy({ policy: null, policyVersion: 7 }, kinds.values())

const consent = fc.constantFrom('agent_attested' as const, 'chat' as const, 'page' as const)
const cents = fc.integer({ min: 0, max: limits.amountCentsMax })
const bands = fc
  .tuple(
    fc.uniqueArray(cents, { minLength: 1, maxLength: 5 }),
    fc.boolean(),
    fc.array(fc.record({ tier: fc.constantFrom(...tiers), consent }), { minLength: 5, maxLength: 5 }),
  )
  .map(([amounts, isOpen, rules]) =>
    amounts
      .toSorted((a, b) => a - b)
      .map((up_to_cents, n, all) =>
        isOpen && n === all.length - 1 ? rules[n]! : { up_to_cents, ...rules[n]! },
      ),
  )
const others = fc.subarray(currencies.filter((currency) => currency !== 'usd'))
const amounts = (each: fc.Arbitrary<unknown>) =>
  fc.tuple(each, others, fc.array(each, { minLength: 11, maxLength: 11 })).map(([usd, named, values]) => ({
    usd,
    ...Object.fromEntries(named.map((currency, n) => [currency, values[n]])),
  }))
const dayLimits = fc
  .record(
    { actions_per_day: fc.integer({ min: 1, max: 9_999 }), cents_per_day: amounts(cents) },
    { requiredKeys: [] },
  )
  .filter((day) => Object.keys(day).length > 0)
const ofMany = fc.record({ account: dayLimits, key: dayLimits }, { requiredKeys: [] })
const some = (value: object) => Object.keys(value).length > 0
const velocity = fc.oneof(
  fc.constant('off' as const),
  fc.tuple(dayLimits, ofMany).map(([member, many]) => ({ ...member, ...many })),
  ofMany.filter(some),
  ofMany.filter(some).map((many) => ({ actions_per_day: null, ...many })),
)
const banded = fc.record({ bands: amounts(bands), velocity: fc.option(velocity, { nil: undefined }) })
const rule = fc.oneof(banded, fc.record({ tier: fc.constantFrom(...tiers), consent }))
const policy = fc
  .record({
    expires_after_hours: fc.double({ min: 0.001, max: 8_760, noNaN: true }),
    open_max_per_member: fc.integer({ min: 1, max: 10_000 }),
    mailbox_settles_after_hours: fc.oneof(fc.constant(0), fc.double({ min: 0.0001, max: 720, noNaN: true })),
    ask_when_proposed: fc.boolean(),
    refund: rule,
    payout: rule,
    broadcast: fc.record({
      tier: fc.constantFrom(...tiers),
      channels: fc.option(fc.constantFrom('preferred', 'all'), { nil: undefined }),
      consent,
    }),
  })
  .map(({ refund, payout, broadcast, ...rest }): Policy => ({
    version: 7,
    mandates: {},
    ...rest,
    runner: inForce.runner,
    kinds: { ...inForce.kinds, ...({ refund, payout, broadcast } as unknown as Record<string, KindRule>) },
  }))
const shownBy = (shown: Policy) => policyFields(shown, rules)
const documentOf = (fields: Record<string, string>) =>
  parsePolicyDocument(kinds, parsePolicyFields(fields, parts))
const plain = (value: unknown) => JSON.parse(JSON.stringify(value))

describe('a policy as a form', () => {
  test('that is sent as it was shown is the policy that it was made of', () => {
    fc.assert(
      fc.property(policy, (shown) => {
        const document = documentOf(shownBy(shown))
        const { broadcast } = shown.kinds as Record<string, { channels?: string }>
        const named = { ...broadcast, channels: broadcast!.channels ?? 'preferred' }
        // The rules about tool calls have a form of their own.
        const { runner: _, ...others } = shown
        expect(plain(document)).toEqual(plain({ ...others, kinds: { ...shown.kinds, broadcast: named } }))
        expect(onlyChanges(shown, document)).toEqual({ version: 7 })
      }),
    )
  })

  test('keeps to what others set of a kind that was stored without its channels', () => {
    const withBroadcast = (more: Partial<KindRule>): Policy => ({
      ...inForce,
      kinds: {
        ...inForce.kinds,
        broadcast: { tier: 'write', consent: 'agent_attested', ...more } as KindRule,
      },
    })
    const base = withBroadcast({})
    const now = { ...withBroadcast({ consent: 'page' }), version: 8 }
    const filled = { ...shownBy(base), 'broadcast.channels': 'preferred', open_max_per_member: '5' }
    expect(onlyChanges(now, documentOf(rebaseForm(filled, shownBy(base), shownBy(now))))).toEqual({
      version: 8,
      open_max_per_member: 5,
    })
    expect(onlyChanges(base, documentOf({ ...shownBy(base), 'broadcast.channels': 'all' }))).toMatchObject({
      kinds: { broadcast: { channels: 'all' } },
    })
  })

  test('of the policy in force changes nothing', () => {
    expect(onlyChanges(inForce, documentOf(shownBy(inForce)))).toEqual({ version: 7 })
  })

  test('sets the kinds that were changed, and leaves the others to their defaults', () => {
    const fields = { ...shownBy(inForce), 'broadcast.tier': 'write', open_max_per_member: '5' }
    expect(onlyChanges(inForce, documentOf(fields))).toEqual({
      version: 7,
      open_max_per_member: 5,
      kinds: { broadcast: { tier: 'write', channels: 'preferred', consent: 'agent_attested' } },
    })
  })

  test('does not ask for the one tier of a kind that is cleared by its amount', () => {
    const fields = { ...shownBy(inForce), 'refund.tier': '', 'refund.consent': '' }
    expect(onlyChanges(inForce, documentOf(fields))).toEqual({ version: 7 })
  })

  const refundOf = (more: Record<string, string>) =>
    (
      parsePolicyFields({ ...shownBy(inForce), ...more }, parts) as {
        kinds: { refund: { bands?: { usd: unknown[] } } }
      }
    ).kinds.refund

  test('takes bands in whatever order they were entered, and drops empty and removed ones', () => {
    const { bands } = refundOf({
      'refund.band.0.tier': 'remove',
      'refund.band.2.currency': 'usd',
      'refund.band.2.up_to': '1,000.00',
      'refund.band.2.tier': 'guarded_write',
      'refund.band.2.consent': 'page',
      'refund.band.3.currency': 'usd',
      'refund.band.3.up_to': '',
      'refund.band.3.tier': '',
      'refund.band.3.consent': 'agent_attested',
    })
    expect(bands!.usd).toEqual([
      { up_to_cents: 100_000, tier: 'guarded_write', consent: 'page' },
      { up_to_cents: 1_000_000, tier: 'write', consent: 'agent_attested' },
    ])
  })

  testRows<[string, Record<string, string>, RegExp]>([
    ['a field of no form', { 'refund.extra': '1' }, /unknown field refund\.extra/],
    ['a kind that nobody knows', { 'launch.tier': 'write' }, /unknown field launch\.tier/],
    ['a row beyond the last', { 'refund.band.300.tier': 'write' }, /unknown field/],
    ['a day with a tier', { 'refund.day.0.tier': 'write' }, /unknown field/],
    ['a name of the language', { __proto__x: '1' }, /unknown field/],
    [
      'an amount that may mean two',
      { 'refund.band.0.up_to': '1,250' },
      /refund, band 1: “1,250” is not an amount/,
    ],
    [
      'an amount without a tier',
      { 'refund.band.0.tier': '' },
      /refund has a band up to 100\.00 without a tier/,
    ],
    [
      'one tier that nobody chose',
      { 'refund.by': 'tier', 'refund.tier': '', 'refund.consent': 'page' },
      /refund is ruled by one tier\. Choose its tier/,
    ],
    [
      'a consent that nobody chose',
      { 'refund.by': 'tier', 'refund.tier': 'write', 'refund.consent': '' },
      /refund is ruled by one tier\. Choose its consent/,
    ],
    [
      'one tier without its fields',
      { 'refund.by': 'tier', 'refund.tier': 'write' },
      /refund is ruled by one tier\. Choose its consent/,
    ],
    ['hours in words', { expires_after_hours: 'a week' }, /expires_after_hours must be a number/],
    ['no version', { version: '' }, /version is required/],
    [
      'two amounts of a currency',
      {
        'refund.day.0.currency': 'usd',
        'refund.day.0.amount': '1',
        'refund.day.1.currency': 'usd',
        'refund.day.1.amount': '2',
      },
      /two daily amounts for the same currency/,
    ],
  ])('with values that do not fit is refused, and says why', (_, more, sentence) => {
    expect(() => parsePolicyFields({ ...shownBy(inForce), ...more }, parts)).toThrow(sentence)
  })

  test('that names a currency like a property of every object is refused as any other', () => {
    for (const currency of ['__proto__', 'constructor', 'jpy', '']) {
      const fields = { ...shownBy(inForce), 'refund.band.0.currency': currency }
      expect(() => documentOf(fields)).toThrow(/kinds\.refund/)
    }
  })

  test('counts its rows, and those that hold something', () => {
    const fields = {
      'refund.band.4.currency': 'usd',
      'refund.band.1.up_to': '5',
      'payout.band.9.tier': 'write',
    }
    expect([countRows(fields, 'refund', 'band', false), countRows(fields, 'refund', 'band', true)]).toEqual([
      5, 2,
    ])
    expect(countRows({}, 'refund', 'day', true)).toBe(0)
  })
})
