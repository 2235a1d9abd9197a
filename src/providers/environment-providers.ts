import { existsSync } from 'node:fs'
import { type Config, isSandbox } from '../config.ts'
import type { Channel } from '../gate/reach.ts'
import type { BillingAccess } from './billing.ts'
import type { DeliveryChannel } from './ports.ts'
import type { ProviderFactory } from './provider-factory.ts'

/**
 * The channels of accounts without own connections: those with credentials in the environment, or all of them simulated.
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

/** The payment provider with a key in the environment, or the simulated one. Undefined without a key. */
export function environmentBilling(config: Config, providers: ProviderFactory): BillingAccess | undefined {
  const apiKey = providers.isSandbox ? 'sk_test_sandbox' : config.STRIPE_SECRET_KEY
  return apiKey === undefined ? undefined : providers.billing(apiKey)
}

/** @throws Error if the sandbox is on and its stand-ins are neither in this installation nor at SANDBOX_URL */
export function requireStandIns(config: Config): void {
  if (!isSandbox(config) || config.SANDBOX_URL !== undefined) return
  if (existsSync(new URL('../../dev/sandbox', import.meta.url))) return
  throw new Error(
    'SANDBOX is on, but this installation does not contain the simulated providers. Set SANDBOX_URL to the address at which they run, or remove SANDBOX and set SLACK_BOT_TOKEN, RESEND_API_KEY or SECRETS_KEYS.',
  )
}

/**
 * In production, a service must have a channel or be able to store credentials of accounts.
 * @throws Error in production without a channel, without SECRETS_KEYS, and without the sandbox
 */
export function requireChannel(config: Config): void {
  if (isSandbox(config) || config.NODE_ENV !== 'production') return
  const { SLACK_BOT_TOKEN, RESEND_API_KEY, SECRETS_KEYS } = config
  if ([SLACK_BOT_TOKEN, RESEND_API_KEY, SECRETS_KEYS].some((given) => given !== undefined)) return
  throw new Error(
    'No channel is configured. Set SLACK_BOT_TOKEN or RESEND_API_KEY, set SECRETS_KEYS so that accounts can connect their own, or set SANDBOX=1 to simulate the providers.',
  )
}
