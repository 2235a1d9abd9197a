import { createHash } from 'node:crypto'
import { type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Json, canonical } from '../../src/gate/canonical.ts'
import type { ToolRule } from '../../src/gate/declared/tool-rule.ts'
import type { TestAccount } from './account.ts'
import type { TestDatabase } from './database.ts'

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
  /** Of the JSON-RPC request. */
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

const text = (value: string | null): string => (value === null ? 'null' : `'${value.replaceAll("'", "''")}'`)

/** Puts a server behind the gate of an account, as an administrator would, without reading its tools. */
export async function addUpstream(
  database: Pick<TestDatabase, 'asSuperuser'>,
  { account }: Pick<TestAccount, 'account'>,
  { name, url }: { name: string; url: string },
): Promise<void> {
  await database.asSuperuser(`
    insert into gate.upstream (account_id, upstream, transport, url)
    values ('${account}', '${name}', 'http', '${url}')`)
}

/** Lists a tool of a server, as reviewed unless said otherwise. */
export async function addTool(
  database: Pick<TestDatabase, 'asSuperuser'>,
  { account }: Pick<TestAccount, 'account'>,
  upstream: string,
  { rule, state = 'reviewed', ...tool }: StandInTool & { rule?: ToolRule; state?: 'reviewed' | 'unreviewed' },
): Promise<void> {
  const definition = canonical({ inputSchema: { type: 'object' }, ...tool } as unknown as Json)
  const hash = createHash('sha256').update(definition).digest('hex')
  const reviewed =
    state === 'reviewed' ? `${text(definition)}, '${hash}', now(), 'admin'` : 'null, null, null, null'
  await database.asSuperuser(`
    insert into gate.upstream_tool (
      account_id, upstream, tool, definition, hash, reviewed_definition, reviewed_hash, reviewed_at, reviewed_by, rule)
    values (
      '${account}', '${upstream}', '${tool.name}', ${text(definition)}, '${hash}', ${reviewed},
      ${rule ? `${text(JSON.stringify(rule))}::json` : 'null'});
    update gate.account set upstreams_version = upstreams_version + 1 where account_id = '${account}'`)
}

/** The server lists a tool otherwise than it was reviewed: it goes into quarantine. */
export async function changeTool(
  database: Pick<TestDatabase, 'asSuperuser'>,
  { account }: Pick<TestAccount, 'account'>,
  upstream: string,
  tool: StandInTool,
): Promise<void> {
  const definition = canonical({ inputSchema: { type: 'object' }, ...tool } as unknown as Json)
  const hash = createHash('sha256').update(definition).digest('hex')
  await database.asSuperuser(`
    update gate.upstream_tool
    set definition = ${text(definition)}, hash = '${hash}', quarantined_at = now()
    where account_id = '${account}' and upstream = '${upstream}' and tool = '${tool.name}';
    update gate.account set upstreams_version = upstreams_version + 1 where account_id = '${account}'`)
}

/** Sets the rule of a tool. */
export async function setRule(
  database: Pick<TestDatabase, 'asSuperuser'>,
  { account }: Pick<TestAccount, 'account'>,
  [upstream, tool]: [upstream: string, tool: string],
  rule: ToolRule,
): Promise<void> {
  await database.asSuperuser(`
    update gate.upstream_tool set rule = ${text(JSON.stringify(rule))}::json
    where account_id = '${account}' and upstream = '${upstream}' and tool = '${tool}';
    update gate.account set upstreams_version = upstreams_version + 1 where account_id = '${account}'`)
}
