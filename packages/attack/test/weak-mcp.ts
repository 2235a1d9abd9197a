import type { IncomingMessage } from 'node:http'
import { text as textOf } from 'node:stream/consumers'

/** The tools of the weak gate: each calls the same address as an agent over REST does. */
const calls: Record<string, (given: any) => [method: string, path: string]> = {
  check_capability: ({ email }) => ['GET', `capability?${new URLSearchParams({ email })}`],
  request_action: () => ['POST', 'actions'],
  get_action: ({ id }) => ['GET', `actions/${id}`],
  confirm_action: ({ id }) => ['POST', `actions/${id}/confirm`],
  cancel_action: ({ id }) => ['POST', `actions/${id}/cancel`],
}
const codes: Record<number, string> = {
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
}

/**
 * Answers a call of a tool, or the list of tools.
 * @param given.url  of the gate
 * @param given.mayConfirm  whether the key of the call may confirm
 * @returns the status, and the body as JSON
 */
export async function callTool(
  request: IncomingMessage,
  given: { url: string; has(flaw: string): boolean; mayConfirm: boolean },
): Promise<[number, unknown]> {
  const { url, has, mayConfirm } = given
  if (request.headers.origin !== undefined && !has('any-origin')) return [403, { code: 'forbidden' }]
  const { method, params, id } = JSON.parse(await textOf(request))
  const names = Object.keys(calls).filter(
    (name) => name !== 'confirm_action' || mayConfirm || has('all-tools'),
  )
  if (method === 'tools/list')
    return [200, { jsonrpc: '2.0', id, result: { tools: names.map((name) => ({ name })) } }]
  const { name, arguments: args } = params
  const [verb, path] = calls[name]!(args)
  const { id: _, ...body } = args
  const answer = await fetch(`${url}/api/v1/${path}`, {
    method: verb,
    headers: {
      authorization: request.headers.authorization ?? '',
      'content-type': 'application/json',
      'x-transport': 'mcp',
    },
    ...(verb === 'POST' ? { body: JSON.stringify(body) } : {}),
  })
  const content = (await answer.json()) as object
  const result = answer.ok
    ? { structuredContent: content }
    : { isError: true, structuredContent: { ...content, code: codes[answer.status] ?? 'invalid' } }
  return [200, { jsonrpc: '2.0', id, result }]
}
