import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { BillingCall } from '../../src/providers/billing.ts'
import { stripeProvider } from '../../src/providers/stripe/provider.ts'
import * as faulty from '../support/fault-provider.ts'
import { refusal, startStripeFaultServer, type StripeFaultServer } from '../support/stripe-fault-server.ts'
import { timeoutMsFor } from './slices.ts'
import { testRows } from '../support/rows.ts'

let stripe: StripeFaultServer
const setUp = async () => {
  stripe = await startStripeFaultServer()
  subscription({})
}
beforeEach(setUp)
const tearDown = () => stripe.stop()
afterEach(tearDown)

const providerWith = ({ timeoutMs = 20_000 } = {}) =>
  stripeProvider({ apiKey: 'rk_test_1', apiBase: stripe.apiBase, timeoutMs })

const atOnce: BillingCall = {
  type: 'cancel_subscription',
  reference: 'uuid-1',
  subscription: 'sub_1',
  atPeriodEnd: false,
}
const atPeriodEnd: BillingCall = { ...atOnce, atPeriodEnd: true }
const key = 'act_uuid-1_call'
const first = { isRepeat: false }
const again = { isRepeat: true }
const byAnother = { status: 'canceled', cancellation_details: { comment: null } }

const perform = (call: BillingCall, options = first) => providerWith().perform(call, key, options)
const changes = () => stripe.requests.filter(({ method }) => method !== 'GET').map(({ call }) => call)

/** How the subscription stands at Stripe from now on. */
function subscription(fields: object): void {
  stripe.add({
    id: 'sub_1',
    object: 'subscription',
    status: 'active',
    cancel_at_period_end: false,
    cancellation_details: { comment: null },
    metadata: {},
    ...fields,
  })
}

test('a cancellation at once has our mark in the same request', async () => {
  expect(await perform(atOnce)).toEqual({ state: 'ok', id: 'sub_1', status: 'canceled' })
  expect(stripe.requestsBy('DELETE').map(({ parameters }) => parameters)).toEqual([
    { 'cancellation_details[comment]': 'Cancelled by action uuid-1' },
  ])
})

test('a cancellation with its period is made under the key, with our mark in the same request', async () => {
  expect(await perform(atPeriodEnd)).toEqual({ state: 'ok', id: 'sub_1', status: 'active' })
  expect(stripe.requestsBy('POST')).toMatchObject([
    { key, parameters: { cancel_at_period_end: 'true', 'metadata[action_id]': 'uuid-1' } },
  ])
})

describe('a cancellation whose fate is open is unknown; its repeat knows ours again', () => {
  const rows: [string, faulty.Fault, number][] = [
    ['dropped before the work', faulty.drop, 2],
    ['dropped after the work', faulty.workThenDrop, 1],
    ['hanging after the work', faulty.workThenHang, 1],
    ['body cut off', faulty.cutBody, 1],
    ['404 without error', faulty.answer(404, { ok: false }), 2],
    ['another object', faulty.answer(200, { object: 'refund', id: 'sub_1' }, { work: true }), 1],
    ['500 after the work', refusal(500, 'api_error', undefined, { work: true }), 1],
  ]
  testRows(rows, [tearDown, setUp])('at once', async (_name, fault, sent) => {
    stripe.failNext('DELETE', fault)
    const provider = providerWith({ timeoutMs: timeoutMsFor(fault) })
    expect((await provider.perform(atOnce, key, first)).state).toBe('unknown')
    expect(changes()).toHaveLength(1)
    expect(await perform(atOnce, again)).toEqual({ state: 'ok', id: 'sub_1', status: 'canceled' })
    expect(changes()).toHaveLength(sent)
  })

  testRows(rows, [tearDown, setUp])('with its period', async (_name, fault, sent) => {
    stripe.failNext('POST', fault)
    const provider = providerWith({ timeoutMs: timeoutMsFor(fault) })
    expect((await provider.perform(atPeriodEnd, key, first)).state).toBe('unknown')
    expect(await perform(atPeriodEnd, again)).toEqual({ state: 'ok', id: 'sub_1', status: 'active' })
    expect(changes()).toHaveLength(sent)
  })
})

test('an answer about another subscription, or one that goes on, is unknown', async () => {
  const other = { object: 'subscription', id: 'sub_2', status: 'canceled', cancel_at_period_end: false }
  const wrong = { state: 'unknown', code: 'unexpected_answer' }
  stripe.failNext('DELETE', faulty.answer(200, other))
  expect(await perform(atOnce)).toEqual(wrong)
  stripe.failNext('DELETE', faulty.answer(200, { ...other, id: 'sub_1', status: 'active' }))
  expect(await perform(atOnce)).toEqual(wrong)
  stripe.failNext('POST', faulty.answer(200, { ...other, id: 'sub_1', status: 'active' }))
  expect(await perform(atPeriodEnd)).toEqual(wrong)
})

describe('a cancellation of a subscription that another has ended is not done, and nothing is sent', () => {
  const over = { state: 'not_done', code: 'already_canceled', isConsidered: true }
  test.each<[string, BillingCall, object, object]>([
    ['cancelled, at once', atOnce, byAnother, over],
    ['cancelled, with its period', atPeriodEnd, byAnother, over],
    ['never begun', atOnce, { status: 'incomplete_expired' }, over],
    [
      'ending, with its period',
      atPeriodEnd,
      { cancel_at_period_end: true },
      { ...over, code: 'already_ending' },
    ],
  ])('%s', async (_name, call, fields, outcome) => {
    subscription(fields)
    expect(await perform(call)).toEqual(outcome)
    expect(changes()).toEqual([])
  })
})

