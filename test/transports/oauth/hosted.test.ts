import { hash } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { newToken } from '../../../src/keys/link-token.ts'
import { type AppScene, appScene, fieldsOn, leadsTo } from '../../support/connected-app.ts'
import { type Visitor, signedInByMail } from '../../support/console.ts'

// Hosted agents as their makers describe them: they know the address, and nothing of the gate.

let scene: AppScene
let person: Visitor
beforeAll(async () => {
  scene = await appScene()
  const account = await scene.gate.account()
  await account.addMember({ email: 'ada@example.com', tier: 'guarded_write' })
  person = await signedInByMail(scene.gate, 'ada@example.com')
})
afterAll(() => scene.stop())

/** Connects by an address and lists the tools. @returns every exchange of the app, and every form that the person sent */
async function connect(address: string, by: { document?: string; registers: boolean; initializes: boolean }) {
  const exchanges: string[] = []
  const forms: string[] = []
  const send = async (url: string, init: RequestInit = {}) => {
    exchanges.push(`${init.method ?? 'GET'} ${new URL(url).pathname}`)
    const answer = await fetch(url, init)
    return { answer, body: (await answer.json()) as any }
  }
  const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const rpc = (method: string, params: object, token?: string) =>
    send(address, {
      method: 'POST',
      headers: { ...json, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    })
  const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'app', version: '1' } }

  const refused = await rpc(by.initializes ? 'initialize' : 'tools/list', by.initializes ? hello : {})
  const challenge = refused.answer.headers.get('www-authenticate')!
  const { body: resource } = await send(/resource_metadata="([^"]+)"/.exec(challenge)![1]!)
  const issuer = new URL(resource.authorization_servers[0])
  const { body: server } = await send(
    `${issuer.origin}/.well-known/oauth-authorization-server${issuer.pathname}`,
  )
  const { redirect } = scene.home
  let client = by.document
  if (by.registers || !server.client_id_metadata_document_supported) {
    const made = await send(server.registration_endpoint, {
      method: 'POST',
      headers: json,
      body: JSON.stringify({
        client_name: 'ChatGPT',
        redirect_uris: [redirect],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
      }),
    })
    client = made.body.client_id
  }
  const verifier = newToken()
  const asked = new URL(server.authorization_endpoint)
  asked.search = String(
    new URLSearchParams({
      response_type: 'code',
      client_id: client!,
      redirect_uri: redirect,
      code_challenge: hash('sha256', verifier, 'base64url'),
      code_challenge_method: 'S256',
      state: newToken(),
      scope: /scope="([^"]+)"/.exec(challenge)![1]!,
      resource: resource.resource,
    }),
  )
  const page = await person.open(leadsTo(await person.open(`${asked.pathname}${asked.search}`)))
  forms.push('/console/apps/connect')
  const decided = await person.send('/console/apps/connect', { ...fieldsOn(page), answer: 'connect' })
  const back = new URL(decided.headers.get('location')!)
  expect(back.searchParams.get('iss')).toBe(server.issuer)
  const { body: tokens } = await send(server.token_endpoint, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: client!,
      redirect_uri: redirect,
      code: back.searchParams.get('code')!,
      code_verifier: verifier,
      resource: resource.resource,
    }),
  })
  if (by.initializes) await rpc('initialize', hello, tokens.access_token)
  const { body: listed } = await rpc('tools/list', {}, tokens.access_token)
  expect(listed.result.tools.map(({ name }: { name: string }) => name)).toContain('request_action')
  return { exchanges, forms }
}

test.each([
  ['claude.ai, by its document', { registers: false, initializes: true }],
  ['ChatGPT, by its document', { registers: false, initializes: false }],
  ['ChatGPT, which registers', { registers: true, initializes: false }],
])('%s: from the address alone to the tools in at most 6 exchanges and one decision', async (_who, by) => {
  const { exchanges, forms } = await connect(`${scene.base}/mcp`, { ...by, document: scene.home.client })
  expect(exchanges).toEqual([
    'POST /mcp',
    'GET /.well-known/oauth-protected-resource/mcp',
    'GET /.well-known/oauth-authorization-server/oauth',
    ...(by.registers ? ['POST /oauth/register'] : []),
    'POST /oauth/token',
    ...(by.initializes ? ['POST /mcp'] : []),
    'POST /mcp',
  ])
  expect(exchanges.length).toBeLessThanOrEqual(6)
  expect(forms).toHaveLength(1)
})
