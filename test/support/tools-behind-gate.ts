import { createHash } from 'node:crypto'
import { type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Json, canonical } from '../../src/gate/canonical.ts'
import type { ToolRule } from '../../src/gate/declared/tool-rule.ts'
import type { TestAccount } from './account.ts'
import { apiClient } from './api-client.ts'
import type { TestDatabase } from './database.ts'
import type { OpenBroadcast, TestGate } from './gate.ts'
import { rpc } from './mcp-tool.ts'

export interface StandInTool {
  name: string
  title?: string
  description?: string
  inputSchema?: Record<string, Json>
  outputSchema?: Record<string, Json>
  annotations?: Record<string, Json>
}

/** One call, for an answer that does not come as it should. */
export interface StandInCall {
  name: string
  arguments: Record<string, unknown>
  response: ServerResponse
  /** The id of the JSON-RPC request. */
  id: unknown
}

export interface StandIn {
  url: string
  /** The calls that it took, in order. */
  calls: { name: string; arguments: Record<string, unknown> }[]
  /** The headers of the last call. */
  headers(): Record<string, unknown>
  /** Answers calls from now on. Nothing returned: it answers by `response` itself, or never. */
  answerBy(answer: (call: StandInCall) => unknown): void
  stop(): Promise<void>
}

/** An MCP server that answers at once, over Streamable HTTP with JSON. It has no session. */
export async function startStandIn(port = 0): Promise<StandIn> {
  const calls: StandIn['calls'] = []
  let headers: Record<string, unknown> = {}
  let answer: (call: StandInCall) => unknown = ({ name }) => ({
    content: [{ type: 'text', text: `did ${name}` }],
  })
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      if (request.method !== 'POST') return void response.writeHead(405).end()
      const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString())
      const send = (result: unknown) => {
        response.writeHead(200, { 'content-type': 'application/json' })
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
      }
      if (id === undefined) return void response.writeHead(202).end()
      if (method === 'initialize')
        return send({
          protocolVersion: params.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: 'stand-in', version: '1' },
        })
      if (method !== 'tools/call') return send({})
      headers = request.headers
      const call = { name: params.name, arguments: params.arguments ?? {} }
      calls.push(call)
      void Promise.resolve(answer({ ...call, response, id })).then(
        (result) => result !== undefined && send(result),
      )
    })
  })
  await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    calls,
    headers: () => headers,
    answerBy(next) {
      answer = next
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => void server.close(resolve))
    },
  }
}

type Sql = Pick<TestDatabase, 'asSuperuser'>
type Of = Pick<TestAccount, 'account'>

const text = (value: string): string => `'${value.replaceAll("'", "''")}'`

/** Puts a server behind the gate of an account, as an administrator would. The worker does not read its tools meanwhile. */
export async function addUpstream(
  database: Sql,
  { account }: Of,
  { name, url }: { name: string; url: string },
): Promise<void> {
  const none = { command: null, ciphertext: null, wrapped_key: null, kid: null }
  const given = { upstream: name, transport: 'http', url, headers: [], upstreams_max: 20, due_ms: 86_400_000 }
  await database.asSuperuser(
    `select gate.add_upstream('${account}', null, ${text(JSON.stringify({ ...given, ...none }))}, gen_random_uuid())`,
  )
}

const definitionOf = (tool: StandInTool): string =>
  canonical({ inputSchema: { type: 'object' }, ...tool } as unknown as Json)

/** The server lists a tool, beside those that it lists already, or otherwise than before: then it goes into quarantine. */
export async function changeTool(
  database: Sql,
  { account }: Of,
  upstream: string,
  tool: StandInTool,
): Promise<void> {
  const of = `account_id = '${account}' and upstream = '${upstream}'`
  await database.asSuperuser(`
    select gate.record_upstream_listing(
      '${account}', '${upstream}', (select connection from gate.upstream where ${of}), l.tools, l.definitions,
      '{"server":{"name":"stand-in","version":"1","protocol":"2025-11-25"},"refused":[]}')
    from (
      select array_agg(q.tool order by q.tool) as tools, array_agg(q.definition order by q.tool) as definitions
      from (
        select tool, definition from gate.upstream_tool where ${of} and tool <> '${tool.name}'
        union all
        select '${tool.name}', ${text(definitionOf(tool))}
      ) q
    ) l`)
}

/** Lists a tool of a server, as reviewed unless said otherwise. */
export async function addTool(
  database: Sql,
  account: Of,
  upstream: string,
  { rule, state = 'reviewed', ...tool }: StandInTool & { rule?: ToolRule; state?: 'reviewed' | 'unreviewed' },
): Promise<void> {
  await changeTool(database, account, upstream, tool)
  const hash = createHash('sha256').update(definitionOf(tool)).digest('hex')
  if (state === 'reviewed')
    await database.asSuperuser(`
      select gate.review_upstream_tools(
        '${account.account}', null, '${upstream}', array['${tool.name}'], array['${hash}'], gen_random_uuid())`)
  if (rule) await setRule(database, account, [upstream, tool.name], rule)
}

/** Sets the rule of a tool. */
export async function setRule(
  database: Sql,
  { account }: Of,
  [upstream, tool]: [upstream: string, tool: string],
  rule: ToolRule,
): Promise<void> {
  await database.asSuperuser(`
    select gate.set_upstream_rule(
      '${account}', null, '${upstream}', '${tool}', ${text(JSON.stringify(rule))}, gen_random_uuid())`)
}

/** Removes a server with its tools. */
export async function removeUpstream(database: Sql, { account }: Of, upstream: string): Promise<void> {
  await database.asSuperuser(
    `select gate.remove_upstream('${account}', null, '${upstream}', gen_random_uuid())`,
  )
}

/** A call of the tool `create` of the server `github`, which waits for the consent of its member. */
export async function openToolCall(
  gate: TestGate,
  { url }: StandIn,
): Promise<Pick<OpenBroadcast, 'account' | 'client' | 'actor' | 'id'>> {
  const { account, client, proposer, actor } = await gate.openBroadcast()
  await addUpstream(gate.database, account, { name: 'github', url })
  await addTool(gate.database, account, 'github', {
    name: 'create',
    rule: { rule: 'confirm', requires: { tier: 'guarded_write', consent: 'agent_attested' } },
  })
  const { key } = await account.mintKey({ actors: [proposer] })
  const { body } = await rpc(apiClient(gate.api.url, key), 'tools/call', {
    name: 'github__create',
    arguments: {},
  })
  return { account, client, actor, id: body.result.structuredContent.id }
}
