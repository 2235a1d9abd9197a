import { type Config, isSandbox } from '../config.ts'
import { limits } from '../limits.ts'
import { type BillingAccess, sandboxFingerprint } from './billing.ts'
import { fingerprintOf } from './fingerprint.ts'
import type { DeliveryChannel } from './ports.ts'
import { rateLimiter } from './rate-limiter.ts'
import { checkResendKey } from './resend/key.ts'
import { resendChannel } from './resend/channel.ts'
import { sandboxApp } from './sandbox-app.ts'
import { type AnswerPress, atSlack, pressAnswers } from './slack/answer-press.ts'
import { type SlackApp, slackApp } from './slack/install.ts'
import { slackChannel } from './slack/channel.ts'
import { stripeAddress } from './stripe/address.ts'
import { type KeyCheck, type StripeAccount, checkStripeKey, readStripeAccount } from './stripe/key.ts'
import { stripeProvider } from './stripe/provider.ts'

/** Conversations opened for broadcasts: Slack allows 50 a minute, of which two are for consent requests. */
const slackOpeningsPerMinute = 48

const billingAgainMs = 1_000
const sandboxRecipientsAtOnce = 20
const sandboxReconcileMs = 500
const sandboxRetryMs = 100

/**
 * Creates providers from credentials: the real ones, or simulated ones behind the same SDKs. Each created channel has
 * its own rate limit.
 */
export interface ProviderFactory {
  /** Simulated providers: nothing leaves the machine. */
  isSandbox: boolean
  slack(token: string): DeliveryChannel
  email(sender: { apiKey: string; from: string }): DeliveryChannel
  billing(apiKey: string): BillingAccess
  checkStripeKey(apiKey: string): Promise<KeyCheck>
  /** The account of a key; undefined where the key may not read it. */
  readStripeAccount(apiKey: string): Promise<StripeAccount | undefined>
  checkResendKey(apiKey: string): Promise<KeyCheck>
  /**
   * The secret that signs the app's interactions; undefined where it is not configured: then no consent request is sent
   * in Slack.
   */
  slackSigningSecret: string | undefined
  answerSlackPress: AnswerPress
  /** The app that workspaces install; undefined where none is configured. */
  slackApp: SlackApp | undefined
}

/**
 * @param sandboxUrl  where the sandbox listens; absent: SANDBOX_URL, or SANDBOX_PORT on this machine
 * @throws Error with the variable whose address is invalid, even where no key is set for it yet
 */
export function providerFactory(config: Config, sandboxUrl: string | undefined): ProviderFactory {
  if (!isSandbox(config)) return realProviders(config)
  const local = `http://127.0.0.1:${config.SANDBOX_PORT}`
  return sandboxProviders(sandboxUrl ?? config.SANDBOX_URL ?? local, sandboxUrl ?? local)
}

function realProviders(config: Config): ProviderFactory {
  const { SLACK_API_URL: slackUrl, RESEND_BASE_URL: resendUrl, STRIPE_API_BASE: stripeBase } = config
  const { SLACK_CLIENT_ID: clientId, SLACK_CLIENT_SECRET: clientSecret } = config
  // Validated even without a key in the environment, because accounts can connect their own.
  stripeAddress(stripeBase)
  requireBase('SLACK_API_URL', slackUrl)
  requireBase('RESEND_BASE_URL', resendUrl)
  if (config.SLACK_SIGNING_SECRET === sandboxApp.signingSecret)
    throw new Error(
      'SLACK_SIGNING_SECRET is the public value of the sandbox. Set the signing secret of your Slack app.',
    )
  return {
    isSandbox: false,
    slackSigningSecret: config.SLACK_SIGNING_SECRET,
    answerSlackPress: pressAnswers(atSlack),
    slack: (token) =>
      slackChannel({
        token,
        rateLimiter: rateLimiter({ perSecond: config.SLACK_RATE_PER_SECOND }),
        openingLimiter: rateLimiter({
          perSecond: config.SLACK_RATE_PER_SECOND,
          perMinute: openingsPerMinute(config.SLACK_RATE_PER_SECOND),
        }),
        ...(slackUrl ? { apiUrl: slackUrl } : {}),
      }),
    email: ({ apiKey, from }) =>
      resendChannel({
        apiKey,
        from,
        rateLimiter: rateLimiter({ perSecond: config.RESEND_RATE_PER_SECOND }),
        ...(resendUrl ? { baseUrl: resendUrl } : {}),
      }),
    billing: (apiKey) => ({
      provider: stripeProvider({ apiKey, ...(stripeBase === undefined ? {} : { apiBase: stripeBase }) }),
      fingerprint: fingerprintOf(apiKey),
      retryDelayMs: billingAgainMs,
    }),
    checkStripeKey: (apiKey) =>
      checkStripeKey(apiKey, stripeBase === undefined ? {} : { apiBase: stripeBase }),
    readStripeAccount: (apiKey) =>
      readStripeAccount(apiKey, stripeBase === undefined ? {} : { apiBase: stripeBase }),
    checkResendKey: (apiKey) =>
      checkResendKey(apiKey, { baseUrl: resendUrl, timeoutMs: limits.credentialCheckMs }),
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

/** Where several workers share Slack's limit of messages, each opens conversations in proportion. */
const openingsPerMinute = (messagesPerSecond: number): number =>
  Math.max(1, Math.floor(slackOpeningsPerMinute * Math.min(1, messagesPerSecond / limits.slackRatePerSecond)))

/** A path is appended to the base, so it must not have a query or fragment. */
function requireBase(variable: string, base: string | undefined): void {
  const { search, hash, username, password } = new URL(base ?? 'https://absent.invalid')
  if (search || hash || username || password)
    throw new Error(`${variable} must be a base address, without query, fragment or credentials.`)
}

/**
 * @param base  the address for this process
 * @param shownBase  the address for a browser
 */
function sandboxProviders(base: string, shownBase: string): ProviderFactory {
  const slackUrl = new URL('/slack/api/', base).href
  const resendUrl = new URL('/resend', base).href
  return {
    isSandbox: true,
    slackSigningSecret: sandboxApp.signingSecret,
    // Nothing leaves the machine, whatever host is named.
    answerSlackPress: pressAnswers(({ pathname }) => new URL(`/slack${pathname}`, base)),
    slack: (token) => ({
      ...slackChannel({
        token,
        apiUrl: slackUrl,
        reconcileDelayMs: sandboxReconcileMs,
        concurrency: sandboxRecipientsAtOnce,
      }),
      credential: sandboxFingerprint,
    }),
    email: ({ apiKey, from }) => ({
      ...resendChannel({ apiKey, from, baseUrl: resendUrl }),
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
    checkResendKey: (apiKey) =>
      checkResendKey(apiKey, { baseUrl: resendUrl, timeoutMs: limits.credentialCheckMs }),
    slackApp: slackApp({
      clientId: sandboxApp.clientId,
      clientSecret: sandboxApp.clientSecret,
      apiUrl: slackUrl,
      pagesUrl: new URL('/slack/api/', shownBase).href,
      timeoutMs: limits.credentialCheckMs,
    }),
  }
}
