import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { limits } from '../../../src/limits.ts'
import { answerDocument } from '../../support/app-home.ts'
import { callMcp, leadsTo } from '../../support/connected-app.ts'
import { type AttackScene, attackScene } from './attack-scene.ts'

let scene: AttackScene
beforeAll(async () => {
  scene = await attackScene()
})
afterAll(() => scene.stop())

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
    const answer = await scene.opened({}, client, redirect)
    expect([client, answer.status, answer.headers.get('refresh')]).toEqual([client, 404, null])
    const isClosed = /^https:..(169|10|\[|private|rebound)/.test(client)
    if (isClosed)
      expect([client, answer.text]).toEqual([client, expect.stringContaining('(address_refused)')])
  }
  // What could not be read is not read again at once.
  await scene.opened({}, large, redirect)
  expect(home.asked.get('/large.json')).toBe(1)
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
  const page = await scene.ada.open(
    leadsTo(await scene.opened({}, made.body.client_id, 'https://chat.example/cb')),
  )
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
