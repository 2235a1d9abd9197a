/** @typedef {import('./index.js').Refusal} Refusal */

/** @type {Record<number, Refusal>} */
const byStatus = {
  400: 'invalid',
  401: 'unauthenticated',
  403: 'forbidden',
  404: 'not_found',
  405: 'invalid',
  408: 'invalid',
  409: 'conflict',
  410: 'not_found',
  411: 'invalid',
  413: 'too_large',
  414: 'too_large',
  415: 'invalid',
  422: 'invalid',
  429: 'too_many',
  431: 'too_large',
}

/** What an HTTP status says. @param {number} status @returns {{ outcome: 'done' | 'refused' | 'failed', why?: Refusal }} */
export function outcomeOf(status) {
  if (status >= 200 && status < 300) return { outcome: 'done' }
  if (status >= 300 && status < 500) return { outcome: 'refused', why: byStatus[status] ?? 'other' }
  return { outcome: 'failed' }
}

/** The HTTP status that a code of the gate stands for: over MCP a refusal has no other. @type {Record<string, number>} */
const statusOfCode = {
  malformed: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_proposer: 403,
  key_power_missing: 403,
  key_kind_not_allowed: 403,
  key_member_not_allowed: 403,
  key_network_not_allowed: 403,
  not_found: 404,
  conflict: 409,
  already_decided: 409,
  expired: 409,
  digest_mismatch: 409,
  account_suspended: 409,
  decided_by_link: 409,
  identity_unsettled: 409,
  provider_not_connected: 409,
  provider_key_refused: 409,
  too_large: 413,
  unsupported_media: 415,
  invalid: 422,
  idempotency_key_reused: 422,
  too_many: 429,
  rate_limited: 429,
  open_proposals_limit: 429,
  consent_requests_limit: 429,
  previews_limit: 429,
  internal: 500,
  unavailable: 503,
  outcome_unknown: 503,
}

/** @param {unknown} code */
export const statusOf = (code) => statusOfCode[String(code)] ?? 422
