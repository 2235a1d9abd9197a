import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { appCodeHash } from '../../../src/keys/link-token.ts'
import { verifyLedger } from '../../../src/ledger/verify.ts'
import { answerApp, authorization, callMcp, codeIn, connectedApp } from '../../support/connected-app.ts'
import { signedInByMail } from '../../support/console.ts'
import { type AttackScene, attackScene } from './attack-scene.ts'

let scene: AttackScene
beforeAll(async () => {
  scene = await attackScene()
})
afterAll(() => scene.stop())

test('a code is good once, and its second use ends what the first one got', async () => {
  const fields = await scene.freshCode()
  const [first, second] = await Promise.all([scene.token(fields), scene.token(fields)])
  const [good, bad] = first.status === 200 ? [first, second] : [second, first]
  expect([good.status, bad.status, bad.body.error]).toEqual([200, 400, 'invalid_grant'])
  expect(await scene.mcp(good.body.access_token)).toBe(401)
  const { refresh_token } = good.body
  const again = await scene.token({ grant_type: 'refresh_token', client_id: fields.client_id, refresh_token })
  expect(again.body.error).toBe('invalid_grant')
})

test('a code of another app, with another verifier or to another address is worth nothing, then or later', async () => {
  for (const changed of [
    { client_id: 'https://other.example/client.json' },
    { code_verifier: 'x'.repeat(43) },
    { redirect_uri: `${scene.home.redirect}/` },
  ]) {
    const fields = await scene.freshCode()
    expect((await scene.token({ ...fields, ...changed })).body.error).toBe('invalid_grant')
    expect((await scene.token(fields)).body.error).toBe('invalid_grant')
  }
  const fields = await scene.freshCode()
  for (const [changed, error] of [
    [{ code_verifier: undefined }, 'invalid_request'],
    [{ resource: 'https://other.example/mcp' }, 'invalid_target'],
    [{ grant_type: 'password' }, 'unsupported_grant_type'],
    [{ grant_type: '__proto__' }, 'unsupported_grant_type'],
    [{ code: 'unknown' }, 'invalid_grant'],
    [{ code: `${fields.code.slice(0, -1)}_` }, 'invalid_grant'],
  ] as const) {
    const answer = await scene.token({ ...fields, ...changed })
    expect([changed, answer.status, answer.body.error]).toEqual([changed, 400, error])
  }
  expect((await scene.token(fields)).status).toBe(200)
})

test('a refresh token is good once, for its own app and no more than was allowed; its reuse ends the connection', async () => {
  const { body } = await scene.token(await scene.freshCode())
  const { client } = scene.home
  const refresh = (given: string, more: Record<string, string> = {}) =>
    scene.token({ grant_type: 'refresh_token', client_id: client, refresh_token: given, ...more })
  expect((await refresh(body.refresh_token, { scope: 'read propose confirm' })).body.error).toBe(
    'invalid_scope',
  )
  const second = await refresh(body.refresh_token)
  expect([second.status, second.body.scope, await scene.mcp(second.body.access_token)]).toEqual([
    200,
    'read propose',
    200,
  ])
  expect((await refresh(body.refresh_token)).body.error).toBe('invalid_grant')
  expect(await scene.mcp(second.body.access_token)).toBe(401)
  expect((await refresh(second.body.refresh_token)).body.error).toBe('invalid_grant')

  const third = await scene.token(await scene.freshCode())
  const stolen = { client_id: 'https://other.example/client.json' }
  expect((await refresh(third.body.refresh_token, stolen)).body.error).toBe('invalid_grant')
  expect(await scene.mcp(third.body.access_token)).toBe(401)
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
    expect(await scene.mcp(tokens.access_token)).toBe(200)
    await end(true)
    expect(await scene.mcp(tokens.access_token)).toBe(401)
    await end(false)
    expect(await scene.mcp(tokens.access_token)).toBe(401)
    const refused = await scene.token({
      grant_type: 'authorization_code',
      client_id: scene.home.client,
      code,
      code_verifier: verifier,
    })
    expect(refused.body.error).toBe('invalid_grant')
  }
  // Tokens of one account see nothing of another.
  const tokens = await connectedApp(scene.gate.deps, other.account, 'bob@example.com')
  await scene.account.client.propose({ email: 'ada@example.com' }, 'Lunch is at noon.')
  const seen = await callMcp(`${scene.base}/mcp`, tokens.access_token, 'tools/call', {
    name: 'list_actions',
    arguments: {},
  })
  expect(JSON.stringify(seen.body)).not.toContain('Lunch')
  expect(await verifyLedger(scene.gate.database.db, other.account)).toMatchObject({ ok: true })
})

test('a code that is nearly right is refused in the words of any other, and no lookup depends on how near it is', async () => {
  const fields = await scene.freshCode()
  const texts = new Set<string>()
  for (const code of [`${fields.code.slice(0, -1)}_`, `${fields.code.slice(0, -2)}__`, 'A'.repeat(43), 'x'])
    texts.add(JSON.stringify((await scene.token({ ...fields, code })).body))
  expect(texts.size).toBe(1)
  // Codes are stored and found by their hash alone, of which codes that are alike share nothing.
  const stored = await scene.gate.database.asSuperuser(
    `select encode(code, 'hex') as code, to_jsonb(c)::text as row from gate_private.app_code c`,
  )
  expect(stored.map(({ code }) => code)).toContain(appCodeHash(fields.code).toString('hex'))
  expect(stored.filter(({ row }) => String(row).includes(fields.code))).toEqual([])
  expect((await scene.token(fields)).status).toBe(200)
})

test('no code, verifier or token is in the log', () => {
  expect(scene.secrets.length).toBeGreaterThan(10)
  const all = scene.logged.join('')
  expect(all).toContain('/oauth/token')
  expect(scene.secrets.filter((secret) => all.includes(secret))).toEqual([])
})
