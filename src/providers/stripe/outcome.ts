import { Stripe } from 'stripe'
import { BillingError, type BillingOutcome } from '../billing.ts'
import { AbandonedRequest, UnexpectedAnswer } from './errors.ts'
import { limits } from '../../limits.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'

/** The pause after a rate limit that Stripe sends without a delay. */
const stripeRetryAfterMsDefault = 2_000

/** Characters of what a provider says about its refusal. */
const providerWordsCharsMax = 300

export type StripeFailure = Exclude<BillingOutcome, { state: 'ok' }>

const { errors } = Stripe

/**
 * Translates a failed Stripe call to its outcome. Pure.
 * @returns a short safe code, and of a refusal what Stripe says, as one bounded line without what cannot be seen
 * @source the table of stripe 23.1.0's behaviour in `test/providers/stripe-faults.test.ts`; default: unknown
 */
export function stripeFailure(error: unknown): StripeFailure {
  if (error instanceof AbandonedRequest) return error.isSent ? unknown(error.code) : later(error.code, 0)
  if (error instanceof UnexpectedAnswer) return unknown('unexpected_answer')
  if (!(error instanceof errors.StripeError)) return unknown('unreadable_answer')
  if (error instanceof errors.StripeConnectionError) return connectionFailure(error)
  if (error instanceof errors.StripeIdempotencyError) return unknown('idempotency_error')
  const code = codeOf(error)
  // Another call with our key is running: our own lost call, which may still be executed.
  if (code.startsWith('idempotency_')) return unknown(code)
  if (error instanceof errors.StripeRateLimitError) return later(code, retryAfterMs(error.headers))
  if (!isRefusal(error)) return unknown(code)
  const says = wordsOf(error)
  return {
    state: 'not_done',
    code,
    ...(says === undefined ? {} : { says }),
    ...(isConsidered(error, code) ? { isConsidered: true } : {}),
  }
}

/** Stripe's own words; undefined where it says nothing. Keys stay out, also if they are whole. */
function wordsOf({ raw }: { raw?: unknown }): string | undefined {
  const { message } = (raw ?? {}) as { message?: unknown }
  if (typeof message !== 'string') return undefined
  const line = Array.from(message.slice(0, 4 * providerWordsCharsMax)).map((one) =>
    /\s/.test(one) ? ' ' : one,
  )
  const isCut = line.length > providerWordsCharsMax
  const bounded = isCut ? [...line.slice(0, providerWordsCharsMax - 1), '…'] : line
  const words = escapeInvisible(bounded.join('').trim()).replaceAll(
    /\b([rs]k)_(live|test)_[\w*]+/g,
    '$1_$2_…',
  )
  return words === '' ? undefined : words
}

/** Translates an error of the SDK to the error of a read. Pure. */
export function billingError(error: unknown): BillingError {
  const failure = stripeFailure(error)
  if (failure.state === 'unknown') return new BillingError('unavailable', failure.code)
  const { code, retryAfterMs, says } = failure
  return retryAfterMs === undefined
    ? new BillingError('refused', code, { says })
    : new BillingError('unavailable', code, { retryAfterMs })
}

/** Whether Stripe answered that the id does not exist. */
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
  if (neverConnected.has(String(code))) return later('unreachable', limits.providerConnectRetryMs)
  return unknown(code === 'ETIMEDOUT' ? 'timeout' : 'connection_lost')
}

/** No connection, so no request was sent: each request opens its own. */
const neverConnected = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'])

/** Whether Stripe itself refused. A proxy that refuses may have forwarded the request. */
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
 * Whether an earlier call under the same key would have been replayed instead. Stripe checks credential and rate limit
 * first, then the key; parameters that are invalid now were invalid in the earlier call too.
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

/** Stripe's code, or the error type without one: `StripeAPIError` → `api_error`. */
function codeOf({ code, type }: { code?: unknown; type: string }): string {
  if (typeof code === 'string' && /^[a-z][a-z0-9_]{0,63}$/.test(code)) return code
  return type
    .replace(/^Stripe/, '')
    .replace(/([a-z])([A-Z])|([A-Z])(?=[A-Z][a-z])/g, '$1$3_$2')
    .toLowerCase()
}

function retryAfterMs(headers: AnswerHeaders): number {
  const seconds = Number.parseInt(String(headers?.['retry-after'] ?? ''), 10)
  if (Number.isNaN(seconds)) return stripeRetryAfterMsDefault
  return Math.min(Math.max(seconds * 1000, 0), limits.providerRetryAfterMsMax)
}
