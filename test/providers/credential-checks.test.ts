import type { AddressInfo } from 'node:net'
import { type RequestListener, createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, test } from '@jest/globals'
import { checkResendKey } from '../../src/providers/resend/key.ts'
import { slackApp, slackScopes } from '../../src/providers/slack/install.ts'
import { readStripeAccount } from '../../src/providers/stripe/key.ts'
import { testRows } from '../support/rows.ts'

const stops: (() => void)[] = []
afterEach(() => stops.splice(0).forEach((stop) => stop()))

/** A provider that answers as told, and what it was asked. */
async function provider(answer: (path: string) => { status?: number; body?: unknown } | 'drop') {
  const asked: { path: string; authorization: string | undefined; form: Record<string, string> }[] = []
  const listener: RequestListener = async (request, response) => {
    const form = Object.fromEntries(new URLSearchParams(await text(request)))
    asked.push({ path: request.url!, authorization: request.headers.authorization, form })
    const told = answer(request.url!)
    if (told === 'drop') return void request.socket.destroy()
    response.writeHead(told.status ?? 200, { 'content-type': 'application/json' })
    response.end(typeof told.body === 'string' ? told.body : JSON.stringify(told.body))
  }
  const server = createServer(listener).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  stops.push(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

const granted = {
  ok: true,
  access_token: 'xoxb-1-hush',
  token_type: 'bot',
  scope: slackScopes.join(','),
  bot_user_id: 'UBOT',
  team: { id: 'T1', name: 'Acme' },
}
const tested = { ok: true, team_id: 'T1', user_id: 'UBOT' }

async function install(access: { status?: number; body?: unknown } | 'drop', test: object = tested) {
  const { url, asked } = await provider((path) =>
    path.endsWith('oauth.v2.access') ? access : { body: test },
  )
  const app = slackApp({
    clientId: 'id',
    clientSecret: 'client-hush',
    apiUrl: `${url}/api`,
    timeoutMs: 1_000,
  })
  return { result: await app.install('the-code', 'https://gate.example/back'), asked, app }
}

describe("a workspace's installation", () => {
  test('exchanges the code once, without a token, and asks whether the token it got is good', async () => {
    const { result, asked } = await install({ body: granted })
    expect(result).toEqual({ token: 'xoxb-1-hush', teamId: 'T1', teamName: 'Acme', botUserId: 'UBOT' })
    expect(asked).toMatchObject([
      {
        path: '/api/oauth.v2.access',
        authorization: undefined,
        form: {
          client_id: 'id',
          client_secret: 'client-hush',
          code: 'the-code',
          redirect_uri: 'https://gate.example/back',
        },
      },
      { path: '/api/auth.test', authorization: 'Bearer xoxb-1-hush' },
    ])
  })

  testRows<[string, object]>([
    ['token_rotation', { body: { ...granted, refresh_token: 'xoxe-1', expires_in: 43_200 } }],
    ['no_bot_token', { body: { ...granted, access_token: 'xoxp-1', token_type: 'user' } }],
    ['no_bot_token', { body: { ok: true } }],
    ['no_workspace', { body: { ...granted, team: null, is_enterprise_install: true } }],
    ['missing_scope', { body: { ...granted, scope: 'chat:write,im:write' } }],
    ['invalid_code', { body: { ok: false, error: 'invalid_code' } }],
    ['bad_client_secret', { body: { ok: false, error: 'bad_client_secret' } }],
  ])('is refused with its code, and tried once', async (code, answer) => {
    const { result, asked } = await install(answer)
    expect(result).toEqual({ refused: code })
    expect(asked).toHaveLength(1)
  })

  test.each<[string, { status?: number; body?: unknown } | 'drop']>([
    ['connection_lost', 'drop'],
    ['http_503', { status: 503, body: '<html>down</html>' }],
    ['unreadable_answer', { body: '<html>hush</html>' }],
    ['internal_error', { body: { ok: false, error: 'internal_error' } }],
  ])('could not be asked for, %s, and tried once: %j', async (code, answer) => {
    const { result, asked } = await install(answer)
    expect(result).toEqual({ unavailable: code })
    expect(asked).toHaveLength(1)
  })

  test('with a token of another workspace, or one that is not good, is refused', async () => {
    expect((await install({ body: granted }, { ...tested, team_id: 'T2' })).result).toEqual({
      refused: 'another_workspace',
    })
    expect((await install({ body: granted }, { ok: false, error: 'invalid_auth' })).result).toEqual({
      refused: 'invalid_auth',
    })
  })

  test("asks for it on Slack's own page, which lies beside its API", () => {
    const app = slackApp({
      clientId: 'id',
      clientSecret: 's',
      apiUrl: 'https://slack.com/api/',
      timeoutMs: 1,
    })
    const url = app.authorizeUrl({ state: 'x', redirectUri: 'https://gate.example/back' })
    expect(url.href.split('?')[0]).toBe('https://slack.com/oauth/v2/authorize')
    expect(url.href).not.toContain('client_secret')
  })
})

describe('a Resend key', () => {
  const check = async (answer: { status?: number; body?: unknown } | 'drop') => {
    const { url, asked } = await provider(() => answer)
    const result = await checkResendKey('re_hush', { baseUrl: url, timeoutMs: 500 })
    expect(asked).toMatchObject([{ path: '/domains', authorization: 'Bearer re_hush' }])
    return result
  }
  const error = (statusCode: number, name: string) => ({
    status: statusCode,
    body: { statusCode, name, message: 'Whatever.' },
  })

  test.each<[string, { status?: number; body?: unknown }]>([
    ['that may do everything', { body: { object: 'list', has_more: false, data: [] } }],
    ['that may only send', error(401, 'restricted_api_key')],
  ])('%s is good, by one read', async (_, answer) => {
    expect(await check(answer)).toBe('ok')
  })

  testRows<[string, { status?: number; body?: unknown } | 'drop', object]>([
    ['that is not known', error(401, 'invalid_api_key'), { refused: 'invalid_api_key' }],
    ['that is malformed', error(400, 'validation_error'), { refused: 'validation_error' }],
    ['of a team over its rate', error(429, 'rate_limit_exceeded'), { unavailable: 'ratelimited' }],
    ['when Resend is down', { status: 503, body: { message: 'down' } }, { unavailable: 'no_answer' }],
    ['when the line is cut', 'drop', { unavailable: 'no_answer' }],
  ])('any other answer is not', async (_, answer, result) => {
    expect(await check(answer)).toEqual(result)
  })
})

describe('whose account a Stripe key is of', () => {
  const accountFor = async (answer: Parameters<typeof provider>[0]) => {
    const { url } = await provider(answer)
    return readStripeAccount('rk_test_hush', { apiBase: url, isStandIn: true })
  }

  test.each<[string, object, object]>([
    ['by the name of its dashboard', { settings: { dashboard: { display_name: 'Acme' } } }, { name: 'Acme' }],
    ['by the name of its business', { business_profile: { name: 'Acme Ltd' } }, { name: 'Acme Ltd' }],
    ['without a name', { settings: {} }, { name: null }],
    ['by a name that is no text', { business_profile: { name: { a: 1 } } }, { name: null }],
  ])('is told %s', async (_, body, told) => {
    const found = await accountFor(() => ({ body: { id: 'acct_1', object: 'account', ...body } }))
    expect(found).toEqual({ id: 'acct_1', ...told })
  })

  test.each<[string, { status?: number; body?: unknown } | 'drop']>([
    ['a key that may not read it', { status: 403, body: { error: { type: 'invalid_request_error' } } }],
    ['a lost connection', 'drop'],
    ['an id that is none', { body: { id: 'acct_<b>', object: 'account' } }],
  ])('is not told by %s', async (_, answer) => {
    expect(await accountFor(() => answer)).toBeUndefined()
  })
})
