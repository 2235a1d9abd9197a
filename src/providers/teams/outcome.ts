import { CallFailure } from '../../executors/guarded-request.ts'
import { limits } from '../../limits.ts'
import type { DeliveryOutcome } from '../ports.ts'

/** The pause after a 429 without a delay. */
const retryAfterMsDefault = 5_000

/**
 * What an answer of a workflow says of a post, by its status alone. Pure.
 *
 * A workflow answers 202 when it has taken the request, and runs then. A redirect is not followed: the post was not taken
 * there. 408 and every 5xx may come from something that passed the request on.
 * @source https://learn.microsoft.com/azure/connectors/connectors-native-reqres (202, limits); RFC 9110 15.4 to 15.6
 */
export function teamsAnswer(status: number, retryAfter: string | undefined): DeliveryOutcome {
  if (status >= 200 && status <= 299) return { state: 'ok', providerId: `http_${status}` }
  const code = `http_${status}`
  if (status === 429)
    return { state: 'not_done', code: 'ratelimited', retryAfterMs: retryAfterMs(retryAfter) }
  if (status === 413) return { state: 'not_done', code: 'message_too_large' }
  return status >= 300 && status <= 499 && status !== 408
    ? { state: 'not_done', code }
    : { state: 'unknown', code }
}

/** A call without an answer: nothing was sent if no byte left the gate. Pure. */
export function teamsFailure(error: unknown): DeliveryOutcome {
  const { code, isUnsent } = error instanceof CallFailure ? error : { code: 'no_answer', isUnsent: false }
  if (!isUnsent) return { state: 'unknown', code }
  return code === 'address_refused'
    ? { state: 'not_done', code }
    : { state: 'not_done', code, retryAfterMs: limits.providerConnectRetryMs }
}

function retryAfterMs(header: string | undefined): number {
  if (header === undefined || !/^\d{1,6}$/.test(header)) return retryAfterMsDefault
  return Math.min(Number(header) * 1_000, limits.providerRetryAfterMsMax)
}
