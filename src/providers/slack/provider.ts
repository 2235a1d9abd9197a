import { limits } from '../../limits.ts'
import { type ChannelProvider, requireBase } from '../channel-provider.ts'
import { rateLimiter } from '../rate-limiter.ts'
import { slackChannel } from './channel.ts'

/** Conversations opened for broadcasts: Slack allows 50 a minute, of which two are for consent requests. */
const openingsPerMinuteMax = 48

const sandboxRecipientsAtOnce = 20
const sandboxReconcileMs = 500

/** Direct messages of a Slack app. Its token comes from an installation: see `slackApp`. */
export const slack: ChannelProvider = {
  channel: 'slack',
  ofEnvironment: ({ SLACK_BOT_TOKEN: secret }) => (secret === undefined ? undefined : { secret }),
  requireAddress: ({ SLACK_API_URL: url }) => requireBase('SLACK_API_URL', url),
  open({ secret: token }, { config, sandboxUrl }) {
    if (sandboxUrl !== undefined)
      return slackChannel({
        token,
        apiUrl: new URL('/slack/api/', sandboxUrl).href,
        reconcileDelayMs: sandboxReconcileMs,
        concurrency: sandboxRecipientsAtOnce,
      })
    const { SLACK_RATE_PER_SECOND: perSecond, SLACK_API_URL: apiUrl } = config
    return slackChannel({
      token,
      rateLimiter: rateLimiter({ perSecond }),
      openingLimiter: rateLimiter({ perSecond, perMinute: openingsPerMinute(perSecond) }),
      ...(apiUrl === undefined ? {} : { apiUrl }),
    })
  },
}

/** Where several workers share Slack's limit of messages, each opens conversations in proportion. */
const openingsPerMinute = (messagesPerSecond: number): number =>
  Math.max(1, Math.floor(openingsPerMinuteMax * Math.min(1, messagesPerSecond / limits.slackRatePerSecond)))
