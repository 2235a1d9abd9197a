import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { slackChannel } from '../../src/providers/slack/channel.ts'
import { type RateLimiterOptions, rateLimiter } from '../../src/providers/rate-limiter.ts'
import { type FaultProvider, answer, hang, startFaultProvider, tooMany } from '../support/fault-provider.ts'

let provider: FaultProvider
beforeAll(async () => void (provider = await startFaultProvider()))
afterAll(() => provider.stop())
beforeEach(() => {
  provider.requests.length = 0
  provider.slackMessages.length = 0
  provider.faultFor = () => undefined
})

const calls = (call: string) => provider.requests.filter((request) => request.call === call).length
const noWaits = { signal: new AbortController().signal }

function slack(openings: RateLimiterOptions = { perSecond: 0 }) {
  const rate = rateLimiter({ perSecond: 0 })
  const openingLimiter = rateLimiter(openings)
  const channel = slackChannel({
    token: 'xoxb-test',
    apiUrl: provider.slackApiUrl,
    rateLimiter: rate,
    openingLimiter,
  })
  return { channel, book: channel.addressBook!, rate, openingLimiter }
}

const sliceTo = (...addresses: string[]) => ({
  key: 'key',
  message: { text: 'Hello' },
  recipients: addresses.map((address) => ({ deliveryId: address, address })),
  attemptedAt: new Date(),
})

test('a user who was looked up is sent to with a single call, and a known group is not looked up again', async () => {
  const { channel, book } = slack()
  expect(book.knows('g')).toBe(false)
  expect(await book.lookUp('g', ['U1', 'U2'], noWaits)).toEqual(new Map())
  expect([book.knows('g'), calls('conversations.open'), calls('chat.postMessage')]).toEqual([true, 2, 0])
  const { outcomes } = await channel.send(sliceTo('U1', 'U2'))
  expect(outcomes.map(({ state }) => state)).toEqual(['ok', 'ok'])
  expect([calls('conversations.open'), calls('chat.postMessage')]).toEqual([2, 2])
})

test('a user who cannot be looked up is not sent to, without a second call, and the group stays unknown', async () => {
  const { channel, book } = slack()
  provider.failNext('conversations.open', answer(200, { ok: false, error: 'user_not_found' }))
  const notDone = await book.lookUp('g', ['U1', 'U1,U2'], noWaits)
  expect([...notDone]).toEqual([
    ['U1,U2', { state: 'not_done', code: 'invalid_user_id' }],
    ['U1', { state: 'not_done', code: 'user_not_found' }],
  ])
  expect(book.knows('g')).toBe(false)
  const { outcomes } = await channel.send({ ...sliceTo('U1', 'U1,U2'), notDone })
  expect(outcomes).toMatchObject([{ code: 'user_not_found' }, { code: 'invalid_user_id' }])
  expect([calls('conversations.open'), calls('chat.postMessage')]).toEqual([1, 0])
})

test('a rate limit of lookups pauses lookups, and not messages to known users', async () => {
  const { channel, book, rate, openingLimiter } = slack()
  await book.lookUp('known', ['U1'], noWaits)
  provider.failNext('conversations.open', tooMany({ 'retry-after': '7' }))
  expect((await book.lookUp('g', ['U2'], noWaits)).get('U2')).toMatchObject({
    code: 'ratelimited',
    retryAfterMs: 7_000,
  })
  expect([rate.pausedMs(), openingLimiter.pausedMs() > 6_000]).toEqual([0, true])
  const later = await book.lookUp('g', ['U3'], noWaits)
  expect([later.get('U3')?.code, calls('conversations.open')]).toEqual(['ratelimited', 2])
  expect((await channel.send(sliceTo('U1'))).outcomes).toMatchObject([{ state: 'ok' }])
})

test('lookups keep to their limit of a minute, and neither messages to known users nor a consent request wait for it', async () => {
  const { channel, book } = slack({ perSecond: 1_000, perMinute: 2 })
  await book.lookUp('known', ['U1', 'U2'], noWaits)
  const stopping = new AbortController()
  const waiting = book.lookUp('g', ['U3'], { signal: stopping.signal })
  const { outcomes } = await channel.send(sliceTo('U1', 'U2', 'U4'))
  expect(outcomes.map(({ state }) => state)).toEqual(['ok', 'ok', 'ok'])
  expect(calls('conversations.open')).toBe(3)
  stopping.abort()
  expect((await waiting).get('U3')).toMatchObject({ state: 'not_done', code: 'cancelled' })
  expect(calls('conversations.open')).toBe(3)
})

test('a conversation that Slack no longer knows is forgotten, and with it the groups', async () => {
  const { channel, book } = slack()
  await book.lookUp('g', ['U1'], noWaits)
  provider.failNext('chat.postMessage', answer(200, { ok: false, error: 'channel_not_found' }))
  await channel.send(sliceTo('U1'))
  expect(book.knows('g')).toBe(false)
})

test('a lookup that is cancelled ends at once, and certainly nothing was sent', async () => {
  const { book } = slack()
  const stopping = new AbortController()
  provider.faultFor = () => hang
  const lookUp = book.lookUp('g', ['U1'], { signal: stopping.signal })
  await provider.arrived('conversations.open')
  stopping.abort()
  expect((await lookUp).get('U1')).toMatchObject({ state: 'not_done', code: 'cancelled' })
  expect(provider.slackMessages).toEqual([])
})
