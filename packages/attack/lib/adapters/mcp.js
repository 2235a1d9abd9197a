import { send } from '../http.js'
import { outcomeOf, statusOf } from '../refusals.js'
import { fieldsOf, parsed } from './action.js'

/** @typedef {import('../index.js').Answer} Answer @typedef {import('../index.js').CallOptions} CallOptions */

/**
 * The gate's tools over Streamable HTTP.
 * @param {import('../index.js').Connection} connection
 * @returns {import('../index.js').Adapter}
 */
export function mcpAdapter({ url, key: ownKey, timeoutMs }) {
  /** @param {import('../index.js').RawRequest} request @returns {Promise<Answer>} */
  async function raw({ method = 'POST', path = '/api/mcp', headers = {}, key = ownKey, body }) {
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const accept = { accept: 'application/json, text/event-stream' }
    const all = {
      ...(key === null ? {} : { authorization: `Bearer ${key}` }),
      ...accept,
      ...type,
      ...headers,
    }
    const {
      status,
      headers: got,
      text,
      ms,
    } = await send({ url, method, path, headers: all, body, timeoutMs })
    const shown = body === undefined ? '' : ` ${typeof body === 'string' ? body : '(bytes)'}`
    return {
      headers: got,
      text,
      ms,
      request: `${method} ${path}${shown}`,
      ...readAnswer(status, parsed(text)),
    }
  }

  /** @param {string} name @param {Record<string, unknown>} args @param {CallOptions} [options] */
  async function call(name, args, { key, idempotencyKey, headers, extra } = {}) {
    const keyed = idempotencyKey === undefined ? {} : { idempotency_key: idempotencyKey }
    const answer = await raw({ key, headers, body: callText(name, { ...args, ...keyed, ...extra }) })
    return { ...answer, request: `${name} ${JSON.stringify({ ...args, ...keyed, ...extra })}` }
  }

  return {
    name: 'mcp',
    bindsDigest: true,
    raw,
    readTier: (member, options) => call('check_capability', asFields(member), options),
    propose: (proposal, options) => call('request_action', argumentsOf(proposal), options),
    read: (id, options) => call('get_action', { id }, options),
    confirm: (id, { member, digest }, options) =>
      call('confirm_action', { id, actor: member, digest }, options),
    cancel: (id, { member }, options) => call('cancel_action', { id, actor: member }, options),
    list: (query, options) => call('list_actions', query, options),
    readFile: ({ conversation, path, member }, options) =>
      call('read_workspace_file', { conversation_id: conversation, path, ...asFields(member) }, options),
    async listTools(options = {}) {
      const answer = await raw({
        key: options.key,
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
      })
      const tools = parsed(answer.text)?.result?.tools
      return { ...answer, tools: tools?.map((/** @type {{ name: string }} */ { name }) => name) }
    },
    proposeText: (body, headers) => raw({ body, headers }),
    proposalText: (proposal) => callText('request_action', argumentsOf(proposal)),
  }
}

/** @param {string} name @param {Record<string, unknown>} args */
const callText = (name, args) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } })

/**
 * A refusal of a tool is a result with status 200: its code says what HTTP would have said.
 * @param {number} http
 * @param {any} message
 */
function readAnswer(http, message) {
  const { result, error } = message ?? {}
  if (error?.data?.code !== undefined && http < 300) return said(statusOf(error.data.code), error.data)
  if (error !== undefined || !result) return said(http < 300 && error ? 422 : http, error?.data ?? message)
  const body = result.structuredContent ?? parsed(result.content?.[0]?.text)
  return said(result.isError ? statusOf(body?.code) : http, body)
}

/** @param {number} status @param {any} body */
const said = (status, body) => ({ ...outcomeOf(status), status, ...fieldsOf(body) })

/** @param {import('../index.js').Proposal} proposal */
const argumentsOf = ({ member, message, rationale, kind = 'broadcast' }) => ({
  kind,
  actor: member,
  payload: { message },
  ...(rationale === undefined ? {} : { rationale }),
})

/** @param {unknown} member @returns {Record<string, unknown>} */
const asFields = (member) =>
  typeof member === 'object' && member !== null ? /** @type {Record<string, unknown>} */ (member) : {}