test('a subscription that ends with its period can be ended at once', async () => {
  subscription({ cancel_at_period_end: true, metadata: { action_id: 'uuid-0' } })
  expect(await perform(atOnce)).toMatchObject({ state: 'ok', status: 'canceled' })
})

test('a subscription that another cancels between our look and our request is not done on the first attempt, unknown on a repeat', async () => {
  const meanwhile = () => {
    stripe.faultFor = ({ method }) => void (method === 'DELETE' && subscription(byAnother))
  }
  meanwhile()
  expect(await perform(atOnce)).toMatchObject({ state: 'not_done', code: 'already_canceled' })
  subscription({})
  expect(await perform(atOnce, again)).toEqual({ state: 'unknown', code: 'canceled_by_another' })
})

test('our lost cancellation that is done only after our second look is known', async () => {
  stripe.faultFor = ({ method }) => {
    if (method !== 'DELETE') return undefined
    subscription({ status: 'canceled', cancellation_details: { comment: 'Cancelled by action uuid-1' } })
    return undefined
  }
  expect(await perform(atOnce, again)).toEqual({ state: 'ok', id: 'sub_1', status: 'canceled' })
})

test('a cancellation that a person took back is not made again', async () => {
  stripe.failNext('POST', faulty.workThenDrop)
  await perform(atPeriodEnd)
  subscription({ metadata: { action_id: 'uuid-1' }, cancel_at_period_end: false })
  expect(await perform(atPeriodEnd, again)).toEqual({ state: 'ok', id: 'sub_1', status: 'active' })
  expect(changes()).toHaveLength(1)
})

describe('a refused cancellation is not done', () => {
  const invalid = 'invalid_request_error'
  const says = 'No such customer: ada@example.com'
  test.each<[string, faulty.Fault, object]>([
    ['permission', refusal(403, invalid), { code: 'permission_error', says }],
    ['parameters', refusal(400, invalid, 'parameter_unknown'), { code: 'parameter_unknown', says }],
    ['rate', refusal(429, invalid, 'lock_timeout'), { code: 'lock_timeout', retryAfterMs: 2_000 }],
  ])('at once, by %s', async (_name, fault, outcome) => {
    stripe.failNext('DELETE', fault)
    expect(await perform(atOnce)).toEqual({ state: 'not_done', ...outcome })
  })

  test('with its period, by parameters', async () => {
    stripe.failNext('POST', refusal(400, invalid, 'parameter_unknown'))
    const outcome = { state: 'not_done', code: 'parameter_unknown', says, isConsidered: true }
    expect(await perform(atPeriodEnd)).toEqual(outcome)
  })

  test('a subscription that does not exist', async () => {
    const missing = { ...atOnce, subscription: 'sub_none' }
    expect(await perform(missing)).toMatchObject({
      state: 'not_done',
      code: 'resource_missing',
      says: expect.any(String),
    })
  })
})

test('a look that fails has done nothing, and may be tried again', async () => {
  stripe.failNext('GET', refusal(500, 'api_error'), faulty.hang)
  const failed = { state: 'not_done', retryAfterMs: 5_000 }
  expect(await perform(atOnce)).toEqual({ ...failed, code: 'api_error' })
  const impatient = providerWith({ timeoutMs: 300 })
  expect(await impatient.perform(atPeriodEnd, key, first)).toEqual({ ...failed, code: 'timeout' })
  expect(changes()).toEqual([])
})

describe('looking for a lost cancellation changes nothing and claims only what carries our mark', () => {
  const comment = 'Cancelled by action uuid-1'
  const ours = { status: 'canceled', cancellation_details: { comment } }
  const found = (status: string) => ({ state: 'ok', id: 'sub_1', status })
  const unknown = (code: string) => ({ state: 'unknown', code })
  testRows<[string, BillingCall, object, object]>(
    [
      ['ours, at once', atOnce, ours, found('canceled')],
      [
        'ours, with its period',
        atPeriodEnd,
        { cancel_at_period_end: true, metadata: { action_id: 'uuid-1' } },
        found('active'),
      ],
      [
        'ours, its period over',
        atPeriodEnd,
        { status: 'canceled', metadata: { action_id: 'uuid-1' } },
        found('canceled'),
      ],
      ['goes on', atOnce, {}, unknown('not_found_at_provider')],
      ['goes on, with its period', atPeriodEnd, {}, unknown('not_found_at_provider')],
      ["another's", atOnce, byAnother, unknown('canceled_by_another')],
      [
        "another's, with its period",
        atPeriodEnd,
        { cancel_at_period_end: true },
        unknown('canceled_by_another'),
      ],
    ],
    [tearDown, setUp],
  )('whatever its end', async (_name, call, fields, outcome) => {
    subscription(fields)
    expect(await providerWith().reconcile(call, new Date())).toEqual(outcome)
    expect(changes()).toEqual([])
  })

  test('a subscription that is gone, or a provider that does not answer, is unknown', async () => {
    const missing = { ...atOnce, subscription: 'sub_none' }
    expect(await providerWith().reconcile(missing, new Date())).toEqual(unknown('resource_missing'))
    stripe.failNext('GET', refusal(500, 'api_error'))
    expect(await providerWith().reconcile(atOnce, new Date())).toEqual(unknown('api_error'))
  })
})
