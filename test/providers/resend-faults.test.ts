import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import { rateLimiter } from '../../src/providers/rate-limiter.ts'
import { resendChannel, type ResendOptions } from '../../src/providers/resend/channel.ts'
import { resendError } from '../support/fault-apis.ts'
import * as faulty from '../support/fault-provider.ts'
import { firstOutcome, outcomesOf, sliceFor, times, timeoutMsFor } from './slices.ts'
import { testRows } from '../support/rows.ts'

const { answer, tooMany } = faulty
let provider: faulty.FaultProvider
const setUp = async () => void (provider = await faulty.startFaultProvider())
beforeEach(setUp)
const tearDown = () => provider.stop()
afterEach(tearDown)

const channelTo = (options: Partial<ResendOptions> = {}) =>
  resendChannel({
    apiKey: 're_1',
    baseUrl: provider.resendBaseUrl,
    from: 'Gate <gate@x.example>',
    timeoutMs: 20_000,
    ...options,
  })
const refusal = (status: number, name: string) => answer(status, resendError(status, name).body as object)
const people = (count: number) => Array.from({ length: count }, (_, index) => `member${index}@example.com`)

describe('a slice whose fate is open is unknown for everyone, and sending it again delivers once', () => {
  const rows: [string, faulty.Fault, string][] = [
    ['dropped before the work', faulty.drop, 'no_answer'],
    ['dropped after the work', faulty.workThenDrop, 'no_answer'],
    ['hanging before the work', faulty.hang, 'no_answer'],
    ['hanging after the work', faulty.workThenHang, 'no_answer'],
    ['body cut off', faulty.cutBody, 'no_answer'],
    ['body dripping past the timeout', faulty.drip, 'no_answer'],
    ['200 with HTML', faulty.html200, 'no_answer'],
    ['500 internal_server_error', refusal(500, 'internal_server_error'), 'http_500'],
    ['500 application_error', refusal(500, 'application_error'), 'http_500'],
    ['500 that names a refusal', refusal(500, 'validation_error'), 'http_500'],
    ['503 with HTML', answer(503, '<html>no</html>', { work: true }), 'http_503'],
    ['502 with foreign JSON', answer(502, { oops: true }, { work: true }), 'no_answer'],
    ['403 with HTML', answer(403, '<html>no</html>'), 'http_403'],
    ['a name nobody documented', refusal(418, 'teapot'), 'http_418'],
    [
      'the key still being worked on',
      refusal(409, 'concurrent_idempotent_requests'),
      'concurrent_idempotent_requests',
    ],
    ['too few ids', answer(200, { data: [{ id: 'a' }] }, { work: true }), 'unreadable_answer'],
    [
      'too many ids',
      answer(200, { data: ['a', 'b', 'c', 'd'].map((id) => ({ id })) }, { work: true }),
      'unreadable_answer',
    ],
    ['ids that are none', answer(200, { data: [{}, {}, {}] }, { work: true }), 'unreadable_answer'],
    [
      'errors outside the batch',
      answer(200, { data: [{ id: 'a' }, { id: 'b' }], errors: [{ index: 3 }] }),
      'unreadable_answer',
    ],
    [
      'one error twice',
      answer(200, { data: [{ id: 'a' }], errors: [{ index: 1 }, { index: 1 }] }),
      'unreadable_answer',
    ],
    ['null', answer(200, 'null'), 'unreadable_answer'],
  ]
  testRows(rows, [tearDown, setUp])('whatever the fault', async (_name, fault, code) => {
    provider.failNext('emails/batch', fault)
    const channel = channelTo({ timeoutMs: timeoutMsFor(fault) })
    const slice = sliceFor(channel, { addresses: people(3) })
    expect(await outcomesOf(channel.send(slice))).toEqual(times(3, { state: 'unknown', code }))
    expect(provider.requests).toHaveLength(1)

    const again = await outcomesOf(channelTo().send(slice))
    expect(again.map(({ state }) => state)).toEqual(['ok', 'ok', 'ok'])
    expect([...provider.deliveries.values()]).toEqual([1, 1, 1])
  })
})

test('a key that was used for something else is unknown', async () => {
  const channel = channelTo()
  await channel.send(sliceFor(channel, { key: 'act_1_email_0', text: 'first' }))
  const other = await firstOutcome(channel.send(sliceFor(channel, { key: 'act_1_email_0', text: 'second' })))
  expect(other).toEqual({ state: 'unknown', code: 'invalid_idempotent_request' })
})

describe('a refused slice is not done, final, and keeps its code', () => {
  testRows(
    [
      [401, 'missing_api_key'],
      [401, 'restricted_api_key'],
      [403, 'invalid_api_key'],
      [403, 'validation_error'],
      [404, 'not_found'],
      [422, 'invalid_from_address'],
      [422, 'missing_required_field'],
      [422, 'invalid_parameter'],
      [422, 'validation_error'],
      [400, 'invalid_idempotency_key'],
      [429, 'daily_quota_exceeded'],
      [429, 'monthly_quota_exceeded'],
    ],
    [tearDown, setUp],
  )('by status and name', async (status, name) => {
    provider.failNext('emails/batch', refusal(status, name))
    const channel = channelTo()
    const outcomes = await outcomesOf(channel.send(sliceFor(channel, { addresses: people(2) })))
    expect(outcomes).toEqual(times(2, { state: 'not_done', code: name }))
    expect(provider.requests).toHaveLength(1)
  })
})

