import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { withinCeilings } from '../../src/gate/ceilings.ts'
import {
  type AccountMoney,
  type Currency,
  currencies,
  givenFor,
  limitFor,
  ownCurrency,
} from '../../src/gate/money.ts'
import { limitLines, policyLines } from '../../src/gate/policy-lines.ts'
import { type KindRule, type Policy, clearance, defaultPolicy } from '../../src/gate/policy.ts'
import { posture } from '../../src/gate/posture.ts'
import { testRows } from '../support/rows.ts'

const band = (up_to_cents: number) => ({
  up_to_cents,
  tier: 'guarded_write' as const,
  consent: 'agent_attested' as const,
})
const policyOf = (money: AccountMoney, refund?: KindRule): Policy => ({
  ...defaultPolicy,
  ...money,
  kinds: { ...defaultPolicy.kinds, ...(refund ? { refund } : {}) },
})
const clear = (policy: Policy, amountCents: number, currency?: string, spentCents = 0) =>
  clearance(policy, { kind: 'refund', amountCents, currency }, 'write', {
    member: { actions: 1, cents: spentCents },
  })

testRows<[AccountMoney, Currency]>([
  [{}, 'usd'],
  [{ currency: 'eur' }, 'eur'],
  [{ currencies: ['eur', 'chf'] }, 'eur'],
  [{ currencies: ['chf', 'usd'] }, 'usd'],
  [{ currency: 'chf', currencies: ['eur', 'chf'] }, 'chf'],
])('an account reckons in one currency', (money, currency) => {
  expect(ownCurrency(money)).toBe(currency)
})

const euros: KindRule = { bands: { eur: [band(5_000)] } }
testRows<[string, AccountMoney, KindRule | undefined, number, string | undefined, string | true]>([
  ['euros alone, within', { currency: 'eur' }, euros, 5_000, 'eur', true],
  ['euros alone, above', { currency: 'eur' }, euros, 5_001, 'eur', 'above the highest amount'],
  ['euros alone, another currency of the account', { currency: 'eur' }, euros, 5_000, 'chf', true],
  ['euros alone, another above', { currency: 'eur' }, euros, 5_001, 'usd', 'above the highest amount'],
  ['no currency named: that of the account', { currency: 'eur' }, euros, 5_001, undefined, '50.01 EUR'],
  [
    'euros alone where dollars are reckoned in',
    {},
    euros,
    1,
    'usd',
    'no amounts of refund in usd (it has: eur)',
  ],
  ['euros alone where dollars are reckoned in, in euros', {}, euros, 5_000, 'eur', true],
  ['a default in dollars stands for euros', { currency: 'eur' }, undefined, 10_000, 'eur', true],
  [
    'not allowed',
    { currencies: ['eur', 'chf'] },
    undefined,
    1,
    'usd',
    'usd is not allowed in this account (allowed: eur, chf)',
  ],
  [
    'not allowed, also where the rule has a tier alone',
    { currencies: ['eur'] },
    { tier: 'write', consent: 'page' },
    1,
    'gbp',
    'gbp is not allowed',
  ],
  ['allowed', { currencies: ['eur', 'chf'] }, undefined, 10_000, 'chf', true],
])(
  "an amount is cleared by the bands of its currency, or of the account's",
  (_, money, rule, cents, currency, expected) => {
    const cleared = clear(policyOf(money, rule), cents, currency)
    expect(cleared.allowed).toBe(expected === true)
    if (expected !== true) expect(cleared.rule).toContain(expected)
  },
)

testRows<[Record<string, number> | null, string, string, number | undefined]>([
  [{ usd: 5, eur: 7 }, 'gbp', 'usd', 5],
  [{ usd: 5, eur: 7 }, 'gbp', 'eur', 7],
  [{ eur: 7 }, 'eur', 'usd', 7],
  // A limit in one currency is no way around it in another.
  [{ eur: 7 }, 'usd', 'usd', 7],
  [{ eur: 7, chf: 3 }, 'usd', 'usd', 3],
  [{ eur: 7, chf: 3 }, 'usd', 'eur', 7],
  [null, 'usd', 'usd', undefined],
])(
  "a currency without a limit of its own has that of the account's currency, or else the lowest",
  (each, currency, own, cents) => {
    expect(limitFor(each, currency, own)).toBe(cents)
  },
)

test('a limit in euros alone holds in every currency, for a member and for a key', () => {
  const rule: KindRule = {
    bands: { eur: [band(1_000_000)] },
    velocity: { cents_per_day: { eur: 10_000 } },
  }
  for (const currency of currencies) {
    const policy = policyOf({ currency: 'eur' }, rule)
    expect([currency, clear(policy, 5_000, currency, 5_000).allowed]).toEqual([currency, true])
    expect([currency, clear(policy, 5_001, currency, 5_000).allowed]).toEqual([currency, false])
    const weight = { kind: 'refund', amountCents: 5_001, currency }
    const ceiling = { actionsPerDay: null, centsPerDay: { eur: 10_000 }, spent: { actions: 1, cents: 5_000 } }
    for (const own of ['eur', 'usd'])
      expect(withinCeilings(clear(policy, 5_001, currency), weight, [ceiling], own)).toMatchObject({
        allowed: false,
        code: 'key_limit',
      })
  }
})

const amounts = fc.dictionary(fc.constantFrom(...currencies), fc.integer({ min: 1, max: 9 }), { minKeys: 1 })

test('where dollars are given and reckoned in, nothing is as it was not before', () => {
  fc.assert(
    fc.property(amounts, fc.constantFrom(...currencies), (each, currency) => {
      const given: Record<string, number> = { usd: 1, ...each }
      expect(givenFor(given, currency, 'usd')).toBe(given[currency] ?? given['usd'])
      expect(limitFor(given, currency, 'usd')).toBe(given[currency] ?? given['usd'])
    }),
  )
})

test('no limit that is given is passed by another currency', () => {
  fc.assert(
    fc.property(
      amounts,
      fc.constantFrom(...currencies),
      fc.constantFrom(...currencies),
      (each, currency, own) => {
        const limit = limitFor(each, currency, own)
        expect(Object.values(each)).toContain(limit)
        if (each[currency] !== undefined) expect(limit).toBe(each[currency])
      },
    ),
  )
})

test('a policy in euros is told in euros', () => {
  const policy = policyOf({ currency: 'eur', currencies: ['eur', 'chf'] }, euros)
  expect(posture({ ...policy, kinds: { refund: euros } })).toBe('money: up to 50.00 EUR')
  expect(policyLines(policy)).toEqual(
    expect.arrayContaining([
      'the currency of the account is eur',
      'actions can be in chf, eur',
      'refund up to 50.00 EUR: guarded_write, consent agent_attested',
      'refund: one member can confirm 500.00 EUR in 24 hours (per currency: the same amount in CHF)',
    ]),
  )
  const limitIn = (money: object) =>
    limitLines('refund', { bands: euros.bands }, money).find((line) => line.includes('EUR'))
  expect(limitIn({ currency: 'eur', currencies: ['eur'] })).toMatch(/EUR in 24 hours$/)
  expect(limitIn({ currency: 'eur', currencies: ['eur', 'chf', 'usd', 'sek', 'gbp'] })).toContain(
    'each of 4 others',
  )
  expect(policyLines(defaultPolicy).join()).not.toContain('currency of the account')
})
