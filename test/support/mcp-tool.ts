import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { actionKinds } from '../../src/actions/registry.ts'
import { operations } from '../../src/operations/registry.ts'
import { ActionRequest } from '../../src/operations/schemas.ts'
import { toolOutputSchema } from '../../src/transports/tool-schema.ts'
import type { ApiAnswer, ApiClient } from './api-client.ts'

export interface ToolAnswer {
  isError: boolean
  /** The structured answer, or `{ error }` where it was refused. */
  body: any
  headers: Headers
}

/** Posts one JSON-RPC message to the tool endpoint. */
export const rpc = (client: ApiClient, method: string, params: unknown = {}): Promise<ApiAnswer> =>
  client.request('POST', '/api/mcp', { body: { jsonrpc: '2.0', id: 1, method, params } })

/** A message of the revision 2026-07-28, with the headers that repeat it. Undefined values are left out. */
export function modernMessage(
  method: string,
  params: Record<string, unknown> = {},
  {
    meta,
    headers,
    id = 1,
  }: { meta?: object; headers?: Record<string, string | undefined>; id?: unknown } = {},
): { body: object; headers: Record<string, string> } {
  const name = params['name'] ?? params['uri'] ?? params['taskId']
  const all = {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    'mcp-name': typeof name === 'string' ? name : undefined,
    ...headers,
  }
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    ...meta,
  }
  return {
    body: { jsonrpc: '2.0', id, method, params: { ...params, _meta } },
    headers: Object.fromEntries(
      Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ),
  }
}

/** Posts one. */
export const modernRpc = (
  client: ApiClient,
  ...message: Parameters<typeof modernMessage>
): Promise<ApiAnswer> => client.request('POST', '/api/mcp', modernMessage(...message))

/**
 * Calls one tool, as plainly as HTTP allows. Every answer must fit the tool's output schema, and the text must repeat it:
 * clients refuse what does not fit, and some read the text alone.
 */
export async function callTool(client: ApiClient, name: string, args: unknown = {}): Promise<ToolAnswer> {
  const { body, headers, status } = await rpc(client, 'tools/call', { name, arguments: args })
  const result = body.result
  if (!result) throw new Error(`${name} was answered ${status} ${JSON.stringify(body)}`)
  const said = JSON.parse(result.content[0].text)
  if (result.structuredContent !== undefined) requireFit(name, result.structuredContent, said)
  return { isError: result.isError === true, body: result.structuredContent ?? said, headers }
}

const ajv = new Ajv2020({ strict: true })
const outputs = new Map(operations(actionKinds).map(({ name, output }) => [name, output]))
const compiled = new Map<string, ValidateFunction>()

function requireFit(name: string, structured: unknown, said: unknown): void {
  // A kind that only a test knows proposes an action too.
  const fits = compiled.get(name) ?? ajv.compile(toolOutputSchema(outputs.get(name) ?? ActionRequest))
  compiled.set(name, fits)
  if (!fits(structured)) throw new Error(`${name} answered beside its schema: ${JSON.stringify(fits.errors)}`)
  if (JSON.stringify(structured) !== JSON.stringify(said)) throw new Error(`${name} says another text`)
}
