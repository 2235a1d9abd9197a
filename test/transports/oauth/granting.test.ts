import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { verifyLedger } from '../../../src/ledger/verify.ts'
import { gateOn } from '../../cli/gate-command.ts'
import {
  type AppScene,
  answerApp,
  appScene,
  authorization,
  callMcp,
  codeIn,
  connectedApp,
  leadsTo,
  sendForm,
} from '../../support/connected-app.ts'
import { signedInAdmin, signedInByMail } from '../../support/console.ts'

let scene: AppScene
beforeAll(async () => {
  scene = await appScene()
})
afterAll(() => scene.stop())

const mcp = (token: string | undefined) => callMcp(`${scene.base}/mcp`, token).then(({ status }) => status)

/** The command line about an account. */
function commands(account: string) {
  const gate = gateOn({ DATABASE_URL: scene.gate.database.serviceUrl })
  return async (...argv: string[]) => {
    const done = await gate(...argv, '--account', account, '--json')
    if (done.code !== 0) throw new Error(done.stderr)
    return done.json
  }
}

test('a product with an id and a secret is connected by members of the account alone, and needs both', async () => {
  const { gate, base } = scene
  const account = await gate.account()
  await account.addMember({ email: 'ada@example.com' })
  const gateOf = commands(account.account)
  const redirect = 'https://claude.example/callback'
  await expect(gateOf('app', 'add', '--name', 'Claude', '--redirect', 'http://a.example/')).rejects.toThrow(
    /https/,
  )
  const { client_id, client_secret } = await gateOf('app', 'add', '--name', 'Claude', '--redirect', redirect)
  expect(await gateOf('app', 'clients')).toMatchObject([{ client_id, name: 'Claude', redirects: [redirect] }])

  const person = await signedInByMail(gate, 'ada@example.com')
  const fresh = async () => {
    const { verifier, path } = authorization(client_id, redirect)
    return {
      grant_type: 'authorization_code',
      code: codeIn(await answerApp(person, path)),
      code_verifier: verifier,
    }
  }
  const send = (fields: Record<string, string>, secret?: string) =>
    sendForm(
      `${base}/oauth/token`,
      fields,
      secret === undefined
        ? {}
        : { authorization: `Basic ${Buffer.from(`${client_id}:${secret}`).toString('base64')}` },
    )
  const fields = await fresh()
  for (const wrong of [
    await send({ ...fields, client_id }),
    await send({ ...fields, client_id, client_secret: 'x' }),
    await send(fields, 'x'),
  ])
    expect([wrong.status, wrong.body.error]).toEqual([401, 'invalid_client'])
  expect((await send({ ...fields, client_id, client_secret })).status).toBe(200)
  const { body } = await send(await fresh(), client_secret)
  expect(await mcp(body.access_token)).toBe(200)

  const other = await gate.account()
  await other.addMember({ email: 'eve@example.com' })
  const eve = await signedInByMail(gate, 'eve@example.com')
  expect((await answerApp(eve, authorization(client_id, redirect).path)).status).toBe(403)

  await gateOf('app', 'remove', '--client', client_id)
  expect(await mcp(body.access_token)).toBe(401)
  expect(await gateOf('app', 'clients')).toEqual([])
  expect(await verifyLedger(gate.database.db, account.account)).toMatchObject({ ok: true })
})

