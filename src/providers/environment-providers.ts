import { existsSync } from 'node:fs'
import { type Config, isSandbox } from '../config.ts'
import type { BillingAccess } from './billing.ts'
import type { Sender } from './channel-provider.ts'
import { type ChannelProviderName, channelProviderNames, channelProviderOf } from './channel-providers.ts'
import type { ChannelUse, DeliveryChannel } from './ports.ts'
import type { ProviderFactory } from './provider-factory.ts'

/**
 * The channels of accounts without own connections: those with credentials in the environment, or all of them simulated.
 * @throws Error as `requireChannel`
 */
export function environmentChannels(
  config: Config,
  providers: ProviderFactory,
): Partial<Record<ChannelUse, DeliveryChannel>> {
  if (providers.isSandbox) {
    return {
      slack: providers.channel('slack', { secret: 'xoxb-sandbox' }),
      email: providers.channel('resend', { secret: 're_sandbox', from: 'gate@sandbox.example' }),
    }
  }
  requireChannel(config)
  const senders = environmentSenders(config)
  return Object.fromEntries(
    senders.map(({ channel, provider, sender }) => [channel, providers.channel(provider, sender)]),
  )
}

/** The senders that the environment has, at most one for each channel: see `readConfig`. Pure. */
export const environmentSenders = (
  config: Config,
): { channel: ChannelUse; provider: ChannelProviderName; sender: Sender }[] =>
  channelProviderNames.flatMap((provider) => {
    const { channel, ofEnvironment } = channelProviderOf(provider)!
    const sender = ofEnvironment(config)
    return sender === undefined ? [] : [{ channel, provider, sender }]
  })

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
    'SANDBOX is on, but this installation does not contain the simulated providers. Set SANDBOX_URL to the address at which they run, or remove SANDBOX and set SLACK_BOT_TOKEN, RESEND_API_KEY, SMTP_URL or SECRETS_KEYS.',
  )
}

/**
 * In production, a service must have a channel or be able to store credentials of accounts.
 * @throws Error in production without a channel, without SECRETS_KEYS, and without the sandbox
 */
export function requireChannel(config: Config): void {
  if (isSandbox(config) || config.NODE_ENV !== 'production') return
  if (environmentSenders(config).length > 0 || config.SECRETS_KEYS !== undefined) return
  throw new Error(
    'No channel is configured. Set SLACK_BOT_TOKEN, RESEND_API_KEY or SMTP_URL, set SECRETS_KEYS so that accounts can connect their own, or set SANDBOX=1 to simulate the providers.',
  )
}
