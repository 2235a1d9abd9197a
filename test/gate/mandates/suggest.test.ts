import { expect, test } from '@jest/globals'
import { type PastDecision, suggestMandates } from '../../../src/gate/mandates/suggest.ts'
import type { MandateCeiling } from '../../../src/gate/mandates/terms.ts'

const bounds = { savedMin: 5, hastyMs: 5_000, valuesMax: 5 }
const ceiling: MandateCeiling = {
  consent: 'page',
  uses: 100,
  uses_per_day: 10,
  days: 30,
  cents_each: { usd: 5_000 },
  cents: { usd: 200_000 },
  cents_per_day: { usd: 40_000 },
}
const at = (day: number, hour = 12) => new Date(Date.UTC(2026, 9, day, hour))

const refund = (n: number, given: Partial<PastDecision> = {}): PastDecision => ({
  agent: 'key_1',
  agentName: 'support',
  kind: 'refund',
  arguments: { payment: `pi_${n}`, customer: n % 2 === 0 ? 'cus_a' : 'cus_b', reason: undefined },
  amount: { amountCents: 1_000 + n * 10, currency: 'usd' },
  isApproved: true,
  tookMs: 3_000,
  at: at(1 + (n % 20)),
  ...given,
})
const many = (count: number, given: (n: number) => Partial<PastDecision> = () => ({})) =>
  Array.from({ length: count }, (_, n) => refund(n, given(n)))

test('of many like approvals it says how many questions a mandate would have saved, with the limits that cover them', () => {
  const decisions = [
    ...many(41, (n) => (n < 38 ? {} : { tookMs: 60_000 })),
    // Too large for the policy, in another currency, and with a reason.
    ...many(2, () => ({ amount: { amountCents: 9_000, currency: 'usd' } })),
    ...many(2, () => ({ amount: { amountCents: 100, currency: 'eur' } })),
    refund(50, { isApproved: false, amount: { amountCents: 90_000, currency: 'usd' } }),
  ]
  const [made, ...others] = suggestMandates(decisions, { refund: ceiling }, bounds)
  expect(others).toEqual([])
  expect(made).toMatchObject({ asked: 46, saved: 41, hasty: 38, days: 30 })
  expect(made!.terms).toMatchObject({
    agent: 'key_1',
    agent_name: 'support',
    allows: [
      {
        kind: 'refund',
        cents_each: { usd: 5_000 },
        arguments: { customer: { in: ['cus_a', 'cus_b'] }, payment: { any: 'id' } },
      },
    ],
  })
})

test('it suggests none that would have done what the member declined, none for free text, and none beyond the policy', () => {
  const declined = [...many(20), refund(4, { isApproved: false, at: at(2, 13) })]
  expect(suggestMandates(declined, { refund: ceiling }, bounds)).toEqual([])
  const words = ['red', 'blue', 'dark green', 'light grey', 'all black', 'any white']
  const texts = many(6, (n) => ({ arguments: { note: `Paint it ${words[n]}, please` } }))
  expect(suggestMandates(texts, { refund: ceiling }, bounds)).toEqual([])
  expect(suggestMandates(many(20), {}, bounds)).toEqual([])
  expect(suggestMandates(many(4), { refund: ceiling }, bounds)).toEqual([])
  const { cents: _, ...without } = ceiling
  expect(suggestMandates(many(20), { refund: { ...without, cents: { eur: 1 } } }, bounds)).toEqual([])
})

test('messages that differ in their numbers alone become a template', () => {
  const told = many(8, (n) => ({
    kind: 'broadcast',
    amount: undefined,
    arguments: { message: `Build ${n} is done, ${n + 3} tests passed.` },
  }))
  const [made] = suggestMandates(
    told,
    { broadcast: { consent: 'page', uses: 6, uses_per_day: 6, days: 7 } },
    bounds,
  )
  expect(made).toMatchObject({
    asked: 8,
    saved: 6,
    days: 7,
    terms: {
      uses: 6,
      allows: [{ arguments: { message: { template: 'Build {number} is done, {number} tests passed.' } } }],
    },
  })
})
