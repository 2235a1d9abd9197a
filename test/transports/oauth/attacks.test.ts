import { Writable } from 'node:stream'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { pino } from 'pino'
import { appCodeHash } from '../../../src/keys/link-token.ts'
import { limits } from '../../../src/limits.ts'
import { verifyLedger } from '../../../src/ledger/verify.ts'
import { answerDocument } from '../../support/app-home.ts'
import {
  type AppScene,
  answerApp,
  appScene,
  authorization,
  callMcp,
  codeIn,
  connectedApp,
  fieldsOn,
  leadsTo,
  sendForm,
} from '../../support/connected-app.ts'
import { type Visitor, linkByMail, signedInByMail, visitor } from '../../support/console.ts'

const logged: string[] = []
const log = pino(
  { level: 'trace' },
  new Writable({
    write(line, _encoding, done) {
      logged.push(String(line))
      done()
    },
  }),
)

let scene: AppScene
/** Names that do not resolve to where they seem to be. */
const names: Record<string, string[]> = {
  'rebound.example': ['93.184.216.34', '10.0.0.2'],
  'private.example': ['10.0.0.1'],
}
let ada: Visitor
let account: Awaited<ReturnType<AppScene['gate']['account']>>

beforeAll(async () => {
  scene = await appScene({
    log,
    network: {
      allowed: ['127.0.0.0/8'],
      resolve: async (host) => {
        if (host === '127.0.0.1') return [{ address: host, family: 4 }]
        return (names[host] ?? []).map((address) => ({ address, family: 4 as const }))
      },
    },
  })
  account = await scene.gate.account()
  await account.addMember({ email: 'ada@example.com', tier: 'guarded_write' })
  ada = await signedInByMail(scene.gate, 'ada@example.com')
})
afterAll(() => scene.stop())

const secrets: string[] = []
const token = (fields: Record<string, string | undefined>, headers?: Record<string, string>) =>
  sendForm(`${scene.base}/oauth/token`, fields, headers).then((answer) => {
    for (const name of ['access_token', 'refresh_token'])
      if (answer.body[name]) secrets.push(answer.body[name])
    return answer
  })
const mcp = (given: string | undefined) => callMcp(`${scene.base}/mcp`, given).then(({ status }) => status)

/** A code that Ada's browser took to the app, with what redeems it. */
async function freshCode() {
  const { verifier, path } = authorization(scene.home.client, scene.home.redirect)
  const code = codeIn(await answerApp(ada, path))
  secrets.push(code, verifier)
  return {
    grant_type: 'authorization_code',
    client_id: scene.home.client,
    redirect_uri: scene.home.redirect,
    code,
    code_verifier: verifier,
  }
}

const opened = async (
  changed: Record<string, string | undefined>,
  client = scene.home.client,
  redirect = scene.home.redirect,
) => visitor(scene.gate).open(authorization(client, redirect, changed).path)

test('a code is good once, and its second use ends what the first one got', async () => {
  const fields = await freshCode()
  const [first, second] = await Promise.all([token(fields), token(fields)])
  const [good, bad] = first.status === 200 ? [first, second] : [second, first]
  expect([good.status, bad.status, bad.body.error]).toEqual([200, 400, 'invalid_grant'])
  expect(await mcp(good.body.access_token)).toBe(401)
  const { refresh_token } = good.body
  const again = await token({ grant_type: 'refresh_token', client_id: fields.client_id, refresh_token })
  expect(again.body.error).toBe('invalid_grant')
})

