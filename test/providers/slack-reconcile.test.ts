import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { slackChannel, type SlackOptions } from '../../src/providers/slack/channel.ts'
import * as faulty from '../support/fault-provider.ts'
import { firstOutcome, outcomesOf, sliceFor, times, timeoutMsFor } from './slices.ts'

let provider: faulty.FaultProvider
beforeEach(async () => void (provider = await faulty.startFaultProvider()))
afterEach(() => provider.stop())

const channelTo = (options: Partial<SlackOptions> = {}) =>
  slackChannel({
    token: 'xoxb-1',
    apiUrl: provider.slackApiUrl,
    timeoutMs: 20_000,
    reconcileDelayMs: 0,
    ...options,
  })

test('an unknown message that was delivered is found in the history with its ts, by another process', async () => {
  provider.failNext('chat.postMessage', faulty.workThenDrop)
  const channel = channelTo()
  const slice = sliceFor(channel)
  expect(await firstOutcome(channel.send(slice))).toMatchObject({ state: 'unknown' })
  const found = await firstOutcome(channelTo().reconcile(slice))
  expect(found).toEqual({ state: 'ok', providerId: provider.slackMessages[0]!.ts })
  expect([...provider.deliveries.values()]).toEqual([1])
})

test('an unknown message that is not in the history stays unknown and is not sent', async () => {
  provider.failNext('chat.postMessage', faulty.drop)
  const channel = channelTo()
  const slice = sliceFor(channel)
  await channel.send(slice)
  expect(await firstOutcome(channel.reconcile(slice))).toEqual({ state: 'unknown', code: 'not_in_history' })
  expect(provider.deliveries.size).toBe(0)
})

test('the same text of another delivery is not taken for this one', async () => {
  const channel = channelTo()
  await channel.send(sliceFor(channel))
  expect(await firstOutcome(channel.reconcile(sliceFor(channel)))).toMatchObject({ state: 'unknown' })
})

test('the history is asked for metadata, from before the first attempt, fifteen at a time', async () => {
  const channel = channelTo()
  const attemptedAt = new Date('2026-11-21T10:00:00.000Z')
  await channel.reconcile(sliceFor(channel, { attemptedAt }))
  const { form } = provider.requests.find(({ call }) => call === 'conversations.history')!
  expect(form).toEqual({
    channel: 'DUADA',
    oldest: `${attemptedAt.getTime() / 1000 - 120}.000000`,
    limit: '15',
    include_all_metadata: 'true',
  })
})

test('a message some pages back is found, and the search ends after ten pages', async () => {
  const channel = channelTo()
  const slice = sliceFor(channel)
  await channel.send(slice)
  const others = (count: number) => channel.send(sliceFor(channel, { addresses: Array(count).fill('UADA') }))
  await others(100)
  expect(await firstOutcome(channel.reconcile(slice))).toMatchObject({ state: 'ok' })
  await others(100)
  expect(await firstOutcome(channel.reconcile(slice))).toEqual({ state: 'unknown', code: 'history_too_long' })
})

test('a history that Slack refuses leaves the message unknown', async () => {
  const channel = channelTo()
  const slice = sliceFor(channel)
  await channel.send(slice)
  const refusals = [faulty.answer(200, { ok: false, error: 'missing_scope' }), faulty.html200, faulty.hang]
  for (const refusal of refusals) {
    provider.failNext('conversations.history', refusal)
    const asking = channelTo({ timeoutMs: timeoutMsFor(refusal) })
    expect(await firstOutcome(asking.reconcile(slice))).toMatchObject({ state: 'unknown' })
  }
  provider.failNext('conversations.open', faulty.answer(503, 'no'))
  expect(await firstOutcome(channelTo().reconcile(slice))).toEqual({ state: 'unknown', code: 'http_503' })
})

test('a rate limit on the way to the history is waited out', async () => {
  const channel = channelTo()
  const slice = sliceFor(channel)
  await channel.send(slice)
  const wait = faulty.tooMany({ 'retry-after': '0' })
  provider.failNext('conversations.open', wait)
  provider.failNext('conversations.history', wait, wait, wait)
  expect(await firstOutcome(channelTo().reconcile(slice))).toMatchObject({ state: 'ok' })
})

test('the history gets its time after the first attempt, and a cancelled wait asks nothing', async () => {
  const channel = channelTo({ reconcileDelayMs: 3_600_000 })
  const stop = new AbortController()
  const slice = sliceFor(channel, { signal: stop.signal, addresses: ['UADA', 'UBEN'] })
  const waiting = outcomesOf(channel.reconcile(slice))
  stop.abort()
  expect(await waiting).toEqual(times(2, { state: 'unknown', code: 'cancelled' }))
  expect(provider.requests).toHaveLength(0)
  const longAgo = sliceFor(channel, { attemptedAt: new Date(Date.now() - 3_600_001) })
  expect(await firstOutcome(channel.reconcile(longAgo))).toMatchObject({ code: 'not_in_history' })
})
