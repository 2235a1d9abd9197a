import { Resend } from 'resend'
import { resendFailure } from './outcome.ts'
import type { KeyCheck } from '../stripe/key.ts'

/** A key that may send and nothing else: good, and Resend's advice. */
const sendingOnly = 'restricted_api_key'

/** Asks Resend whether a key is good, by listing the domains: nothing is changed. */
export async function checkResendKey(
  apiKey: string,
  options: { baseUrl: string | undefined; timeoutMs: number },
): Promise<KeyCheck> {
  // Without an explicit address the SDK obeys RESEND_BASE_URL of the environment.
  const baseUrl = (options.baseUrl ?? 'https://api.resend.com').replace(/\/+$/, '')
  const resend = new Resend(apiKey, { baseUrl })
  const { error, headers } = await resend.domains.list({}, { signal: AbortSignal.timeout(options.timeoutMs) })
  if (!error) return 'ok'
  const failure = resendFailure(error, headers)
  if (failure.code === sendingOnly) return 'ok'
  return failure.state === 'not_done' && failure.retryAfterMs === undefined
    ? { refused: failure.code }
    : { unavailable: failure.code }
}
