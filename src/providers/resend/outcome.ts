import type { DeliveryOutcome } from '../ports.ts'
import { limits } from '../../limits.ts'

/** The pause after a rate limit that Resend sends without a delay. */
const resendRetryAfterMsDefault = 1_000

export type ResendFailure = Exclude<DeliveryOutcome, { state: 'ok' }>

/**
 * Translates a failed Resend call to the outcome of every e-mail in it. Pure.
 *
 * `unknown` is harmless here: the same bytes under the same key may be sent again for 24 hours.
 * @param error  from the SDK: `statusCode` null without an answer, any JSON from a proxy
 * @param headers  of the answer, lower case
 * @source the table of resend 6.38.0's behaviour in `test/providers/resend-faults.test.ts`; default: unknown
 */
export function resendFailure(error: unknown, headers: Record<string, string> | null): ResendFailure {
  const { name, statusCode } = (typeof error === 'object' && error !== null ? error : {}) as Record<
    string,
    unknown
  >
  if (typeof statusCode !== 'number') return { state: 'unknown', code: 'no_answer' }
  if (typeof name !== 'string' || statusCode >= 500) return { state: 'unknown', code: `http_${statusCode}` }
  // A key in use belongs to our own lost call, which may still deliver: not `not_done`.
  if (statusCode === 409 && conflicts.has(name)) return { state: 'unknown', code: name }
  if (statusCode >= 400 && refusals.has(name)) return { state: 'not_done', code: name }
  if (statusCode === 429)
    return { state: 'not_done', code: 'ratelimited', retryAfterMs: retryAfterMs(headers) }
  return { state: 'unknown', code: `http_${statusCode}` }
}

function retryAfterMs(headers: Record<string, string> | null): number {
  const header = headers?.['retry-after'] ?? headers?.['ratelimit-reset']
  const seconds = Number.parseInt(header ?? '', 10)
  if (Number.isNaN(seconds)) return resendRetryAfterMsDefault
  return Math.min(Math.max(seconds * 1000, 0), limits.providerRetryAfterMsMax)
}

const conflicts = new Set(['concurrent_idempotent_requests', 'invalid_idempotent_request'])

/** Quota refusals end on a later day: the message may be sent again then. */
export const quotaRefusals: ReadonlySet<string> = new Set(['daily_quota_exceeded', 'monthly_quota_exceeded'])

/** Resend's documented refusals: nothing was queued, and a retry would not help. */
const refusals = new Set([
  ...quotaRefusals,
  'invalid_access',
  'invalid_api_key',
  'invalid_from_address',
  'invalid_idempotency_key',
  'invalid_parameter',
  'method_not_allowed',
  'missing_api_key',
  'missing_required_field',
  'not_found',
  'restricted_api_key',
  'validation_error',
])
