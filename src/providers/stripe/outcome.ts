import { Stripe } from 'stripe'
import { BillingError, type BillingOutcome } from '../billing.ts'
import { AbandonedRequest, UnexpectedAnswer } from './errors.ts'

export type StripeFailure = Exclude<BillingOutcome, { state: 'ok' }>

const { errors } = Stripe

/** Where Stripe refuses a rate without saying for how long. */
const defaultRetryAfterMs = 2_000
/** A provider does not get to park us for a day. */
const retryAfterMsMax = 3_600_000
/** Where there was no connection. */
const connectAgainMs = 5_000

/**
 * What a failed Stripe call says about what it asked for. Pure.
 * @returns a short safe code, never Stripe's words: those may repeat what was sent
 * @source the table of stripe 23.1.0's behaviour in `test/providers/stripe-faults.test.ts`; default: unknown
 */
export function stripeFailure(error: unknown): StripeFailure {
  if (error instanceof AbandonedRequest) return error.isSent ? unknown(error.code) : later(error.code, 0)
  if (error instanceof UnexpectedAnswer) return unknown('unexpected_answer')
  if (!(error instanceof errors.StripeError)) return unknown('unreadable_answer')
  if (error instanceof errors.StripeConnectionError) return connectionFailure(error)
  if (error instanceof errors.StripeIdempotencyError) return unknown('idempotency_error')
  const code = codeOf(error)
  // Another call under our key is under way: our own, lost and perhaps about to be done.
  if (code.startsWith('idempotency_')) return unknown(code)
  if (error instanceof errors.StripeRateLimitError) return later(code, retryAfterMs(error.headers))
  if (!isRefusal(error)) return unknown(code)
  return { state: 'not_done', code, ...(isConsidered(error, code) ? { isConsidered: true } : {}) }
}

/** What a read throws, of what the SDK threw. Pure. */
export function billingError(error: unknown): BillingError {
  const failure = stripeFailure(error)
  if (failure.state === 'unknown') return new BillingError('unavailable', failure.code)
  return failure.retryAfterMs === undefined
    ? new BillingError('refused', failure.code)
    : new BillingError('unavailable', failure.code, failure.retryAfterMs)
}

/** Whether Stripe says that there is nothing by that id. */
export function isMissing(error: unknown): boolean {
  return (
    error instanceof errors.StripeInvalidRequestError &&
    error.statusCode === 404 &&
    error.code === 'resource_missing'
  )
}

const unknown = (code: string): StripeFailure => ({ state: 'unknown', code })
const later = (code: string, retryAfterMs: number): StripeFailure => ({
  state: 'not_done',
  code,
  retryAfterMs,
})

function connectionFailure({ detail }: { detail?: unknown }): StripeFailure {
  const code = (detail as { code?: unknown } | undefined)?.code
  if (neverConnected.has(String(code))) return later('unreachable', connectAgainMs)
  return unknown(code === 'ETIMEDOUT' ? 'timeout' : 'connection_lost')
}

/** No connection, so no request left this process: each request makes its own. */
const neverConnected = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'])

/** Stripe's own word that it did not do it. A proxy that refuses may have passed the request on. */
function isRefusal({ type, rawType }: { type: string; rawType?: unknown }): boolean {
  return refusalTypes.has(type) && ['invalid_request_error', 'card_error'].includes(String(rawType))
}

const refusalTypes = new Set([
  'StripeAuthenticationError',
  'StripeCardError',
  'StripeInvalidRequestError',
  'StripePermissionError',
])

/**
 * Whether an earlier call under the same key would have been replayed instead. Stripe looks for it after it has looked at
 * the credential and the rate; parameters that it finds wrong, it found wrong in the earlier call too.
 * @source Stripe: advanced error handling, content errors
 */
function isConsidered({ type, headers }: { type: string; headers?: AnswerHeaders }, code: string): boolean {
  if (headers?.['idempotent-replayed'] === 'true') return true
  return (type === 'StripeInvalidRequestError' || type === 'StripeCardError') && !accessCodes.has(code)
}

type AnswerHeaders = Record<string, unknown> | undefined

const accessCodes = new Set([
  'account_closed',
  'account_invalid',
  'api_key_expired',
  'livemode_mismatch',
  'platform_account_required',
  'platform_api_key_expired',
  'request_blocked',
  'secret_key_required',
  'testmode_charges_only',
])

/** Stripe's code, or where it gives none the kind of error: `StripeAPIError` → `api_error`. */
function codeOf({ code, type }: { code?: unknown; type: string }): string {
  if (typeof code === 'string' && /^[a-z][a-z0-9_]{0,63}$/.test(code)) return code
  return type
    .replace(/^Stripe/, '')
    .replace(/([a-z])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$3_$2')
    .toLowerCase()
}

function retryAfterMs(headers: AnswerHeaders): number {
  const seconds = Number.parseInt(String(headers?.['retry-after'] ?? ''), 10)
  if (Number.isNaN(seconds)) return defaultRetryAfterMs
  return Math.min(Math.max(seconds * 1000, 0), retryAfterMsMax)
}