test('an administrator connects an app for a member, with kinds and limits; a member only for themselves', async () => {
  const { gate, base, home } = scene
  const account = await gate.account()
  await account.addMember({ name: 'Bob', email: 'bob@example.com', tier: 'guarded_write' })
  await account.addMember({ name: 'Cleo', email: 'cleo@example.com', tier: 'guarded_write' })
  const admin = await signedInAdmin(gate, account.account)
  const { verifier, path } = authorization(home.client, home.redirect)
  const unnamed = await answerApp(admin, path)
  expect([unnamed.status, unnamed.text.includes('Name the member whom the app acts for.')]).toEqual([
    422,
    true,
  ])
  const answer = await answerApp(admin, path, {
    answer: 'connect',
    member: 'bob@example.com',
    confirm: 'on',
    kind_broadcast: 'on',
    actions_per_day: '1',
  })
  const { body } = await sendForm(`${base}/oauth/token`, {
    grant_type: 'authorization_code',
    client_id: home.client,
    code: codeIn(answer),
    code_verifier: verifier,
  })
  expect(body.scope).toBe('read propose confirm')
  const call = async (token: string, name: string, args: object) =>
    (await callMcp(`${base}/mcp`, token, 'tools/call', { name, arguments: args })).body.result
  const propose = async (token: string) =>
    (await call(token, 'request_action', { kind: 'broadcast', payload: { message: 'Hello.' } }))
      .structuredContent
  const [first, second] = [await propose(body.access_token), await propose(body.access_token)]
  expect(first.member).toBe('bob@example.com')
  const confirmed = await call(body.access_token, 'confirm_action', { id: first.id })
  expect(confirmed.isError ?? false).toBe(false)
  // The limit of a day counts over all tokens of the app.
  const next = await sendForm(`${base}/oauth/token`, {
    grant_type: 'refresh_token',
    client_id: home.client,
    refresh_token: body.refresh_token,
  })
  const over = await call(next.body.access_token, 'confirm_action', { id: second.id })
  expect(JSON.stringify(over)).toMatch(/limit/i)

  const cleo = await signedInByMail(gate, 'cleo@example.com')
  const refused = await answerApp(cleo, path, { answer: 'connect', member: 'bob@example.com' })
  expect(refused.status).toBe(403)
  expect((await cleo.open('/console/apps')).text).toContain('No apps are connected.')

  const page = await admin.open('/console/apps')
  for (const path of ['/console/apps', '/console/connect/chatgpt'])
    expect((await admin.open(path)).html).toContain(`${scene.base}/mcp`)
  const { host } = new URL(home.url)
  expect(page.text).toContain(
    `Chat ${host} Reads, proposes and confirms broadcasts for Bob, at most 1 action a day.`,
  )
  const [app] = await commands(account.account)('app', 'list')
  expect(app).toMatchObject({ state: 'connected', member: 'Bob', host: new URL(home.url).host })
  const end = `/console/apps/${app.app_id}/end`
  expect((await cleo.open(end)).status).toBe(404)
  expect((await cleo.send(end)).status).toBe(404)
  expect(await mcp(next.body.access_token)).toBe(200)
  expect((await admin.send(end)).status).toBe(303)
  expect(await mcp(next.body.access_token)).toBe(401)
  expect((await admin.open('/console/apps')).text).toContain('Disconnected and expired')
  // No key of the list is a token, and a token is none that can be rotated or revoked as one.
  expect((await admin.open('/console/keys')).text).not.toContain('Chat')
  expect(await verifyLedger(gate.database.db, account.account)).toMatchObject({ ok: true })
})

test('a member ends an app by themselves, and the command line any', async () => {
  const { gate } = scene
  const account = await gate.account()
  await account.addMember({ email: 'dan@example.com' })
  const gateOf = commands(account.account)
  const dan = await signedInByMail(gate, 'dan@example.com')
  for (const end of [
    (id: string) => dan.send(`/console/apps/${id}/end`),
    (id: string) => gateOf('app', 'end', '--app', id),
  ]) {
    const { access_token } = await connectedApp(gate.deps, account.account, 'dan@example.com')
    expect(await mcp(access_token)).toBe(200)
    const [{ app_id: id }] = await gateOf('app', 'list')
    await end(id)
    expect(await mcp(access_token)).toBe(401)
  }
})

test('a key in X-API-Key is as good as in Authorization, and two that differ are none', async () => {
  const { gate, base } = scene
  const account = await gate.account()
  const other = await account.mintKey()
  const asked = (headers: Record<string, string>) =>
    fetch(`${base}/api/v1/actions`, { headers }).then(({ status }) => status)
  const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
  expect(await asked({ 'x-api-key': account.key })).toBe(200)
  expect(await asked({ ...bearer(account.key), 'x-api-key': account.key })).toBe(200)
  for (const headers of [
    { ...bearer(account.key), 'x-api-key': other.key },
    { ...bearer(account.key), 'x-api-key': '' },
    { authorization: 'Basic eDp5', 'x-api-key': account.key },
    { 'x-api-key': `Bearer ${account.key}` },
    { 'x-api-key': `${account.key}, ${account.key}` },
  ])
    expect([headers, await asked(headers)]).toEqual([headers, 401])
  const answer = await fetch(`${base}/api/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json', 'x-api-key': account.key },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
  })
  expect(answer.status).toBe(200)
})

test('a program on the own machine may have another port at each start, and its host says that it is one', async () => {
  const { gate, home } = scene
  const client: string = home.serve('/local.json', (response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ client_id: client, redirect_uris: ['http://localhost/callback'] })),
  )
  const account = await gate.account()
  await account.addMember({ email: 'fay@example.com' })
  const fay = await signedInByMail(gate, 'fay@example.com')
  const page = await fay.open(
    leadsTo(await fay.open(authorization(client, 'http://localhost:51234/callback').path)),
  )
  expect(page.text).toContain('Gets its access at localhost')
  for (const redirect of [
    'http://localhost:51234/other',
    'http://localhost.evil.example:1/callback',
    'http://127.0.0.1:1/callback',
  ])
    expect((await fay.open(authorization(client, redirect).path)).status).toBe(422)
})