test('a code of another app, with another verifier or to another address is worth nothing, then or later', async () => {
  for (const changed of [
    { client_id: 'https://other.example/client.json' },
    { code_verifier: 'x'.repeat(43) },
    { redirect_uri: `${scene.home.redirect}/` },
  ]) {
    const fields = await freshCode()
    expect((await token({ ...fields, ...changed })).body.error).toBe('invalid_grant')
    expect((await token(fields)).body.error).toBe('invalid_grant')
  }
  const fields = await freshCode()
  for (const [changed, error] of [
    [{ code_verifier: undefined }, 'invalid_request'],
    [{ resource: 'https://other.example/mcp' }, 'invalid_target'],
    [{ grant_type: 'password' }, 'unsupported_grant_type'],
    [{ grant_type: '__proto__' }, 'unsupported_grant_type'],
    [{ code: 'unknown' }, 'invalid_grant'],
    [{ code: `${fields.code.slice(0, -1)}_` }, 'invalid_grant'],
  ] as const) {
    const answer = await token({ ...fields, ...changed })
    expect([changed, answer.status, answer.body.error]).toEqual([changed, 400, error])
  }
  expect((await token(fields)).status).toBe(200)
})

test('a request without PKCE, with a weaker one, for another server or to another address is shown, never sent on', async () => {
  const { client, redirect } = scene.home
  for (const changed of [
    { code_challenge: undefined },
    { code_challenge_method: 'plain' },
    { code_challenge_method: undefined },
    { resource: 'https://other.example/mcp' },
    { resource: `${scene.base}/mcp/x` },
    { response_type: 'token' },
    { redirect_uri: `${redirect}.evil.example` },
    { redirect_uri: `${redirect}/more` },
    { redirect_uri: 'https://chat.example:8443/callback' },
    { redirect_uri: 'https://chat.example/Callback' },
    { redirect_uri: 'https://CHAT.example/callback' },
    { redirect_uri: 'https://chat.example@evil.example/callback' },
    { redirect_uri: 'https://chat.example%2fcallback' },
    { redirect_uri: 'https://chat.example/%63allback' },
    { redirect_uri: 'https://chat.example/callback#x' },
    { redirect_uri: 'https://chat.example/x/../callback' },
    { redirect_uri: 'http://chat.example/callback' },
    { redirect_uri: 'javascript:alert(1)' },
    { client_id: `${client}?` },
    { client_id: `${scene.home.url}/../client.json` },
  ]) {
    const page = await opened(changed)
    const at = [changed, page.headers.get('location'), page.headers.get('refresh')]
    expect(at).toEqual([changed, null, null])
    expect([404, 422]).toContain(page.status)
    // Nor by the page of the console, whose form may be made up.
    const fields = Object.fromEntries(
      new URL(authorization(client, redirect, changed).path, scene.base).searchParams,
    )
    const { form_of } = await freshForm()
    const sent = await ada.send('/console/apps/connect', { ...fields, form_of: form_of!, answer: 'decline' })
    expect(sent.status).not.toBe(303)
    expect(sent.headers.get('location')).toBeNull()
  }
})

/** The fields of a form that was not sent. */
const freshForm = async () => {
  const { path } = authorization(scene.home.client, scene.home.redirect)
  return fieldsOn(await ada.open(leadsTo(await ada.open(path))))
}

test('a refresh token is good once, for its own app and no more than was allowed; its reuse ends the connection', async () => {
  const { body } = await token(await freshCode())
  const { client } = scene.home
  const refresh = (given: string, more: Record<string, string> = {}) =>
    token({ grant_type: 'refresh_token', client_id: client, refresh_token: given, ...more })
  expect((await refresh(body.refresh_token, { scope: 'read propose confirm' })).body.error).toBe(
    'invalid_scope',
  )
  const second = await refresh(body.refresh_token)
  expect([second.status, second.body.scope, await mcp(second.body.access_token)]).toEqual([
    200,
    'read propose',
    200,
  ])
  expect((await refresh(body.refresh_token)).body.error).toBe('invalid_grant')
  expect(await mcp(second.body.access_token)).toBe(401)
  expect((await refresh(second.body.refresh_token)).body.error).toBe('invalid_grant')

  const third = await token(await freshCode())
  const stolen = { client_id: 'https://other.example/client.json' }
  expect((await refresh(third.body.refresh_token, stolen)).body.error).toBe('invalid_grant')
  expect(await mcp(third.body.access_token)).toBe(401)
})

