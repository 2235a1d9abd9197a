import { type Config, executorAllow, isSandbox } from '../config.ts'
import { checkedFetch } from '../executors/checked-fetch.ts'
import type { Network } from '../executors/guarded-request.ts'
import { parseExactJson } from '../gate/json/exact-json.ts'
import { limits } from '../limits.ts'
import { type BillingAccess, sandboxFingerprint } from './billing.ts'
import type { CredentialCheck, Place, Sender } from './channel-provider.ts'
import {
  type ChannelProviderName,
  channelProviderNames,
  channelProviderOf,
  channelProviders,
} from './channel-providers.ts'
import { fingerprintOf } from './fingerprint.ts'
import type { DeliveryChannel } from './ports.ts'
import { sandboxApp } from './sandbox-app.ts'
import { type AnswerPress, atSlack, pressAnswers } from './slack/answer-press.ts'
import { type SlackApp, slackApp } from './slack/install.ts'
import { type BotPlace, microsoft, standIn } from './teams-bot/place.ts'
import { type BotTokens, type ReadDocument, botTokens } from './teams-bot/tokens.ts'
import { stripeAddress } from './stripe/address.ts'
import { type KeyCheck, type StripeAccount, checkStripeKey, readStripeAccount } from './stripe/key.ts'
import { stripeProvider } from './stripe/provider.ts'

const billingAgainMs = 1_000
const sandboxRetryMs = 100

const botKeysBytesMax = 262_144

/**
 * Creates providers from credentials: the real ones, or simulated ones behind the same SDKs. Each created channel has
 * its own rate limit.
 */
export interface ProviderFactory {
  /** Simulated providers: nothing leaves the machine. */
  isSandbox: boolean
  channel(provider: ChannelProviderName, sender: Sender): DeliveryChannel
  billing(apiKey: string): BillingAccess
  checkStripeKey(apiKey: string): Promise<KeyCheck>
  /** The account of a key; undefined where the key may not read it. */
  readStripeAccount(apiKey: string): Promise<StripeAccount | undefined>
  /** Asks the provider of a channel whether a credential that a person entered is good. */
  checkSender(provider: ChannelProviderName, sender: Sender): Promise<CredentialCheck>
  /**
   * The secret that signs the app's interactions; undefined where it is not configured: then no consent request is sent
   * in Slack.
   */
  slackSigningSecret: string | undefined
  answerSlackPress: AnswerPress
  /** What bots in Teams are called by: how its tokens are verified, and from where it may call. */
  teamsBots: BotTokens & Pick<BotPlace, 'isService'>
  /** The app that workspaces install; undefined where none is configured. */
  slackApp: SlackApp | undefined
}

/**
 * @param sandboxUrl  where the sandbox listens; absent: SANDBOX_URL, or SANDBOX_PORT on this machine
 * @param network  how addresses that accounts name are reached; absent: as configured
 * @throws Error with the variable whose address is invalid, even where no key is set for it yet
 */
export function providerFactory(
  config: Config,
  sandboxUrl: string | undefined,
  network: Network = { allowed: executorAllow(config) },
): ProviderFactory {
  if (!isSandbox(config)) return realProviders(config, network)
  const local = `http://127.0.0.1:${config.SANDBOX_PORT}`
  const base = sandboxUrl ?? config.SANDBOX_URL ?? local
  return sandboxProviders({ config, sandboxUrl: base, network }, base, sandboxUrl ?? local)
}

