import { send } from '../http.js'
import { outcomeOf } from '../refusals.js'
import { fieldsOf, parsed } from './action.js'

/** @typedef {import('../index.js').Answer} Answer @typedef {import('../index.js').CallOptions} CallOptions */

/**
 * The gate's REST interface.
 * @param {import('../index.js').Connection} connection
 * @returns {import('../index.js').Adapter}
 */
export function restAdapter({ url, key: ownKey, timeoutMs }) {
  /** @param {import('../index.js').RawRequest} request @returns {Promise<Answer>} */
  async function raw({ method = 'POST', path = '/api/v1/actions', headers = {}, key = ownKey, body }) {
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const all = { ...(key === null ? {} : { authorization: `Bearer ${key}` }), ...type, ...headers }
    const {
      status,
      headers: got,
      text,
      ms,
    } = await send({ url, method, path, headers: all, body, timeoutMs })
    const shown = body === undefined ? '' : ` ${typeof body === 'string' ? body : '(bytes)'}`
    const request = `${method} ${path}${shown}`
    return { ...outcomeOf(status), status, headers: got, text, ms, request, ...fieldsOf(parsed(text)) }
  }

  /** @param {string} path @param {Record<string, unknown>} body @param {CallOptions} [options] */
  const post = (path, body, { key, idempotencyKey, headers, extra } = {}) =>
    raw({
      path,
      key,
      headers: { ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }), ...headers },
      body: JSON.stringify({ ...body, ...extra }),
    })

  /** @param {string} path @param {Record<string, unknown>} query @param {CallOptions} [options] */
  const get = (path, query, { key, headers, extra } = {}) => {
    const text = new URLSearchParams(
      /** @type {[string, string][]} */ (
        Object.entries({ ...query, ...extra }).map(([name, value]) => [name, String(value)])
      ),
    ).toString()
    return raw({ method: 'GET', path: text === '' ? path : `${path}?${text}`, key, headers })
  }

  return {
    name: 'rest',
    bindsDigest: true,
    raw,
    readTier: (member, options) => get('/api/v1/capability', asQuery(member), options),
    propose: (proposal, options) => post('/api/v1/actions', bodyOf(proposal), options),
    read: (id, options) => get(`/api/v1/actions/${encodeURIComponent(String(id))}`, {}, options),
    confirm: (id, { member, digest }, options) =>
      post(`/api/v1/actions/${encodeURIComponent(String(id))}/confirm`, { actor: member, digest }, options),
    cancel: (id, { member }, options) =>
      post(`/api/v1/actions/${encodeURIComponent(String(id))}/cancel`, { actor: member }, options),
    list: (query, options) => get('/api/v1/actions', query, options),
    readFile: ({ conversation, path, member }, options) =>
      get(
        `/api/v1/conversations/${encodeURIComponent(conversation)}/files/read`,
        { path, ...asQuery(member) },
        options,
      ),
    proposeText: (body, headers) => raw({ body, headers }),
    proposalText: (proposal) => JSON.stringify(bodyOf(proposal)),
  }
}

/** @param {import('../index.js').Proposal} proposal */
const bodyOf = ({ member, message, rationale, kind = 'broadcast' }) => ({
  kind,
  actor: member,
  payload: { message },
  ...(rationale === undefined ? {} : { rationale }),
})

/** @param {unknown} member @returns {Record<string, unknown>} */
const asQuery = (member) =>
  typeof member === 'object' && member !== null ? /** @type {Record<string, unknown>} */ (member) : {}
