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

/** Calls one tool, as plainly as HTTP allows. */
export async function callTool(client: ApiClient, name: string, args: unknown = {}): Promise<ToolAnswer> {
  const { body, headers, status } = await rpc(client, 'tools/call', { name, arguments: args })
  const result = body.result
  if (!result) throw new Error(`${name} was answered ${status} ${JSON.stringify(body)}`)
  const said = JSON.parse(result.content[0].text)
  return { isError: result.isError === true, body: result.structuredContent ?? said, headers }
}
