import { Resend } from 'resend'
import { resendFailure } from './outcome.ts'
import type { CredentialCheck } from '../channel-provider.ts'

/** The error for a key that may only send: such a key is valid, and what Resend recommends. */
const sendingOnly = 'restricted_api_key'

/** Checks a Resend key by listing the domains. Changes nothing. */
export async function checkResendKey(
  apiKey: string,
  options: { baseUrl: string | undefined; timeoutMs: number },
): Promise<CredentialCheck> {
  // Without an explicit address the SDK would read RESEND_BASE_URL from the environment.
  const baseUrl = (options.baseUrl ?? 'https://api.resend.com').replace(/(?<!\/)\/+$/, '')
  const resend = new Resend(apiKey, { baseUrl })
  const { error, headers } = await resend.domains.list({}, { signal: AbortSignal.timeout(options.timeoutMs) })
  if (!error) return 'ok'
  const failure = resendFailure(error, headers)
  if (failure.code === sendingOnly) return 'ok'
  return failure.state === 'not_done' && failure.retryAfterMs === undefined
    ? { refused: failure.code }
    : { unavailable: failure.code }
}
