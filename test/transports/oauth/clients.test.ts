import {
  Client as CurrentClient,
  StreamableHTTPClientTransport as CurrentTransport,
} from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type AppScene, answerApp, appScene } from '../../support/connected-app.ts'
import { type Visitor, signedInByMail } from '../../support/console.ts'

let scene: AppScene
let ada: Visitor
beforeAll(async () => {
  scene = await appScene()
  const account = await scene.gate.account()
  await account.addMember({ email: 'ada@example.com', tier: 'guarded_write' })
  ada = await signedInByMail(scene.gate, 'ada@example.com')
})
afterAll(() => scene.stop())

/** What a program keeps of its sign-in, as both SDKs ask for it. @param client  its id, where it has a document */
function provider(redirect: string, client?: string) {
  const kept: Record<string, unknown> = {}
  let asked: URL | undefined
  return {
    asked: () => asked!,
    kept,
    redirectUrl: redirect,
    clientMetadata: { client_name: 'SDK', redirect_uris: [redirect], token_endpoint_auth_method: 'none' },
    clientInformation: () => kept['client'] ?? (client === undefined ? undefined : { client_id: client }),
    saveClientInformation: (given: unknown) => void (kept['client'] = given),
    tokens: () => kept['tokens'],
    saveTokens: (given: unknown) => void (kept['tokens'] = given),
    saveCodeVerifier: (given: string) => void (kept['verifier'] = given),
    codeVerifier: () => kept['verifier'] as string,
    discoveryState: () => kept['discovery'],
    saveDiscoveryState: (given: unknown) => void (kept['discovery'] = given),
    state: () => 'a state',
    redirectToAuthorization: (url: URL) => void (asked = url),
  }
}

const made = { name: 'test', version: '1' }
const sdks = [
  {
    name: 'the first SDK',
    client: () => new Client(made),
    transport: (url: URL, authProvider: unknown) => {
      const transport = new StreamableHTTPClientTransport(url, { authProvider: authProvider as never })
      return { transport, finish: (back: URLSearchParams) => transport.finishAuth(back.get('code')!) }
    },
  },
  {
    name: 'the current SDK',
    client: () => new CurrentClient(made, { versionNegotiation: { mode: 'auto' } }),
    transport: (url: URL, authProvider: unknown) => {
      const transport = new CurrentTransport(url, { authProvider: authProvider as never })
      return { transport, finish: (back: URLSearchParams) => transport.finishAuth(back) }
    },
  },
]

for (const { name, client, transport } of sdks)
  test(`${name} connects by the address alone, registered or by its document, and refreshes its token`, async () => {
    const url = new URL('/mcp', scene.base)
    const { home } = scene
    for (const own of [provider('http://127.0.0.1:7/callback'), provider(home.redirect, home.client)]) {
      const first = transport(url, own)
      await expect(client().connect(first.transport as never)).rejects.toThrow(/authorized/i)
      const answer = await answerApp(ada, `${own.asked().pathname}${own.asked().search}`)
      await first.finish(new URL(answer.headers.get('location')!).searchParams)
      const connected = client()
      await connected.connect(transport(url, own).transport as never)
      const { tools } = await connected.listTools()
      expect(tools.map((tool) => tool.name)).toContain('request_action')
      const before = own.kept['tokens']
      await scene.gate.database.asSuperuser(`
        update gate_private.api_key_hash set expires_at = now() where family like 'app\\_%'`)
      const listed = await connected.callTool({ name: 'list_actions', arguments: {} })
      expect(listed.structuredContent).toMatchObject({ actions: [] })
      expect(own.kept['tokens']).not.toEqual(before)
      await connected.close()
    }
  })