test('codes and tokens of a deactivated member, and of a suspended account, are refused and stay so', async () => {
  const other = await scene.gate.account()
  const bob = await other.addMember({ email: 'bob@example.com' })
  const ends = [(is: boolean) => other.setActive(bob, !is), (is: boolean) => other.suspend(is)]
  for (const end of ends) {
    const person = await signedInByMail(scene.gate, 'bob@example.com')
    const { verifier, path } = authorization(scene.home.client, scene.home.redirect)
    const code = codeIn(await answerApp(person, path))
    const tokens = await connectedApp(scene.gate.deps, other.account, 'bob@example.com')
    expect(await mcp(tokens.access_token)).toBe(200)
    await end(true)
    expect(await mcp(tokens.access_token)).toBe(401)
    await end(false)
    expect(await mcp(tokens.access_token)).toBe(401)
    const refused = await token({
      grant_type: 'authorization_code',
      client_id: scene.home.client,
      code,
      code_verifier: verifier,
    })
    expect(refused.body.error).toBe('invalid_grant')
  }
  // Tokens of one account see nothing of another.
  const tokens = await connectedApp(scene.gate.deps, other.account, 'bob@example.com')
  await account.client.propose({ email: 'ada@example.com' }, 'Lunch is at noon.')
  const seen = await callMcp(`${scene.base}/mcp`, tokens.access_token, 'tools/call', {
    name: 'list_actions',
    arguments: {},
  })
  expect(JSON.stringify(seen.body)).not.toContain('Lunch')
  expect(await verifyLedger(scene.gate.database.db, other.account)).toMatchObject({ ok: true })
})

