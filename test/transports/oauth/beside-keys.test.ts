import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type AppScene, appScene } from '../../support/connected-app.ts'
import { type TestGate, startGate } from '../../support/gate.ts'

let scene: AppScene
let plain: TestGate
beforeAll(async () => {
  ;[scene, plain] = await Promise.all([
    appScene(),
    startGate({ workers: false, env: { TRUST_PROXY: 'true' } }),
  ])
})
afterAll(() => Promise.all([scene.stop(), plain.stop()]))

const legacy = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
}
const modern = { jsonrpc: '2.0', id: 1, method: 'server/discover', params: {} }

/** Status, headers and body of an answer, without what no two answers share. */
async function answerOf(gate: TestGate, path: string, init: RequestInit): Promise<unknown> {
  const answer = await fetch(new URL(path, gate.api.url), init)
  const differs = new Set(['date', 'x-request-id', 'request-id', 'mcp-session-id'])
  const headers = [...answer.headers].filter(([name]) => !differs.has(name))
  const text = (await answer.text()).replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'uuid')
  const own = new URL(gate.api.url)
  return [answer.status, headers, text.replaceAll(own.origin, 'http://gate').replaceAll(own.host, 'gate')]
}

test('clients that bring a key get the same bytes at /api/mcp, whether apps can be connected or not', async () => {
  const [a, b] = await Promise.all([scene.gate.account(), plain.account()])
  const json = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const revision = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'server/discover' }
  const requests: [string, (key: string) => RequestInit][] = [
    ['/api/mcp', () => ({ method: 'POST', headers: json, body: JSON.stringify(legacy) })],
    [
      '/api/mcp',
      () => ({
        method: 'POST',
        headers: { ...json, authorization: 'Bearer qg_wrong' },
        body: JSON.stringify(legacy),
      }),
    ],
    ['/api/mcp', () => ({ method: 'POST', headers: { ...json, ...revision }, body: JSON.stringify(modern) })],
    ['/api/mcp', () => ({})],
    [
      '/api/mcp',
      (key) => ({
        method: 'POST',
        headers: { ...json, authorization: `Bearer ${key}` },
        body: JSON.stringify(legacy),
      }),
    ],
    [
      '/api/mcp',
      (key) => ({
        method: 'POST',
        headers: { ...json, ...revision, authorization: `Bearer ${key}` },
        body: JSON.stringify(modern),
      }),
    ],
    // Where clients look that are refused: at the root, and beside the path.
    ...[
      'oauth-protected-resource',
      'oauth-protected-resource/api/mcp',
      'oauth-authorization-server',
      'oauth-authorization-server/api/mcp',
      'openid-configuration',
    ].map((name): [string, () => RequestInit] => [`/.well-known/${name}`, () => ({})]),
    ...['/register', '/authorize', '/token'].map((path): [string, () => RequestInit] => [
      path,
      () => ({ method: 'POST' }),
    ]),
  ]
  for (const [path, init] of requests) {
    const [withApps, without] = await Promise.all([
      answerOf(scene.gate, path, init(a.key)),
      answerOf(plain, path, init(b.key)),
    ])
    expect([path, withApps]).toEqual([path, without])
  }
})
