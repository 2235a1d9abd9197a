import { type Config, isSandbox } from '../config.ts'
import { type Channel } from '../gate/reach.ts'
import { type DeliveryChannel } from './ports.ts'
import { rateLimiter } from './rate-limiter.ts'
import { resendChannel } from './resend.ts'
import { slackChannel } from './slack.ts'

/** How long a stand-in gets to show a message of unknown fate. Slack itself gets half a minute. */
const sandboxReconcileMs = 500

/**
 * The channels that this configuration can deliver through: the real ones, or all of them as stand-ins behind the same
 * SDKs.
 * @throws Error when production has no channel and did not ask for the sandbox, or the sandbox's address is missing
 */
export function configuredChannels(
  config: Config,
  sandboxUrl: string | undefined,
): Partial<Record<Channel, DeliveryChannel>> {
  if (isSandbox(config)) {
    if (config.NODE_ENV === 'production' && !config.SANDBOX) {
      throw new Error(
        'No channel is configured: set SLACK_BOT_TOKEN or RESEND_API_KEY, or SANDBOX=1 for stand-ins.',
      )
    }
    const base = sandboxUrl ?? `http://127.0.0.1:${config.SANDBOX_PORT}`
    return {
      slack: slackChannel({
        token: 'xoxb-sandbox',
        apiUrl: new URL('/slack/api/', base).href,
        reconcileDelayMs: sandboxReconcileMs,
        concurrency: 20,
      }),
      email: resendChannel({
        apiKey: 're_sandbox',
        baseUrl: new URL('/resend', base).href,
        from: 'gate@sandbox.example',
      }),
    }
  }
  return {
    ...(config.SLACK_BOT_TOKEN === undefined
      ? {}
      : {
          slack: slackChannel({
            token: config.SLACK_BOT_TOKEN,
            rateLimiter: rateLimiter({ perSecond: config.SLACK_RATE_PER_SECOND }),
            ...(config.SLACK_API_URL ? { apiUrl: config.SLACK_API_URL } : {}),
          }),
        }),
    ...(config.RESEND_API_KEY === undefined
      ? {}
      : {
          email: resendChannel({
            apiKey: config.RESEND_API_KEY,
            from: config.MAIL_FROM!,
            rateLimiter: rateLimiter({ perSecond: config.RESEND_RATE_PER_SECOND }),
            ...(config.RESEND_BASE_URL ? { baseUrl: config.RESEND_BASE_URL } : {}),
          }),
        }),
  }
}
