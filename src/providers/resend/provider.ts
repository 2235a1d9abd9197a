import { limits } from '../../limits.ts'
import { type ChannelProvider, type Place, requireBase } from '../channel-provider.ts'
import { rateLimiter } from '../rate-limiter.ts'
import { resendChannel } from './channel.ts'
import { checkResendKey } from './key.ts'

/** E-mail by the API of Resend. */
export const resend: ChannelProvider = {
  channel: 'email',
  ofEnvironment: ({ RESEND_API_KEY: secret, MAIL_FROM: from }) =>
    secret === undefined ? undefined : { secret, from },
  requireAddress: ({ RESEND_BASE_URL: url }) => requireBase('RESEND_BASE_URL', url),
  open({ secret: apiKey, from }, place) {
    const baseUrl = baseOf(place)
    return resendChannel({
      apiKey,
      from: from!,
      ...(place.sandboxUrl === undefined
        ? { rateLimiter: rateLimiter({ perSecond: place.config.RESEND_RATE_PER_SECOND }) }
        : {}),
      ...(baseUrl === undefined ? {} : { baseUrl }),
    })
  },
  check: ({ secret }, place) =>
    checkResendKey(secret, { baseUrl: baseOf(place), timeoutMs: limits.credentialCheckMs }),
}

const baseOf = ({ config, sandboxUrl }: Place): string | undefined =>
  sandboxUrl === undefined ? config.RESEND_BASE_URL : new URL('/resend', sandboxUrl).href
