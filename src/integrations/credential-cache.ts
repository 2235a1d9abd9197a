import type { Logger } from 'pino'
import type { Db } from '../db/connect.ts'
import { type ConnectedIntegration, readConnected } from '../db/queries/integrations/integrations.ts'
import { GateError } from '../errors.ts'
import { limits } from '../limits.ts'
import { type BillingAccess, sandboxFingerprint } from '../providers/billing.ts'
import { channelProviderOf } from '../providers/channel-providers.ts'
import type { ChannelUse, DeliveryChannel, UnreadableChannel } from '../providers/ports.ts'
import type { ProviderFactory } from '../providers/provider-factory.ts'
import type { KeyProvider } from '../secrets/key-provider.ts'
import { open } from '../secrets/seal.ts'
import { type IntegrationProvider, providerName } from '../gate/integration-provider.ts'

/** A cache of the providers that accounts connected, opened with their own credentials. */
export interface CredentialCache {
  /** The channels of an account at a version of its connections. */
  channels(account: string, version: number): Promise<AccountChannels>
  /**
   * The current payment provider of an account, after checking the version; undefined if it connected none.
   * @throws GateError `unavailable` if the credential cannot be decrypted; never falls back to another credential
   */
  billing(account: string): Promise<BillingAccess | undefined>
}

/** By channel. An absent channel is not connected. */
export type AccountChannels = Partial<Record<ChannelUse, DeliveryChannel | UnreadableChannel>>

type Own = { channel?: DeliveryChannel; billing?: BillingAccess }
/** A connection and its use; `use` is undefined if the credential could not be decrypted. */
type Opened = { id: string; provider: IntegrationProvider; credential: string; use: Own | undefined }
type Kept = { version: number; opened: Opened[] }

interface CacheOptions {
  db: Db
  keys: KeyProvider | undefined
  providers: ProviderFactory
  log: Pick<Logger, 'error'>
}

export function credentialCache(options: CacheOptions): CredentialCache {
  const { db, providers } = options
  const kept = new Map<string, Kept>()
  const turns = new Map<string, Promise<Kept>>()

  async function load(account: string): Promise<Kept> {
    const known = kept.get(account)
    // Failed decryptions are retried, because the key may be added later.
    const knownVersion = known && isWhole(known) ? known.version : 0
    const { version, integrations } = await readConnected(db, account, knownVersion)
    if (version !== knownVersion) return inTurn(account, () => openAll(account, version, integrations))
    if (!known || version === 0) return { version, opened: [] }
    return keep(account, kept.get(account) ?? known)
  }

  /** Serializes loads of an account, so that each channel is opened once: it has its own rate limit. */
  function inTurn(account: string, work: () => Promise<Kept>): Promise<Kept> {
    const before = turns.get(account)
    const turn = before ? before.then(work, work) : work()
    const over = () => void (turns.get(account) === turn && turns.delete(account))
    turns.set(account, turn)
    turn.then(over, over)
    return turn
  }

  async function openAll(
    account: string,
    version: number,
    integrations: ConnectedIntegration[],
  ): Promise<Kept> {
    const known = kept.get(account)
    if (known?.version === version && isWhole(known)) return keep(account, known)
    // A sandbox connection cannot reach real providers, and the sandbox must not use real connections.
    const ours = integrations.filter(({ settings }) => (settings.sandbox ?? false) === providers.isSandbox)
    const opened = await Promise.all(
      ours.map(
        (one) =>
          known?.opened.find(({ id, use }) => id === one.integrationId && use) ??
          openOne(options, account, one),
      ),
    )
    return keep(account, { version, opened })
  }

  /** Caches it as the most recently used. */
  function keep(account: string, opened: Kept): Kept {
    kept.delete(account)
    kept.set(account, opened)
    if (kept.size > limits.accountsOpenedMax) kept.delete(kept.keys().next().value!)
    return opened
  }

  return {
    async channels(account, version) {
      if (version === 0) return {}
      const known = kept.get(account)
      const isCurrent = known?.version === version && isWhole(known)
      const { opened } = isCurrent ? keep(account, known) : await load(account)
      return Object.fromEntries(
        opened.flatMap(({ provider, credential, use }) => {
          const channel = channelProviderOf(provider)?.channel
          return channel ? [[channel, use?.channel ?? { unreadable: unreadable(provider), credential }]] : []
        }),
      )
    },
    async billing(account) {
      const { opened } = await load(account)
      const found = opened.find(({ provider }) => provider === 'stripe')
      if (found && !found.use) throw unreadable('stripe')
      return found?.use?.billing
    },
  }
}

async function openOne(options: CacheOptions, account: string, one: ConnectedIntegration): Promise<Opened> {
  const { integrationId: id, provider, fingerprint } = one
  // The same key may later be used outside the sandbox, so its sandbox use has another fingerprint.
  const credential = options.providers.isSandbox ? `${sandboxFingerprint} ${fingerprint}` : fingerprint
  try {
    const secret = await secretOf(options.keys, account, one)
    return { id, provider, credential, use: useOf(options.providers, account, one, { secret, credential }) }
  } catch (error) {
    options.log.error({ err: error, account, integration: id }, 'a credential could not be decrypted')
    return { id, provider, credential, use: undefined }
  }
}

/** Decrypts the credential of a connection. @throws Error where that cannot be done */
export async function secretOf(
  keys: KeyProvider | undefined,
  account: string,
  { integrationId, secrets }: ConnectedIntegration,
): Promise<string> {
  const [sealed] = secrets
  if (!keys) throw new Error('SECRETS_KEYS is not set, but an account has connected a provider')
  if (!sealed) throw new Error('the connection has no secret')
  return open(keys, { account, integration: integrationId, field: sealed.field }, sealed)
}

const isWhole = ({ opened }: Kept) => opened.every(({ use }) => use !== undefined)

const unreadable = (provider: IntegrationProvider) =>
  new GateError(
    'unavailable',
    `The ${providerName[provider]} credential of this account cannot be decrypted. Ask the operator of the service; the log has the reason.`,
    { retryAfterSeconds: 60 },
  )

function useOf(
  providers: ProviderFactory,
  account: string,
  { provider, settings }: ConnectedIntegration,
  { secret, credential }: { secret: string; credential: string },
): Own {
  if (provider !== 'stripe') {
    const channel = providers.channel(provider, { secret, from: settings.from, account })
    return { channel: { ...channel, credential } }
  }
  return {
    billing: {
      ...providers.billing(secret),
      ...(settings.return_url === undefined ? {} : { returnUrl: settings.return_url }),
    },
  }
}
