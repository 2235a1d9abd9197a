import { expect, test } from '@jest/globals'
import { CallFailure } from '../../src/executors/guarded-request.ts'
import { teamsBotChannel } from '../../src/providers/teams-bot/channel.ts'
import { type BotAnswer, type BotRequest, connector } from '../../src/providers/teams-bot/connector.ts'
import { microsoft } from '../../src/providers/teams-bot/place.ts'
import { MessageGone } from '../../src/providers/ports.ts'
import { rateLimiter } from '../../src/providers/rate-limiter.ts'
import { testRows } from '../support/rows.ts'

const bot = { tenant: '11111111-2222-4333-8444-555555555555', app: 'app', secret: 'Hush' }
const person = '0b9a1b2c-3d4e-4f50-8a6b-7c8d9e0f1a2b'

type Says = Partial<BotAnswer> | Error

/** A bot whose calls are answered as told: for a token, for a conversation, for a message. */
function botThat(answers: { token?: Says; open?: Says; post?: Says; put?: Says } = {}) {
  const asked: BotRequest[] = []
  const said = (says: Says): BotAnswer => {
    if (says instanceof Error) throw says
    return { status: 200, retryAfter: undefined, body: undefined, ...says }
  }
  const channel = teamsBotChannel(
    bot,
    connector(bot, microsoft, async (request) => {
      asked.push(request)
      if (request.url.endsWith('/token'))
        return said(answers.token ?? { body: { access_token: 'T', expires_in: 3_600 } })
      if (request.method === 'PUT') return said(answers.put ?? {})
      if (request.url.endsWith('/conversations'))
        return said(answers.open ?? { status: 201, body: { id: 'a:1' } })
      return said(answers.post ?? { status: 201, body: { id: '1700' } })
    }),
    rateLimiter({ perSecond: 0 }),
  )
  return {
    channel,
    asked,
    async send(text = 'Approval requested') {
      const { outcomes } = await channel.send({
        key: 'k',
        message: channel.freezeNotice({ subject: '', text }),
        recipients: [{ deliveryId: 'k', address: person }],
        attemptedAt: new Date(),
      })
      return outcomes[0]
    },
  }
}

const retryAfterMs = expect.any(Number)
testRows<[string, Parameters<typeof botThat>[0], unknown]>([
  ['a message with an id', {}, { state: 'ok', providerId: '1700' }],
  [
    'a message without an id',
    { post: { status: 201, body: {} } },
    { state: 'unknown', code: 'unreadable_answer' },
  ],
  [
    'a message with an unreadable id',
    { post: { body: { id: 'a b' } } },
    { state: 'unknown', code: 'unreadable_answer' },
  ],
  [
    'no token for a wrong secret',
    { token: { status: 401, body: { error: 'invalid_client' } } },
    { state: 'not_done', code: 'invalid_client' },
  ],
  ['no token for now', { token: { status: 503 } }, { state: 'not_done', code: 'http_503', retryAfterMs }],
  [
    'a token that is none',
    { token: { body: { access_token: 'a\nb' } } },
    { state: 'not_done', code: 'http_200', retryAfterMs },
  ],
  [
    'no connection for a token',
    { token: new CallFailure('timeout', false) },
    { state: 'not_done', code: 'timeout', retryAfterMs },
  ],
  [
    'a private address',
    { token: new CallFailure('address_refused', true) },
    { state: 'not_done', code: 'address_refused' },
  ],
  [
    'no such app at the person',
    { open: { status: 403, body: { error: { code: 'BotNotInConversationRoster' } } } },
    { state: 'not_done', code: 'BotNotInConversationRoster', says: 'BotNotInConversationRoster' },
  ],
  [
    'an object id that Teams does not take',
    {
      open: {
        status: 400,
        body: { error: { code: 'BadArgument', message: 'Failed to decrypt pairwise id' } },
      },
    },
    { state: 'not_done', code: 'BadArgument', says: 'BadArgument' },
  ],
  [
    'a refusal that is no name',
    { open: { status: 403, body: { error: { code: 'x y' } } } },
    { state: 'not_done', code: 'http_403' },
  ],
  [
    'a lost answer of a conversation',
    { open: new CallFailure('answer_broken', false) },
    { state: 'not_done', code: 'answer_broken', retryAfterMs },
  ],
  [
    'a failure of a conversation',
    { open: { status: 502 } },
    { state: 'not_done', code: 'http_502', retryAfterMs },
  ],
  [
    'a limit',
    { post: { status: 429, retryAfter: '7' } },
    { state: 'not_done', code: 'ratelimited', retryAfterMs: 7_000 },
  ],
  [
    'a token that was refused',
    { post: { status: 401 } },
    { state: 'not_done', code: 'http_401', retryAfterMs },
  ],
  ['a refused message', { post: { status: 400 } }, { state: 'not_done', code: 'http_400' }],
  ['a redirect', { post: { status: 307 } }, { state: 'not_done', code: 'http_307' }],
  ['a failure', { post: { status: 500 } }, { state: 'unknown', code: 'http_500' }],
  ['a lost answer', { post: new CallFailure('timeout', false) }, { state: 'unknown', code: 'timeout' }],
  [
    'no connection',
    { post: new CallFailure('not_resolved', true) },
    { state: 'not_done', code: 'not_resolved', retryAfterMs },
  ],
])('%s: sent, not sent, or unknown', async (_, answers, outcome) => {
  expect(await botThat(answers).send()).toEqual(outcome)
})

test('a bot asks Microsoft alone, once for a token and a conversation, and never says its secret to the service', async () => {
  const one = botThat()
  await one.send()
  await one.send()
  expect(one.asked.map(({ method, url }) => `${method} ${url}`)).toEqual([
    `POST https://login.microsoftonline.com/${bot.tenant}/oauth2/v2.0/token`,
    'POST https://smba.trafficmanager.net/teams/v3/conversations',
    'POST https://smba.trafficmanager.net/teams/v3/conversations/a%3A1/activities',
    'POST https://smba.trafficmanager.net/teams/v3/conversations/a%3A1/activities',
  ])
  const [token, ...calls] = one.asked
  expect(token!.body).toContain('scope=https%3A%2F%2Fapi.botframework.com%2F.default')
  expect(JSON.stringify(calls)).not.toContain('Hush')
  expect(JSON.parse(calls[0]!.body)).toMatchObject({
    members: [{ id: person }],
    isGroup: false,
    tenantId: bot.tenant,
  })
})

test('a message above the limit of Teams is not sent', async () => {
  const one = botThat()
  expect(await one.send('x'.repeat(26_000))).toEqual({ state: 'not_done', code: 'message_too_large' })
  expect(one.asked).toEqual([])
})

test('a message that Teams refuses to update is given up, and one that it could not update is tried again', async () => {
  const update = (put: Says) =>
    botThat({ put }).channel.dialogue!.replace({ id: '1', user: person }, { text: '', blocks: [] })
  await expect(update({})).resolves.toBeUndefined()
  await expect(update({ status: 404 })).rejects.toThrow(MessageGone)
  const isTriedAgain = async (put: Says) =>
    update(put).then(
      () => false,
      (error: unknown) => !(error instanceof MessageGone),
    )
  expect(await isTriedAgain({ status: 429 })).toBe(true)
  expect(await isTriedAgain({ status: 500 })).toBe(true)
  expect(await isTriedAgain(new CallFailure('timeout', false))).toBe(true)
})