test('a document at a closed address, behind a redirect, too large, or about another app is not taken', async () => {
  const { home } = scene
  const { redirect } = home
  const document = (client: string) => ({ client_id: client, client_name: 'Chat', redirect_uris: [redirect] })
  const redirected = home.serve('/moved.json', (response) =>
    response.writeHead(302, { location: home.client }).end(),
  )
  const large = home.serve('/large.json', (response) =>
    answerDocument(response, { ...document(large), padding: 'x'.repeat(10_000_000) }),
  )
  const barely = home.serve('/barely.json', (response) =>
    answerDocument(response, { ...document(barely), padding: 'x'.repeat(limits.appDocumentBytesMax) }),
  )
  const foreign = home.serve('/foreign.json', (response) => answerDocument(response, document(home.client)))
  const page = home.serve('/page.json', (response) =>
    response.writeHead(200, { 'content-type': 'text/html' }).end(JSON.stringify(document(page))),
  )
  const broken = home.serve('/broken.json', (response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{'),
  )
  for (const client of [
    redirected,
    large,
    barely,
    foreign,
    page,
    broken,
    'https://169.254.169.254/client.json',
    'https://10.0.0.1/client.json',
    'https://[::1]/client.json',
    'https://2130706433/client.json',
    'https://private.example/client.json',
    'https://rebound.example/client.json',
    'https://unknown.example/client.json',
    'http://chat.example/client.json',
    'https://user@chat.example/client.json',
    'https://chat.example/',
    'file:///etc/passwd',
    'client_0000000000000000000000',
  ]) {
    const answer = await opened({}, client, redirect)
    expect([client, answer.status, answer.headers.get('refresh')]).toEqual([client, 404, null])
    const isClosed = /^https:..(169|10|\[|private|rebound)/.test(client)
    if (isClosed)
      expect([client, answer.text]).toEqual([client, expect.stringContaining('(address_refused)')])
  }
  // What could not be read is not read again at once.
  await opened({}, large, redirect)
  expect(home.asked.get('/large.json')).toBe(1)
})

test('a name with invisible or look-alike characters is not shown: the host stands in its place', async () => {
  const { home } = scene
  for (const [n, name] of [
    'Ch\u0430tGPT',
    'Chat\u202Etpg',
    'Chat\u0000',
    'A\u200BB',
    'x'.repeat(101),
  ].entries()) {
    const client: string = home.serve(`/name-${n}.json`, (response) =>
      answerDocument(response, { client_id: client, client_name: name, redirect_uris: [home.redirect] }),
    )
    const page = await ada.open(leadsTo(await opened({}, client)))
    const { host } = new URL(home.url)
    expect(page.text).toContain(`App ${host} Asks from ${host} Gets its access at chat.example`)
  }
})

test('the page that asks cannot be framed, and only a form of the session itself connects', async () => {
  const { path } = authorization(scene.home.client, scene.home.redirect)
  const to = leadsTo(await ada.open(path))
  const page = await ada.open(to)
  expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
  expect(page.headers.get('x-frame-options')).toBe('DENY')
  const form = fieldsOn(page)
  const other = await scene.gate.account()
  await other.addMember({ email: 'eve@example.com' })
  const eve = await signedInByMail(scene.gate, 'eve@example.com')
  const ofEve = fieldsOn(await eve.open(to))
  const before = await grants()
  // Opening it, from a mail or anywhere, connects nothing, whatever the address says.
  await ada.open(`${to}&answer=connect`)
  for (const fields of [
    { ...form, form_of: undefined },
    { ...form, form_of: ofEve['form_of'] },
    { ...form, form_of: '' },
  ]) {
    const present = Object.fromEntries(
      Object.entries(fields).filter(([, value]) => value !== undefined),
    ) as Record<string, string>
    expect((await ada.send('/console/apps/connect', { ...present, answer: 'connect' })).status).toBe(422)
  }
  const fromOutside = await fetch(new URL('/console/apps/connect', scene.base), {
    method: 'POST',
    redirect: 'manual',
    headers: {
      'sec-fetch-site': 'cross-site',
      cookie: [...ada.cookies].map((pair) => pair.join('=')).join('; '),
      'x-forwarded-for': '10.9.9.9',
    },
    body: new URLSearchParams({ ...form, answer: 'connect' }),
  })
  expect(fromOutside.status).toBe(403)
  expect(await grants()).toBe(before)
})

const grants = async (): Promise<number> =>
  Number((await scene.gate.database.asSuperuser('select count(*)::int as n from gate.app_grant'))[0]!['n'])

test('a session that somebody else put into the browser before a person signs in connects nothing for them', async () => {
  const { home, gate } = scene
  const other = await gate.account()
  await other.addMember({ email: 'mallory@example.com' })
  const mallory = await signedInByMail(gate, 'mallory@example.com')
  const victim = visitor(gate)
  for (const [name, value] of mallory.cookies) victim.cookies.set(name, value)
  const { path } = authorization(home.client, home.redirect)
  const planted = fieldsOn(await victim.open(leadsTo(await victim.open(path))))
  const link = await linkByMail(gate, victim, 'ada@example.com')
  expect((await victim.send(link)).status).toBe(303)
  // Neither the planted session nor the form of its page is of use for the person who has signed in.
  const before = await grants()
  expect((await victim.send('/console/apps/connect', { ...planted, answer: 'connect' })).status).toBe(422)
  for (const [name, value] of mallory.cookies) expect(victim.cookies.get(name)).not.toBe(value)
  expect(await grants()).toBe(before)
  const page = await victim.open(leadsTo(await victim.open(path)))
  expect(page.text).toContain('Acts for Ada')
})

test('a refusal that goes back to the app names the issuer, and a link from a mail asks before it connects', async () => {
  const { home, base } = scene
  const { path } = authorization(home.client, home.redirect)
  const declined = await answerApp(ada, path, { answer: 'decline' })
  const back = new URL(declined.headers.get('location')!)
  expect([back.searchParams.get('error'), back.searchParams.get('iss')]).toEqual([
    'access_denied',
    `${base}/oauth`,
  ])
  const before = await grants()
  for (const more of ['', '&answer=connect', '&prompt=none', '&form_of=x'])
    expect(codeIn(await ada.open(`${path}${more}`))).toBe('')
  expect(await grants()).toBe(before)
})

test('a code that is nearly right is refused in the words of any other, and no lookup depends on how near it is', async () => {
  const fields = await freshCode()
  const texts = new Set<string>()
  for (const code of [`${fields.code.slice(0, -1)}_`, `${fields.code.slice(0, -2)}__`, 'A'.repeat(43), 'x'])
    texts.add(JSON.stringify((await token({ ...fields, code })).body))
  expect(texts.size).toBe(1)
  // Codes are stored and found by their hash alone, of which codes that are alike share nothing.
  const stored = await scene.gate.database.asSuperuser(
    `select encode(code, 'hex') as code, to_jsonb(c)::text as row from gate_private.app_code c`,
  )
  expect(stored.map(({ code }) => code)).toContain(appCodeHash(fields.code).toString('hex'))
  expect(stored.filter(({ row }) => String(row).includes(fields.code))).toEqual([])
  expect((await token(fields)).status).toBe(200)
})

test('apps register exactly what they are, few in an hour, and those that nobody connects are bounded', async () => {
  const register = async (body: unknown, address: string) => {
    const answer = await fetch(`${scene.base}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      body: JSON.stringify(body),
    })
    return { status: answer.status, body: (await answer.json()) as any }
  }
  for (const redirects of [
    ['http://chat.example/'],
    ['https://a.example/#x'],
    ['cursor://x'],
    ['https://u@a.example/'],
    [],
  ])
    expect((await register({ redirect_uris: redirects }, '10.8.0.1')).status).toBe(400)
  const made = await register(
    {
      redirect_uris: ['https://chat.example/cb'],
      client_name: 'Chat',
      token_endpoint_auth_method: 'client_secret_basic',
    },
    '10.8.0.2',
  )
  expect(made).toMatchObject({ status: 201, body: { token_endpoint_auth_method: 'none' } })
  expect(made.body.client_secret).toBeUndefined()
  const page = await ada.open(leadsTo(await opened({}, made.body.client_id, 'https://chat.example/cb')))
  expect(page.text).toContain('App Chat Asks from chat.example')

  const flood = await Promise.all(
    Array.from({ length: limits.appRegistrationsPerHour + 1 }, () =>
      register({ redirect_uris: ['https://flood.example/cb'] }, '10.8.0.3'),
    ),
  )
  expect(flood.filter(({ status }) => status === 429)).toHaveLength(1)
  await scene.gate.database.asSuperuser(`
    insert into gate_private.app_client (client_id, name, redirects)
    select 'client_' || lpad(n::text, 22, '0'), 'Flood', '{https://flood.example/cb}' from generate_series(1, ${limits.appRegistrationsUnusedMax}) n`)
  expect((await register({ redirect_uris: ['https://chat.example/cb'] }, '10.8.0.4')).status).toBe(503)
  await scene.gate.database.asSuperuser(`
    update gate_private.app_client set created_at = now() - interval '25 hours' where name = 'Flood'`)
  expect((await register({ redirect_uris: ['https://chat.example/cb'] }, '10.8.0.5')).status).toBe(201)
})

test('nothing is served on another host, or at the root, and no 401 of keys names it', async () => {
  const { port } = new URL(scene.base)
  const other = `http://localhost:${port}`
  const paths = [
    'oauth-protected-resource/mcp',
    'oauth-authorization-server/oauth',
    'openid-configuration/oauth',
  ]
  for (const path of paths) {
    expect((await fetch(`${scene.base}/.well-known/${path}`)).status).toBe(200)
    expect((await fetch(`${other}/.well-known/${path}`)).status).toBe(404)
  }
  for (const path of [
    'oauth-protected-resource',
    'oauth-authorization-server',
    'openid-configuration',
    'oauth-protected-resource/api/mcp',
  ])
    expect((await fetch(`${scene.base}/.well-known/${path}`)).status).toBe(404)
  expect((await callMcp(`${other}/mcp`, undefined)).status).toBe(404)
  const ofKeys = await callMcp(`${scene.base}/api/mcp`, undefined)
  expect([ofKeys.status, ofKeys.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
})

test('no code, verifier or token is in the log', () => {
  expect(secrets.length).toBeGreaterThan(10)
  const all = logged.join('')
  expect(all).toContain('/oauth/token')
  expect(secrets.filter((secret) => all.includes(secret))).toEqual([])
})
