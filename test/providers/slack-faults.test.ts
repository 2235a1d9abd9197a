import { afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals'
import { slackChannel, type SlackOptions } from '../../src/providers/slack/channel.ts'
import { SlackRefusal } from '../../src/providers/slack/dialogue.ts'
import * as faulty from '../support/fault-provider.ts'
import { firstOutcome, outcomesOf, sliceFor, timeoutMsFor } from './slices.ts'
import { testRows } from '../support/rows.ts'

const { answer, tooMany } = faulty
let provider: faulty.FaultProvider
const setUp = async () => void (provider = await faulty.startFaultProvider())
beforeEach(setUp)
const tearDown = () => provider.stop()
afterEach(tearDown)

const channelTo = (options: Partial<SlackOptions> = {}) =>
  slackChannel({
    token: 'xoxb-1',
    apiUrl: provider.slackApiUrl,
    timeoutMs: 20_000,
    reconcileDelayMs: 0,
    ...options,
  })
const platform = (error: string) => answer(200, { ok: false, error })
const postsOf = () => provider.requests.filter(({ call }) => call === 'chat.postMessage')

describe('a message whose fate is open is unknown, is posted once and is not posted again', () => {
  const rows: [string, faulty.Fault, string][] = [
    ['dropped before the work', faulty.drop, 'connection_lost'],
    ['dropped after the work', faulty.workThenDrop, 'connection_lost'],
    ['hanging before the work', faulty.hang, 'timeout'],
    ['hanging after the work', faulty.workThenHang, 'timeout'],
    ['body cut off', faulty.cutBody, 'unreadable_answer'],
    ['body dripping past the timeout', faulty.drip, 'timeout'],
    ['500 with JSON', answer(500, { ok: false, error: 'internal_error' }), 'http_500'],
    ['503 with HTML', answer(503, '<html>Unavailable</html>', { work: true }), 'http_503'],
    ['404', answer(404, 'not here'), 'http_404'],
    ['redirect', answer(307, '', { headers: { location: '/slack/chat.postMessage' } }), 'connection_lost'],
    ['200 with HTML', faulty.html200, 'unreadable_answer'],
    ['200 without ok', answer(200, { surprise: true }), 'unreadable_answer'],
    ['200 ok without ts', answer(200, { ok: true }), 'unreadable_answer'],
    ...['internal_error', 'fatal_error', 'request_timeout', 'service_unavailable', 'never_heard_of_it'].map(
      (error): [string, faulty.Fault, string] => [`platform error ${error}`, platform(error), error],
    ),
  ]
  testRows(rows, [tearDown, setUp])('whatever the fault', async (_name, fault, code) => {
    provider.failNext('chat.postMessage', fault)
    const channel = channelTo({ timeoutMs: timeoutMsFor(fault) })
    expect(await firstOutcome(channel.send(sliceFor(channel)))).toEqual({ state: 'unknown', code })
    expect(postsOf()).toHaveLength(1)
  })
})

describe('a refusal is not done, final, and keeps its code', () => {
  const codes = ['invalid_auth', 'not_authed', 'token_revoked', 'account_inactive', 'missing_scope']
  const people = ['channel_not_found', 'user_not_found', 'users_not_found', 'user_disabled', 'msg_too_long']
  test.each([...codes, ...people])('%s when posting and when opening', async (error) => {
    const channel = channelTo()
    for (const call of ['chat.postMessage', 'conversations.open']) {
      provider.failNext(call, platform(error))
      const outcome = await firstOutcome(channelTo().send(sliceFor(channel)))
      expect(outcome).toEqual({ state: 'not_done', code: error })
    }
    expect(provider.deliveries.size).toBe(0)
  })
})

describe('a rate limit is not done and says when to come back', () => {
  const rows: [string, faulty.Fault, number][] = [
    ['with Retry-After', tooMany({ 'retry-after': '7' }), 7_000],
    ['without Retry-After', tooMany(), 30_000],
    ['with a Retry-After that is no number', tooMany({ 'retry-after': 'soon' }), 30_000],
    ['with a negative Retry-After', tooMany({ 'retry-after': '-5' }), 0],
    ['with a Retry-After of a week', tooMany({ 'retry-after': '604800' }), 3_600_000],
    ['as a platform error', platform('ratelimited'), 30_000],
  ]
  testRows(rows, [tearDown, setUp])(
    'as its headers say, posting and opening',
    async (_name, fault, retryAfterMs) => {
      for (const call of ['chat.postMessage', 'conversations.open']) {
        provider.failNext(call, fault)
        const channel = channelTo()
        const outcome = await firstOutcome(channel.send(sliceFor(channel)))
        expect(outcome).toEqual({ state: 'not_done', code: 'ratelimited', retryAfterMs })
      }
    },
  )

  test('the recipients behind a 429 are not sent to before its time is over', async () => {
    provider.failNext('chat.postMessage', tooMany({ 'retry-after': '7' }))
    const channel = channelTo({ concurrency: 1 })
    const outcomes = await outcomesOf(
      channel.send(sliceFor(channel, { addresses: ['UADA', 'UBEN', 'UCYN'] })),
    )
    expect(postsOf()).toHaveLength(1)
    for (const outcome of outcomes) expect(outcome).toMatchObject({ state: 'not_done', code: 'ratelimited' })
  })
})

describe('a conversation that cannot be opened means certainly no message', () => {
  const rows: [string, faulty.Fault, string][] = [
    ['dropped', faulty.drop, 'connection_lost'],
    ['dropped after the work', faulty.workThenDrop, 'connection_lost'],
    ['hanging', faulty.hang, 'timeout'],
    ['body cut off', faulty.cutBody, 'unreadable_answer'],
    ['503', answer(503, 'no'), 'http_503'],
    ['internal_error', platform('internal_error'), 'internal_error'],
    ['200 with HTML', faulty.html200, 'unreadable_answer'],
    ['200 without a channel', answer(200, { ok: true }), 'unreadable_answer'],
  ]
  testRows(rows, [tearDown, setUp])('it may be sent again', async (_name, fault, code) => {
    provider.failNext('conversations.open', fault)
    const channel = channelTo({ timeoutMs: timeoutMsFor(fault) })
    const slice = sliceFor(channel)
    expect(await firstOutcome(channel.send(slice))).toEqual({ state: 'not_done', code, retryAfterMs: 5_000 })
    expect(postsOf()).toHaveLength(0)
    expect(await firstOutcome(channel.send(slice))).toMatchObject({ state: 'ok' })
    expect([...provider.deliveries.values()]).toEqual([1])
  })
})

describe('which workspace it is', () => {
  test.each(['invalid_auth', 'token_revoked', 'account_inactive'])(
    'is refused with the code where Slack says %s, and looked up again the next time',
    async (error) => {
      provider.failNext('auth.test', platform(error))
      const { dialogue } = channelTo()
      const refused = await dialogue!.team().catch((thrown: unknown) => thrown)
      expect([refused instanceof SlackRefusal, (refused as SlackRefusal).code]).toEqual([true, error])
      expect(await dialogue!.team()).toBe('TFAULT')
    },
  )

  test.each<[string, faulty.Fault]>([
    ['a Slack that is down', answer(503, 'down')],
    ['a rate limit', tooMany({ 'retry-after': '7' })],
    ['an error nobody documented', platform('never_heard_of_it')],
    ['an answer without a workspace', answer(200, { ok: true })],
  ])('is not refused by %s', async (_, fault) => {
    provider.failNext('auth.test', fault)
    const failed = await channelTo()
      .dialogue!.team()
      .catch((thrown: unknown) => thrown)
    expect([failed instanceof Error, failed instanceof SlackRefusal]).toEqual([true, false])
  })
})

test('a Slack that cannot be connected to is not done', async () => {
  await provider.stop()
  const channel = channelTo()
  const outcome = await firstOutcome(channel.send(sliceFor(channel)))
  expect(outcome).toEqual({ state: 'not_done', code: 'unreachable', retryAfterMs: 5_000 })
})

test('a connection lost between opening and posting, before any request, is not done', async () => {
  const channel = channelTo()
  await channel.send(sliceFor(channel))
  await provider.stop()
  // The conversation is known, so the first call is the post itself.
  expect(await firstOutcome(channel.send(sliceFor(channel)))).toMatchObject({
    state: expect.stringMatching(/unknown|not_done/),
  })
  expect(await firstOutcome(channel.send(sliceFor(channel)))).toMatchObject({
    state: 'not_done',
    code: 'unreachable',
  })
})

test('outcomes keep the order of the recipients', async () => {
  const channel = channelTo()
  provider.faultFor = ({ form }) => (form['users'] === 'UGONE' ? platform('user_not_found') : undefined)
  const slice = sliceFor(channel, { addresses: ['UADA', 'UGONE', 'U1,U2', 'UBEN'] })
  const outcomes = await outcomesOf(channel.send(slice))
  expect(outcomes.map((outcome) => (outcome.state === 'ok' ? 'ok' : outcome.code))).toEqual([
    'ok',
    'user_not_found',
    'invalid_user_id',
    'ok',
  ])
  expect([...provider.deliveries.values()]).toEqual([1, 1])
})

test('a cancelled slice: what was not begun is not done, what was under way is unknown', async () => {
  provider.failNext('chat.postMessage', faulty.workThenHang)
  const stop = new AbortController()
  const channel = channelTo({ concurrency: 1, timeoutMs: 60_000 })
  const sending = outcomesOf(
    channel.send(sliceFor(channel, { addresses: ['UADA', 'UBEN'], signal: stop.signal })),
  )
  await provider.arrived('chat.postMessage')
  stop.abort()
  expect(await sending).toEqual([
    { state: 'unknown', code: 'cancelled' },
    { state: 'not_done', code: 'cancelled', retryAfterMs: 0 },
  ])
})

test('a conversation is opened once, however many broadcasts follow', async () => {
  const channel = channelTo()
  for (let broadcast = 0; broadcast < 3; broadcast += 1) await channel.send(sliceFor(channel))
  expect(provider.requests.map(({ call }) => call.split('.')[1])).toEqual([
    'open',
    'postMessage',
    'postMessage',
    'postMessage',
  ])
})

test('two channels never share a token', async () => {
  for (const token of ['xoxb-first', 'xoxb-second', 'xoxb-third']) {
    const channel = channelTo({ token })
    await channel.send(sliceFor(channel))
  }
  const tokens = postsOf().map(({ headers }) => headers['authorization'])
  expect(tokens).toEqual(['Bearer xoxb-first', 'Bearer xoxb-second', 'Bearer xoxb-third'])
})

test('a message that was frozen without its action’s number is sent, and found, without it', async () => {
  const channel = channelTo()
  const slice = sliceFor(channel)
  const { action_number: _, ...message } = slice.message
  const sent = await firstOutcome(channel.send({ ...slice, message }))
  expect(JSON.parse(postsOf()[0]!.form!['metadata']!).event_payload).toEqual({
    delivery_id: slice.recipients[0]!.deliveryId,
  })
  expect(await firstOutcome(channel.reconcile({ ...slice, message }))).toEqual(sent)
})

test('a post carries the delivery id, the action’s number, no first-party message id, and nothing that would notify or unfurl', async () => {
  const channel = channelTo()
  const slice = sliceFor(channel, { text: '<!channel> <@UBEN> & co', proposerName: '<!here>' })
  await channel.send(slice)
  expect(postsOf()[0]!.form).toEqual({
    channel: 'DUADA',
    text: '&lt;!channel&gt; &lt;@UBEN&gt; &amp; co',
    attachments: JSON.stringify([
      {
        fallback: 'Message from &lt;!here&gt; (via Acme’s gate)',
        blocks: [
          {
            type: 'context',
            elements: [
              { type: 'plain_text', text: 'Message from &lt;!here&gt; (via Acme’s gate)', emoji: false },
            ],
          },
        ],
      },
    ]),
    mrkdwn: 'false',
    link_names: 'false',
    unfurl_links: 'false',
    unfurl_media: 'false',
    metadata: JSON.stringify({
      event_type: 'gate_broadcast',
      event_payload: { delivery_id: slice.recipients[0]!.deliveryId, action_number: 42 },
    }),
  })
})

test('nothing of a hostile answer reaches the outcome or the console', async () => {
  const spies = (['debug', 'info', 'log', 'warn', 'error'] as const).map((level) =>
    jest.spyOn(console, level).mockReturnValue(),
  )
  provider.failNext('chat.postMessage', faulty.html200, answer(500, 'secret-looking body'), faulty.drop)
  const channel = channelTo({ concurrency: 1 })
  const outcomes = await outcomesOf(channel.send(sliceFor(channel, { addresses: ['UADA', 'UBEN', 'UCYN'] })))
  for (const spy of spies) {
    expect(spy).not.toHaveBeenCalled()
    spy.mockRestore()
  }
  expect(JSON.stringify(outcomes)).not.toContain('secret')
})
