import { GateError } from './errors.js'
import { repeated } from './requests.js'

/** Money is proposed by tools of MCP, each with fields of its own. */
const tools = new Map([
  ['refund', 'issue_refund'],
  ['payout', 'send_payout'],
  ['checkout', 'create_checkout'],
  ['subscription_cancellation', 'cancel_subscription'],
])

/**
 * Proposes by the tool of the kind; undefined for a kind that REST takes.
 * @param {import('./calls.js').Client} client
 * @param {import('./index.js').Proposal} proposal
 * @param {string} idempotencyKey
 * @param {AbortSignal} [signal]
 * @returns {Promise<import('./index.js').Action> | undefined}
 */
export function proposeMoney({ url, headers, fetch }, proposal, idempotencyKey, signal) {
  const { kind, payload, ...others } = proposal
  const name = tools.get(kind)
  if (name === undefined) return undefined
  const params = { name, arguments: { ...payload, ...others, idempotency_key: idempotencyKey } }
  return repeated(async () => {
    const response = await fetch(`${url}/api/mcp`, {
      method: 'POST',
      headers: {
        ...headers,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      ...(signal ? { signal } : {}),
    })
    const body = /** @type {any} */ (await response.json())
    if (!response.ok) return { error: body, response }
    const { result, error } = body
    if (result?.isError === false || result?.structuredContent)
      return { data: result.structuredContent, response }
    const said = result ? JSON.parse(result.content[0].text) : { error: error.message, code: 'invalid' }
    throw new GateError(said, statusOf[said.code] ?? 422)
  }, signal)
}

/**
 * Errors of tools have no status of HTTP.
 * @type {Record<string, number>}
 */
const statusOf = { unavailable: 503, outcome_unknown: 503, rate_limited: 429, forbidden: 403, not_found: 404 }
