import { expect, test } from '@jest/globals'
import { type KindRule, defaultPolicy } from '../../src/gate/policy.ts'
import { currencies } from '../../src/gate/money.ts'
import { policyLines } from '../../src/gate/policy-lines.ts'
import { runnerRuleLines } from '../../src/gate/runner-calls/rule-words.ts'

const consent = 'agent_attested' as const
const ofToolCalls = runnerRuleLines(defaultPolicy.runner)
const linesOf = (rule: KindRule) =>
  policyLines({ ...defaultPolicy, kinds: { refund: rule } }).slice(3, -ofToolCalls.length)

test('a policy is told in words, every limit with its amount, and what is above the last band', () => {
  expect(policyLines(defaultPolicy)).toEqual([
    'proposals expire after 168 hours',
    'each member can have at most 100 open proposals',
    'decisions through a changed e-mail or Slack identity count as agent_attested for 24 hours',
    'broadcast: guarded_write, consent agent_attested, to one channel per member',
    'checkout up to 1,000.00 USD: guarded_write, consent agent_attested',
    'checkout up to 50,000.00 USD: write, consent agent_attested',
    'checkout above 50,000.00 USD: denied for every tier',
    'checkout: one member can confirm 50 actions in 24 hours',
    'checkout: one member can confirm 500,000.00 USD in 24 hours (per currency: the same amount in each of 11 others)',
    'payout up to 10,000.00 USD: write, consent agent_attested',
    'payout above 10,000.00 USD: denied for every tier',
    'payout: one member can confirm 50 actions in 24 hours',
    'payout: one member can confirm 100,000.00 USD in 24 hours (per currency: the same amount in each of 11 others)',
    'preview: guarded_write, consent agent_attested',
    'refund up to 100.00 USD: guarded_write, consent agent_attested',
    'refund up to 10,000.00 USD: write, consent agent_attested',
    'refund above 10,000.00 USD: denied for every tier',
    'refund: one member can confirm 50 actions in 24 hours',
    'refund: one member can confirm 100,000.00 USD in 24 hours (per currency: the same amount in each of 11 others)',
    'subscription_cancellation up to 500.00 USD: guarded_write, consent agent_attested',
    'subscription_cancellation above 500.00 USD: write, consent agent_attested',
    'subscription_cancellation: one member can confirm 50 actions in 24 hours',
    'subscription_cancellation: one member can confirm 5,000.00 USD in 24 hours (per currency: the same amount in each of 11 others), or a single larger action',
    ...ofToolCalls,
  ])
})

test('the lines of a policy also say that a changed identity counts at once', () => {
  expect(policyLines({ ...defaultPolicy, mailbox_settles_after_hours: 0 })[2]).toBe(
    'decisions through a changed e-mail or Slack identity count in full immediately',
  )
})

test("other currencies and a day's limits have lines of their own, the same however they are ordered", () => {
  const usd = [{ tier: 'write' as const, consent }]
  const eur = [{ up_to_cents: 5, tier: 'write' as const, consent }]
  const velocity = { actions_per_day: 3, cents_per_day: { eur: 100, usd: 200 } }
  const lines = linesOf({ bands: { eur, usd }, velocity })
  expect(lines).toEqual([
    'refund of any USD amount: write, consent agent_attested',
    'refund up to 0.05 EUR: write, consent agent_attested',
    'refund above 0.05 EUR: denied for every tier',
    'refund: one member can confirm 3 actions in 24 hours',
    'refund: one member can confirm 2.00 USD in 24 hours (per currency: the same amount in each of 10 others)',
    'refund: one member can confirm 1.00 EUR in 24 hours',
  ])
  expect(linesOf({ velocity, bands: { usd, eur } })).toEqual(lines)
})

test('limits of the account and of a key have lines of their own, and no limit has one too', () => {
  const bands = { usd: [{ up_to_cents: 1_000, tier: 'write' as const, consent }] }
  const account = { actions_per_day: 100 }
  const key = { cents_per_day: { usd: 5_000 } }
  expect(linesOf({ bands, velocity: { account, key } }).slice(2)).toEqual([
    'refund: one member can confirm 50 actions in 24 hours',
    'refund: one member can confirm 100.00 USD in 24 hours (per currency: the same amount in each of 11 others)',
    'refund: the whole account can confirm 100 actions in 24 hours',
    'refund: one API key can confirm 50.00 USD in 24 hours (per currency: the same amount in each of 11 others)',
  ])
  expect(linesOf({ bands, velocity: 'off' }).slice(2)).toEqual([
    'refund: one member can confirm any number of actions in 24 hours',
  ])
  expect(linesOf({ bands, velocity: { actions_per_day: null, account } }).slice(2)).toEqual([
    'refund: one member can confirm any number of actions in 24 hours',
    'refund: the whole account can confirm 100 actions in 24 hours',
  ])
})

test('a limit of USD says that it holds once for each currency that has none of its own', () => {
  const bands = { usd: [{ up_to_cents: 1_000, tier: 'write' as const, consent }] }
  const linesWith = (cents: Record<string, number>) =>
    linesOf({ bands, velocity: { cents_per_day: cents } }).slice(2)
  expect(linesWith({ usd: 100 })).toEqual([
    'refund: one member can confirm 1.00 USD in 24 hours (per currency: the same amount in each of 11 others)',
  ])
  const each = Object.fromEntries(currencies.map((currency) => [currency, 100]))
  expect(linesWith(each)[0]).toBe('refund: one member can confirm 1.00 USD in 24 hours')
})
