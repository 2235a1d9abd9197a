import type { Logger } from 'pino'
import type { Db } from '../db/connect.ts'
import { type ConnectedIntegration, readConnected } from '../db/queries/integrations/integrations.ts'
import { GateError } from '../errors.ts'
import type { Channel } from '../gate/reach.ts'
import { limits } from '../limits.ts'
import { type BillingAccess, sandboxFingerprint } from '../providers/billing.ts'
import type { DeliveryChannel, UnreadableChannel } from '../providers/ports.ts'
import type { ProviderFactory } from '../providers/provider-factory.ts'
import type { KeyProvider } from '../secrets/key-provider.ts'
import { open } from '../secrets/seal.ts'
import { type IntegrationProvider, providerName } from '../gate/integration-provider.ts'

/** The providers that accounts connected themselves, opened with their own credentials and kept as long as these hold. */
export interface CredentialCache {
  /** The channels of an account as of a version of its connections, as facts and executions tell it. */
  channels(account: string, version: number): Promise<AccountChannels>
  /**
   * Its payment provider as of now, by a look at the version; undefined where it connected none.
   * @throws GateError `unavailable` where its credential cannot be opened: never falls back to another
   */
  billing(account: string): Promise<BillingAccess | undefined>
}

/** By name. A channel that is not there was not connected. */
export type AccountChannels = Partial<Record<Channel, DeliveryChannel | UnreadableChannel>>

type Own = { channel?: DeliveryChannel; billing?: BillingAccess }
/** A connection, and what it is used as; undefined where it could not be opened. */
type Opened = { id: string; provider: IntegrationProvider; use: Own | undefined }
type Kept = { version: number; opened: Opened[] }

export function credentialCache(options: {
  db: Db
  keys: KeyProvider | undefined
  providers: ProviderFactory
  log: Pick<Logger, 'error'>
}): CredentialCache {
  const { db, keys, providers, log } = options
  const kept = new Map<string, Kept>()
  const turns = new Map<string, Promise<Kept>>()

  async function load(account: string): Promise<Kept> {
    const known = kept.get(account)
    // What could not be opened is tried again: its key may be given later.
    const knownVersion = known && isWhole(known) ? known.version : 0
    const { version, integrations } = await readConnected(db, account, knownVersion)
    if (version !== knownVersion) return inTurn(account, () => openAll(account, version, integrations))
    if (!known || version === 0) return { version, opened: [] }
    return keep(account, kept.get(account) ?? known)
  }

  /** One after the other, so that what several ask for at once is opened once: each channel has its own rate limit. */
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
    // What was made in the sandbox reaches nobody; what was made outside must not be reached from inside it.
    const ours = integrations.filter(({ settings }) => (settings.sandbox ?? false) === providers.isSandbox)
    const opened = await Promise.all(
      ours.map(
        (one) =>
          known?.opened.find(({ id, use }) => id === one.integrationId && use) ?? openOne(account, one),
      ),
    )
    return keep(account, { version, opened })
  }

  /** Keeps it as the last that is forgotten. */
  function keep(account: string, opened: Kept): Kept {
    kept.delete(account)
    kept.set(account, opened)
    if (kept.size > limits.accountsOpenedMax) kept.delete(kept.keys().next().value!)
    return opened
  }

  async function openOne(account: string, one: ConnectedIntegration): Promise<Opened> {
    const { integrationId: id, provider } = one
    try {
      return { id, provider, use: useOf(providers, one, await secretOf(account, one)) }
    } catch (error) {
      log.error({ err: error, account, integration: id }, 'a credential cannot be opened')
      return { id, provider, use: undefined }
    }
  }

  async function secretOf(
    account: string,
    { integrationId, secrets }: ConnectedIntegration,
  ): Promise<string> {
    const [sealed] = secrets
    if (!keys) throw new Error('SECRETS_KEYS is not set, and an account has connected a provider')
    if (!sealed) throw new Error('a connection without its secret')
    return open(keys, { account, integration: integrationId, field: sealed.field }, sealed)
  }

  return {
    async channels(account, version) {
      if (version === 0) return {}
      const known = kept.get(account)
      const isCurrent = known?.version === version && isWhole(known)
      const { opened } = isCurrent ? keep(account, known) : await load(account)
      return Object.fromEntries(
        opened.flatMap(({ provider, use }) => {
          const channel = channelOf[provider]
          return channel ? [[channel, use?.channel ?? { unreadable: unreadable(provider) }]] : []
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

const isWhole = ({ opened }: Kept) => opened.every(({ use }) => use !== undefined)

const channelOf: Record<IntegrationProvider, Channel | undefined> = {
  slack: 'slack',
  resend: 'email',
  stripe: undefined,
}

const unreadable = (provider: IntegrationProvider) =>
  new GateError(
    'unavailable',
    `The ${providerName[provider]} credential of this account cannot be opened. Ask whoever runs the service: the log says why.`,
    60,
  )

function useOf(providers: ProviderFactory, one: ConnectedIntegration, secret: string): Own {
  const { provider, settings, fingerprint } = one
  // The same key may be the real one of another time: what it was used for here reached nobody.
  const credential = providers.isSandbox ? `${sandboxFingerprint} ${fingerprint}` : fingerprint
  switch (provider) {
    case 'slack':
      return { channel: { ...providers.slack(secret), credential } }
    case 'resend':
      return { channel: { ...providers.email({ apiKey: secret, from: settings.from! }), credential } }
    case 'stripe':
      return {
        billing: {
          ...providers.billing(secret),
          ...(settings.return_url === undefined ? {} : { returnUrl: settings.return_url }),
        },
      }
  }
}
