import { type Config, isSandbox } from '../config.ts'
import type { Channel } from '../gate/reach.ts'
import type { BillingAccess } from './billing.ts'
import type { DeliveryChannel } from './ports.ts'
import type { ProviderFactory } from './provider-factory.ts'

/**
 * The channels of accounts that connected none of their own: those the environment has credentials for, or all of them
 * as stand-ins.
 * @throws Error as `requireChannel`
 */
export function environmentChannels(
  config: Config,
  providers: ProviderFactory,
): Partial<Record<Channel, DeliveryChannel>> {
  if (providers.isSandbox) {
    return {
      slack: providers.slack('xoxb-sandbox'),
      email: providers.email({ apiKey: 're_sandbox', from: 'gate@sandbox.example' }),
    }
  }
  requireChannel(config)
  const { SLACK_BOT_TOKEN: token, RESEND_API_KEY: apiKey, MAIL_FROM: from } = config
  return {
    ...(token === undefined ? {} : { slack: providers.slack(token) }),
    ...(apiKey === undefined ? {} : { email: providers.email({ apiKey, from: from! }) }),
  }
}

/** The payment provider that the environment has a key for, or its stand-in. Undefined where there is none. */
export function environmentBilling(config: Config, providers: ProviderFactory): BillingAccess | undefined {
  const apiKey = providers.isSandbox ? 'sk_test_sandbox' : config.STRIPE_SECRET_KEY
  return apiKey === undefined ? undefined : providers.billing(apiKey)
}

/**
 * A service that can reach nobody, and can be given nothing to reach them by, does not start in production.
 * @throws Error when production has no channel, keeps none of its accounts, and did not ask for the sandbox
 */
export function requireChannel(config: Config): void {
  if (isSandbox(config) || config.NODE_ENV !== 'production') return
  const { SLACK_BOT_TOKEN, RESEND_API_KEY, SECRETS_KEYS } = config
  if ([SLACK_BOT_TOKEN, RESEND_API_KEY, SECRETS_KEYS].some((given) => given !== undefined)) return
  throw new Error(
    'No channel is configured: set SLACK_BOT_TOKEN or RESEND_API_KEY, or SECRETS_KEYS so that accounts can connect their own, or SANDBOX=1 for stand-ins.',
  )
}
