import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createTaskSessionFromClient, resultFromTaskOutcome } from '@modelcontextprotocol/ext-tasks/client'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { ApiClient } from '../support/api-client.ts'
import { askingScene } from '../support/asking-client.ts'
import { askedInSlack, pressInSandbox } from '../support/consent.ts'
import { type TestGate, startGate } from '../support/gate.ts'

// The official client of the extension: it calls a tool, polls as it is told, and gets the end as the result.

let gate: TestGate
beforeAll(async () => {
  gate = await startGate()
}, 60_000)
afterAll(() => gate.stop())

const protocolVersion = '2026-07-28'
const clientInfo = { name: 'test', version: '1' }
const clientCapabilities = { extensions: { 'io.modelcontextprotocol/tasks': {} } }

/** A session of the extension over the client of the SDK, and the methods that it sent. */
async function sessionOf({ key, request }: ApiClient) {
  const client = new Client(clientInfo, {
    capabilities: clientCapabilities,
    versionNegotiation: { mode: { pin: protocolVersion } },
  })
  const requestInit = { headers: { authorization: `Bearer ${key}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL('/api/mcp', gate.api.url), { requestInit }))
  const sent: string[] = []
  const session = createTaskSessionFromClient(client, {
    endpointId: 'gate',
    v2RequestFraming: { protocolVersion, clientInfo, clientCapabilities },
    async rawDispatch(message) {
      const { method, params } = message as { method: string; params: Record<string, string> }
      sent.push(method)
      const headers = {
        'mcp-protocol-version': protocolVersion,
        'mcp-method': method,
        'mcp-name': (params['name'] ?? params['taskId'])!,
      }
      const { body } = await request('POST', '/api/mcp', {
        body: { jsonrpc: '2.0', id: sent.length, ...(message as object) },
        headers,
      })
      return body.error ? { kind: 'error', error: body.error } : { kind: 'result', result: body.result }
    },
  })
  return { session, sent, close: async () => Promise.all([session.close(), client.close()]) }
}

test('a confirm that asks the member is a task, and settles with what the member decided', async () => {
  const { client, member, args } = await askingScene(gate, 'chat')
  const { session, sent, close } = await sessionOf(client)
  const execution = await session.callTool('confirm_action', args)
  expect(execution.kind).toBe('task')
  await pressInSandbox(gate, (await askedInSlack(gate, member.slack!)).message)
  const { outcome } = await execution.settle()
  expect(resultFromTaskOutcome(outcome)).toMatchObject({
    structuredContent: { id: args.id, status: 'executed', consent: { strength: 'chat' } },
  })
  expect(new Set(sent)).toEqual(new Set(['tools/call', 'tasks/get']))

  const at = await session.callTool('get_action', { id: args.id })
  expect(at.kind).toBe('immediate')
  await close()
})

test('a task that its client cancels is the agent’s cancel', async () => {
  const { client, args } = await askingScene(gate, 'chat')
  const { session, close } = await sessionOf(client)
  const execution = await session.callTool('confirm_action', args)
  await execution.cancel()
  expect((await execution.settle()).outcome.status).toBe('cancelled')
  expect((await client.get(args.id)).body).toMatchObject({ status: 'cancelled', closed_reason: 'proposer' })
  await close()
})