describe('a rate limit is not done and says when to come back', () => {
  testRows<[string, faulty.Fault, number]>(
    [
      ['Retry-After', tooMany({ 'retry-after': '4' }), 4_000],
      ['ratelimit-reset', tooMany({ 'ratelimit-reset': '2' }), 2_000],
      ['nothing', tooMany(), 1_000],
      ['HTML from a proxy', answer(429, '<html>slow down</html>'), 1_000],
      ['a Retry-After of a week', tooMany({ 'retry-after': '604800' }), 3_600_000],
    ],
    [tearDown, setUp],
  )('as its headers say', async (_name, fault, retryAfterMs) => {
    provider.failNext('emails/batch', fault)
    const channel = channelTo()
    const outcome = await firstOutcome(channel.send(sliceFor(channel)))
    expect(outcome).toEqual({ state: 'not_done', code: 'ratelimited', retryAfterMs })
    // The next slice does not knock before that time.
    expect(await firstOutcome(channel.send(sliceFor(channel)))).toMatchObject({ code: 'ratelimited' })
    expect(provider.requests).toHaveLength(1)
  })

  test('two channels of one team share the pause', async () => {
    const limiter = rateLimiter({ perSecond: 0 })
    provider.failNext('emails/batch', tooMany({ 'retry-after': '4' }))
    const first = channelTo({ rateLimiter: limiter })
    const second = channelTo({ rateLimiter: limiter })
    await first.send(sliceFor(first))
    expect(await firstOutcome(second.send(sliceFor(second)))).toMatchObject({ code: 'ratelimited' })
    expect(provider.requests).toHaveLength(1)
  })
})

test('bad addresses fail alone: the other ninety-seven are delivered in order, a repeat changes nothing', async () => {
  const addresses = people(100)
  addresses[0] = 'bad@example.com'
  addresses[41] = 'two@example.com, three@example.com'
  addresses[99] = 'bad2@example.com'
  const channel = channelTo()
  const slice = sliceFor(channel, { addresses })
  const outcomes = await outcomesOf(channel.send(slice))
  expect(outcomes[0]).toEqual({ state: 'not_done', code: 'validation_error' })
  expect(outcomes[41]).toEqual({ state: 'not_done', code: 'invalid_address' })
  expect(outcomes[99]).toEqual({ state: 'not_done', code: 'validation_error' })
  expect(outcomes.filter(({ state }) => state === 'ok')).toHaveLength(97)
  expect(provider.emails.map(({ to }) => to)).toEqual(
    addresses.filter((_, index) => ![0, 41, 99].includes(index)),
  )

  expect(await outcomesOf(channelTo().send(slice))).toEqual(outcomes)
  expect(provider.emails).toHaveLength(97)
})

test('addresses that are not one plain address never reach the provider', async () => {
  const hostile = [
    '',
    'a',
    'a@b@c',
    'Ada <a@b.c>',
    'a@b.c\r\nBcc: d@e.f',
    'a@b.c,d@e.f',
    'a@b.c;d@e.f',
    `${'a'.repeat(251)}@b.c`,
  ]
  const channel = channelTo()
  const outcomes = await outcomesOf(channel.send(sliceFor(channel, { addresses: hostile })))
  expect(outcomes).toEqual(hostile.map(() => ({ state: 'not_done', code: 'invalid_address' })))
  expect(provider.requests).toHaveLength(0)
})

test('a changed sender does not change a frozen slice', async () => {
  provider.failNext('emails/batch', faulty.workThenDrop)
  const channel = channelTo()
  const slice = sliceFor(channel)
  await channel.send(slice)
  const outcome = await firstOutcome(channelTo({ from: 'Other <other@x.example>' }).send(slice))
  expect(outcome.state).toBe('ok')
  expect([...provider.deliveries.values()]).toEqual([1])
})

test('an e-mail carries the action’s number as a tag; one frozen without a number is sent as it was', async () => {
  const channel = channelTo()
  const slice = sliceFor(channel)
  await channel.send(slice)
  const { action_number: number, ...before } = slice.message
  expect(number).toBe('42')
  await channel.send({ ...slice, key: 'frozen-before', message: before })
  const [now, then] = provider.requests.map(({ json }) => json)
  const email = { to: 'ada@example.com', ...before }
  expect(now).toEqual([{ ...email, tags: [{ name: 'action_number', value: '42' }] }])
  expect(then).toEqual([email])
})

test('a cancelled slice: before the call not done, under way unknown', async () => {
  const channel = channelTo({ timeoutMs: 60_000 })
  const aborted = sliceFor(channel, { signal: AbortSignal.abort() })
  expect(await firstOutcome(channel.send(aborted))).toEqual({
    state: 'not_done',
    code: 'cancelled',
    retryAfterMs: 0,
  })
  provider.failNext('emails/batch', faulty.workThenHang)
  const stop = new AbortController()
  const sending = firstOutcome(channel.send(sliceFor(channel, { signal: stop.signal })))
  await provider.arrived('emails/batch')
  stop.abort()
  expect(await sending).toEqual({ state: 'unknown', code: 'no_answer' })
})

test('the address of the provider is ours, whatever the environment says', async () => {
  process.env['RESEND_BASE_URL'] = 'http://127.0.0.1:9'
  try {
    const channel = channelTo()
    expect(await firstOutcome(channel.send(sliceFor(channel)))).toMatchObject({ state: 'ok' })
  } finally {
    delete process.env['RESEND_BASE_URL']
  }
})

test('reconciling e-mail never sends and claims nothing', async () => {
  const channel = channelTo()
  const outcomes = await outcomesOf(channel.reconcile(sliceFor(channel, { addresses: people(2) })))
  expect(outcomes).toEqual(times(2, { state: 'unknown', code: 'cannot_tell' }))
  expect(provider.requests).toHaveLength(0)
})