function realProviders(config: Config, network: Network): ProviderFactory {
  const { SLACK_API_URL: slackUrl, STRIPE_API_BASE: stripeBase } = config
  const place = { config, sandboxUrl: undefined, network }
  const { SLACK_CLIENT_ID: clientId, SLACK_CLIENT_SECRET: clientSecret } = config
  // Validated even without a key in the environment, because accounts can connect their own.
  stripeAddress(stripeBase)
  for (const name of channelProviderNames) channelProviderOf(name)!.requireAddress?.(config)
  if (config.SLACK_SIGNING_SECRET === sandboxApp.signingSecret)
    throw new Error(
      'SLACK_SIGNING_SECRET is the public value of the sandbox. Set the signing secret of your Slack app.',
    )
  return {
    isSandbox: false,
    slackSigningSecret: config.SLACK_SIGNING_SECRET,
    answerSlackPress: pressAnswers(atSlack),
    teamsBots: botsAt(microsoft, readGuarded(network)),
    channel: (provider, sender) => channelProviders[provider].open(sender, place),
    billing: (apiKey) => ({
      provider: stripeProvider({ apiKey, ...(stripeBase === undefined ? {} : { apiBase: stripeBase }) }),
      fingerprint: fingerprintOf(apiKey),
      retryDelayMs: billingAgainMs,
    }),
    checkStripeKey: (apiKey) =>
      checkStripeKey(apiKey, stripeBase === undefined ? {} : { apiBase: stripeBase }),
    readStripeAccount: (apiKey) =>
      readStripeAccount(apiKey, stripeBase === undefined ? {} : { apiBase: stripeBase }),
    checkSender: checkAt(place),
    slackApp:
      clientId === undefined || clientSecret === undefined
        ? undefined
        : slackApp({
            clientId,
            clientSecret,
            apiUrl: slackUrl ?? 'https://slack.com/api/',
            timeoutMs: limits.credentialCheckMs,
          }),
  }
}

const botsAt = (place: BotPlace, read: ReadDocument): ProviderFactory['teamsBots'] => ({
  ...botTokens(place, read),
  isService: place.isService,
})

const readGuarded =
  ({ allowed }: Network): ReadDocument =>
  async (url, signal) => {
    const bounds = {
      account: '',
      allow: allowed,
      timeoutMs: limits.providerCallMs,
      bytesMax: botKeysBytesMax,
    }
    const answer = await checkedFetch(url, { signal }, bounds)
    if (!answer.ok) throw new Error(`the answer has status ${answer.status}`)
    return parseExactJson(await answer.text())
  }

const checkAt =
  (place: Place): ProviderFactory['checkSender'] =>
  async (provider, sender) =>
    (await channelProviderOf(provider)!.check?.(sender, place)) ?? 'ok'

/**
 * @param base  the address for this process
 * @param shownBase  the address for a browser
 */
function sandboxProviders(place: Place, base: string, shownBase: string): ProviderFactory {
  const slackUrl = new URL('/slack/api/', base).href
  return {
    isSandbox: true,
    slackSigningSecret: sandboxApp.signingSecret,
    // Nothing leaves the machine, whatever host is named.
    answerSlackPress: pressAnswers(({ pathname }) => new URL(`/slack${pathname}`, base)),
    teamsBots: botsAt(standIn(base), async (url, signal) =>
      parseExactJson(await (await fetch(url, { signal })).text()),
    ),
    channel: (provider, sender) => ({
      ...channelProviders[provider].open(sender, place),
      credential: sandboxFingerprint,
    }),
    // All sandbox keys belong to one account, so a call means the same under each of them.
    billing: (apiKey) => ({
      provider: stripeProvider({ apiKey, apiBase: base, isStandIn: true }),
      fingerprint: sandboxFingerprint,
      retryDelayMs: sandboxRetryMs,
    }),
    checkStripeKey: (apiKey) => checkStripeKey(apiKey, { apiBase: base, isStandIn: true }),
    readStripeAccount: (apiKey) => readStripeAccount(apiKey, { apiBase: base, isStandIn: true }),
    checkSender: checkAt(place),
    slackApp: slackApp({
      clientId: sandboxApp.clientId,
      clientSecret: sandboxApp.clientSecret,
      apiUrl: slackUrl,
      pagesUrl: new URL('/slack/api/', shownBase).href,
      timeoutMs: limits.credentialCheckMs,
    }),
  }
}
