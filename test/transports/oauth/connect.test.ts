import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { verifyLedger } from '../../../src/ledger/verify.ts'
import {
  type AppScene,
  answerApp,
  appScene,
  authorization,
  callMcp,
  codeIn,
  leadsTo,
  sendForm,
} from '../../support/connected-app.ts'
import { signedInByMail, visitor } from '../../support/console.ts'

let scene: AppScene
beforeAll(async () => {
  scene = await appScene()
})
afterAll(() => scene.stop())

const json = async (url: string) => (await fetch(url)).json() as Promise<any>

test('from the address alone an app with a document is connected by one decision, and calls tools', async () => {
  const { gate, base, home } = scene
  const account = await gate.account()
  await account.addMember({ email: 'ada@example.com', tier: 'guarded_write' })
  // The exchanges of the app are numbered; those of the person's browser are not.
  const first = await callMcp(`${base}/mcp`, undefined) // 1
  expect(first.status).toBe(401)
  const at = /resource_metadata="([^"]+)", scope="read propose"/.exec(
    first.headers.get('www-authenticate')!,
  )![1]!
  const resource = await json(at) // 2
  expect(resource).toMatchObject({ resource: `${base}/mcp`, scopes_supported: ['read', 'propose'] })
  const issuer = new URL(resource.authorization_servers[0])
  const metadata = await json(`${issuer.origin}/.well-known/oauth-authorization-server${issuer.pathname}`) // 3
  expect(metadata).toMatchObject({
    issuer: issuer.href,
    code_challenge_methods_supported: ['S256'],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
  })

  const { verifier, path } = authorization(home.client, home.redirect, { resource: resource.resource })
  const person = await signedInByMail(gate, 'ada@example.com')
  const page = await person.open(leadsTo(await person.open(path)))
  expect(page.text).toContain(`Chat Asks from ${new URL(home.url).host}`)
  expect(page.text).toContain('Acts for Ada, in Test')
  expect(page.text).toContain('Gets its access at chat.example')
  expect(page.headers.get('content-security-policy')).toContain("form-action 'self' https://chat.example;")
  const answer = await answerApp(person, path)
  const back = new URL(answer.headers.get('location')!)
  expect([answer.status, back.origin, back.pathname]).toEqual([303, 'https://chat.example', '/callback'])
  expect([back.searchParams.get('state'), back.searchParams.get('iss')]).toEqual(['st&te', metadata.issuer])

  const { body: tokens, headers } = await sendForm(metadata.token_endpoint, {
    grant_type: 'authorization_code',
    client_id: home.client,
    redirect_uri: home.redirect,
    code: back.searchParams.get('code')!,
    code_verifier: verifier,
    resource: resource.resource,
  }) // 4
  expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: 3_600, scope: 'read propose' })
  expect(headers.get('cache-control')).toBe('no-store')
  const listed = await callMcp(`${base}/mcp`, tokens.access_token) // 5
  const names = listed.body.result.tools.map(({ name }: { name: string }) => name)
  expect(names).toContain('request_action')
  expect(names).not.toContain('confirm_action')

  // What it proposes names the host, in the row, on the card and in the ledger.
  const payload = { message: 'Lunch is at noon.' }
  const proposed = await callMcp(`${base}/mcp`, tokens.access_token, 'tools/call', {
    name: 'request_action',
    arguments: { kind: 'broadcast', payload },
  })
  const { host } = new URL(home.url)
  const action = proposed.body.result.structuredContent
  expect(action).toMatchObject({ status: 'proposed', requested_by: 'Chat', requested_host: host })
  const card = await person.open(`/console/proposals/${action.id}`)
  expect(card.text).toContain(`app of ${host}, "Chat", for Ada`.replaceAll('"', '&quot;'))

  // The token is good at this path alone, a key that somebody made is not good there.
  expect((await callMcp(`${base}/api/mcp`, tokens.access_token)).status).toBe(401)
  expect((await callMcp(`${base}/mcp`, account.key)).status).toBe(401)
  expect((await callMcp(`${base}/mcp?access_token=${tokens.access_token}`, undefined)).status).toBe(401)

  // A refresh gives others, and ends neither the limits nor the grant; giving one back ends all.
  const again = await sendForm(metadata.token_endpoint, {
    grant_type: 'refresh_token',
    client_id: home.client,
    refresh_token: tokens.refresh_token,
    scope: 'read',
  })
  expect(again.body.scope).toBe('read')
  expect(again.body.access_token).not.toBe(tokens.access_token)
  expect((await callMcp(`${base}/mcp`, again.body.access_token)).status).toBe(200)
  await sendForm(metadata.revocation_endpoint, { client_id: home.client, token: again.body.refresh_token })
  for (const token of [tokens.access_token, again.body.access_token])
    expect((await callMcp(`${base}/mcp`, token)).status).toBe(401)
  expect(await verifyLedger(gate.database.db, account.account)).toMatchObject({ ok: true })
  expect(home.asked.get('/client.json')).toBe(1)
})

test('where a person declines, the app is told so and nothing is stored', async () => {
  const { gate, home } = scene
  const account = await gate.account()
  await account.addMember({ email: 'bob@example.com' })
  const person = await signedInByMail(gate, 'bob@example.com')
  const answer = await answerApp(person, authorization(home.client, home.redirect).path, {
    answer: 'decline',
  })
  const back = new URL(answer.headers.get('location')!)
  expect([back.searchParams.get('error'), codeIn(answer)]).toEqual(['access_denied', ''])
  expect((await person.open('/console/apps')).text).toContain('No apps are connected.')
})

test('who is not signed in comes back to the app that asks after signing in', async () => {
  const { gate, home } = scene
  const someone = visitor(gate)
  const to = leadsTo(await someone.open(authorization(home.client, home.redirect).path))
  const page = await someone.open(to)
  expect([page.status, page.headers.get('location')]).toEqual([303, '/console/sign-in'])
  expect((await someone.open('/console/sign-in')).text).toContain('Sign in to open this page.')
})
