import {
  WebAPIHTTPError,
  WebAPIPlatformError,
  WebAPIRateLimitedError,
  WebAPIRequestError,
} from '@slack/web-api'
import type { DeliveryOutcome } from '../ports.ts'
import { limits } from '../../limits.ts'

/** The pause after a rate limit that Slack sends without a delay. */
const slackRetryAfterMsDefault = 30_000

export type SlackFailure = Exclude<DeliveryOutcome, { state: 'ok' }>

/**
 * Translates a failed Slack call to the outcome of the message. Pure.
 * @returns a short safe code, never text from the body of an answer
 * @source the table of @slack/web-api 8.2.0's behaviour in `test/providers/slack-faults.test.ts`; default: unknown
 */
export function slackFailure(error: unknown): SlackFailure {
  if (error instanceof WebAPIRateLimitedError) return rateLimited(error.retryAfter * 1000)
  if (error instanceof WebAPIPlatformError) return platformFailure(error.data.error)
  if (error instanceof WebAPIHTTPError) return { state: 'unknown', code: `http_${error.statusCode}` }
  if (error instanceof WebAPIRequestError) return requestFailure(error.original)
  if (isRateLimitWithoutDelay(error)) return rateLimited(slackRetryAfterMsDefault)
  // A body that was cut off after the headers appears as any error of `fetch`.
  return { state: 'unknown', code: isTimeout(error) ? 'timeout' : 'unreadable_answer' }
}

function platformFailure(code: unknown): SlackFailure {
  // For a body that is not JSON, the SDK puts the body itself here.
  if (typeof code !== 'string' || !/^[a-z][a-z0-9_]{0,63}$/.test(code)) {
    return { state: 'unknown', code: 'unreadable_answer' }
  }
  if (rateLimitCodes.has(code)) return rateLimited(slackRetryAfterMsDefault)
  return { state: refusals.has(code) ? 'not_done' : 'unknown', code }
}

function requestFailure(original: unknown): SlackFailure {
  if (isTimeout(original)) return { state: 'unknown', code: 'timeout' }
  const cause = original instanceof Error ? original.cause : undefined
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  if (neverConnected.has(code))
    return { state: 'not_done', code: 'unreachable', retryAfterMs: limits.providerConnectRetryMs }
  return { state: 'unknown', code: 'connection_lost' }
}

function rateLimited(retryAfterMs: number): SlackFailure {
  const boundedMs = Math.min(Math.max(retryAfterMs, 0), limits.providerRetryAfterMsMax)
  return { state: 'not_done', code: 'ratelimited', retryAfterMs: boundedMs }
}

/** The SDK throws a bare `Error` for a 429 whose Retry-After is missing or not a number. */
function isRateLimitWithoutDelay(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Retry header did not contain a valid timeout')
}

function isTimeout(error: unknown): boolean {
  return error instanceof Error && error.name === 'TimeoutError'
}

/** No connection, so no request left this process. */
const neverConnected = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'])

const rateLimitCodes = new Set(['ratelimited', 'rate_limited', 'message_limit_exceeded'])

/** Slack's documented refusals: nothing was posted, and a retry would not help. Anything else is unknown. */
const refusals = new Set([
  // broken credentials: the integration needs an admin
  'account_inactive',
  'invalid_auth',
  'missing_scope',
  'no_permission',
  'not_allowed_token_type',
  'not_authed',
  'org_login_required',
  'token_expired',
  'token_revoked',
  // a person who cannot be reached
  'cannot_dm_bot',
  'channel_not_found',
  'is_archived',
  'not_in_channel',
  'user_disabled',
  'user_not_found',
  'user_not_visible',
  'users_not_found',
  // an invalid request
  'access_denied',
  'ekm_access_denied',
  'invalid_arguments',
  'invalid_metadata_format',
  'invalid_metadata_schema',
  'metadata_too_large',
  'msg_too_long',
  'no_text',
  'restricted_action',
  'team_access_not_granted',
  'unknown_method',
])
