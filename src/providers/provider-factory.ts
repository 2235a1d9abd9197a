import { type Config, isSandbox } from '../config.ts'
import { limits } from '../limits.ts'
import { type BillingAccess, sandboxFingerprint } from './billing.ts'
import { fingerprintOf } from './fingerprint.ts'
import type { DeliveryChannel } from './ports.ts'
import { rateLimiter } from './rate-limiter.ts'
import { checkResendKey } from './resend/key.ts'
import { resendChannel } from './resend/channel.ts'
import { sandboxApp } from './sandbox-app.ts'
import { type SlackApp, slackApp } from './slack/install.ts'
import { slackChannel } from './slack/channel.ts'
import { stripeAddress } from './stripe/address.ts'
import { type KeyCheck, type StripeAccount, checkStripeKey, readStripeAccount } from './stripe/key.ts'
import { stripeProvider } from './stripe/provider.ts'

/**
 * The providers as this process reaches them: the real ones, or their stand-ins behind the same SDKs. Whose credential it
 * is, the caller knows. What is made twice has its own rate limit.
 */
export interface ProviderFactory {
  /** Stand-ins: nothing leaves the machine. */
  isSandbox: boolean
  slack(token: string): DeliveryChannel
  email(sender: { apiKey: string; from: string }): DeliveryChannel
  billing(apiKey: string): BillingAccess
  checkStripeKey(apiKey: string): Promise<KeyCheck>
  /** Whose account a key is of; undefined where it does not tell. */
  readStripeAccount(apiKey: string): Promise<StripeAccount | undefined>
  checkResendKey(apiKey: string): Promise<KeyCheck>
  /** What the app's interactions are signed with; undefined where it is not known: nobody is asked in Slack then. */
  slackSigningSecret: string | undefined
  /** The app that workspaces install; undefined where none is configured. */
  slackApp: SlackApp | undefined
}

/**
 * @param sandboxUrl where the stand-ins listen; absent: at SANDBOX_URL, or on SANDBOX_PORT of this machine
 * @throws Error that names the variable whose address cannot be used, also where no key is set for it yet
 */
export function providerFactory(config: Config, sandboxUrl: string | undefined): ProviderFactory {
  if (!isSandbox(config)) return realProviders(config)
  const local = `http://127.0.0.1:${config.SANDBOX_PORT}`
  return standIns(sandboxUrl ?? config.SANDBOX_URL ?? local, sandboxUrl ?? local)
}

function realProviders(config: Config): ProviderFactory {
  const { SLACK_API_URL: slackUrl, RESEND_BASE_URL: resendUrl, STRIPE_API_BASE: stripeBase } = config
  const { SLACK_CLIENT_ID: clientId, SLACK_CLIENT_SECRET: clientSecret } = config
  // For accounts that connect their own, also without a key in the environment.
  stripeAddress(stripeBase)
  requireBase('SLACK_API_URL', slackUrl)
  requireBase('RESEND_BASE_URL', resendUrl)
  if (config.SLACK_SIGNING_SECRET === sandboxApp.signingSecret)
    throw new Error(
      "SLACK_SIGNING_SECRET is the sandbox's, which everybody knows: set the one of your Slack app.",
    )
  return {
    isSandbox: false,
    slackSigningSecret: config.SLACK_SIGNING_SECRET,
    slack: (token) =>
      slackChannel({
        token,
        rateLimiter: rateLimiter({ perSecond: config.SLACK_RATE_PER_SECOND }),
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
      retryDelayMs: limits.billingAgainMs,
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

/** A path is put after it: what follows a path would swallow that. */
function requireBase(variable: string, base: string | undefined): void {
  const { search, hash, username, password } = new URL(base ?? 'https://absent.invalid')
  if (search || hash || username || password)
    throw new Error(`${variable} must be a base address, without query, fragment or credentials.`)
}

/** How long a stand-in gets to show a message of unknown fate. Slack itself gets half a minute. */
const sandboxReconcileMs = 500
/** The wait before a call of unknown fate is repeated to a stand-in. */
const sandboxAgainMs = 100
/**
 * @param base  where this process reaches them, from another container by its name
 * @param shownBase  where a person's browser does
 */
function standIns(base: string, shownBase: string): ProviderFactory {
  const slackUrl = new URL('/slack/api/', base).href
  const resendUrl = new URL('/resend', base).href
  return {
    isSandbox: true,
    slackSigningSecret: sandboxApp.signingSecret,
    slack: (token) => ({
      ...slackChannel({ token, apiUrl: slackUrl, reconcileDelayMs: sandboxReconcileMs, concurrency: 20 }),
      credential: sandboxFingerprint,
    }),
    email: ({ apiKey, from }) => ({
      ...resendChannel({ apiKey, from, baseUrl: resendUrl }),
      credential: sandboxFingerprint,
    }),
    // All keys of the stand-in belong to one account, so a call means the same under each of them.
    billing: (apiKey) => ({
      provider: stripeProvider({ apiKey, apiBase: base, isStandIn: true }),
      fingerprint: sandboxFingerprint,
      retryDelayMs: sandboxAgainMs,
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
