import { type Logger } from 'pino'
import { type Db } from '../db/connect.ts'
import { type ConnectedIntegration, readConnected } from '../db/queries/integrations.ts'
import { GateError } from '../errors.ts'
import { type Channel } from '../gate/reach.ts'
import { limits } from '../limits.ts'
import { type BillingAccess } from '../providers/billing.ts'
import { type DeliveryChannel } from '../providers/ports.ts'
import { type ReachedProviders } from '../providers/reached.ts'
import { type KeyProvider } from '../secrets/key-provider.ts'
import { open } from '../secrets/seal.ts'
import { providerName } from './provider.ts'

/** The providers that accounts connected themselves, opened with their own credentials and kept as long as these hold. */
export interface OpenedIntegrations {
  /**
   * The channels of an account as of a version of its connections, as facts and executions tell it.
   * @throws GateError `unavailable` where a credential cannot be opened: never falls back to another
   */
  channels(account: string, version: number): Promise<Partial<Record<Channel, DeliveryChannel>>>
  /** Its payment provider as of now, by a look at the version; undefined where it connected none. Throws as `channels`. */
  billing(account: string): Promise<BillingAccess | undefined>
}

type Own = { channels: Partial<Record<Channel, DeliveryChannel>>; billing?: BillingAccess }
/** A connection, and what it is used as; undefined where it could not be opened. */
type Opened = { id: string; provider: ConnectedIntegration['provider']; use: Own | undefined }
type Kept = { version: number; opened: Opened[] }

export function openedIntegrations(options: {
  db: Db
  keys: KeyProvider | undefined
  providers: ReachedProviders
  log: Pick<Logger, 'error'>
}): OpenedIntegrations {
  const { db, keys, providers, log } = options
  const kept = new Map<string, Kept>()

  async function load(account: string): Promise<Kept> {
    const known = kept.get(account)
    const { version, integrations } = await readConnected(db, account, known?.version ?? 0)
    if (version === (known?.version ?? 0)) return known ?? { version, opened: [] }
    // What was made in the sandbox reaches nobody; what was made outside must not be reached from inside it.
    const ours = integrations.filter(({ settings }) => (settings.sandbox ?? false) === providers.isSandbox)
    const opened = await Promise.all(
      ours.map(
        (one) =>
          known?.opened.find(({ id, use }) => id === one.integrationId && use) ?? openOne(account, one),
      ),
    )
    const fresh = { version, opened }
    // What could not be opened is tried again: its key may be given later.
    if (opened.every(({ use }) => use)) keep(account, fresh)
    return fresh
  }

  function keep(account: string, fresh: Kept): void {
    kept.delete(account)
    kept.set(account, fresh)
    if (kept.size > limits.accountsOpenedMax) kept.delete(kept.keys().next().value!)
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
      const { opened } = known?.version === version ? known : await load(account)
      const used = opened.filter(({ provider }) => provider !== 'stripe').map(usable)
      return Object.assign({}, ...used.map(({ channels }) => channels))
    },
    async billing(account) {
      const { opened } = await load(account)
      const found = opened.find(({ provider }) => provider === 'stripe')
      return found && usable(found).billing
    },
  }
}

function usable({ provider, use }: Opened): Own {
  if (use) return use
  throw new GateError(
    'unavailable',
    `The ${providerName[provider]} credential of this account cannot be opened. Ask whoever runs the service: the log says why.`,
    60,
  )
}

function useOf(providers: ReachedProviders, one: ConnectedIntegration, secret: string): Own {
  const { provider, settings, fingerprint: credential } = one
  switch (provider) {
    case 'slack':
      return { channels: { slack: { ...providers.slack(secret), credential } } }
    case 'resend':
      return {
        channels: { email: { ...providers.email({ apiKey: secret, from: settings.from! }), credential } },
      }
    case 'stripe':
      return { channels: {}, billing: providers.billing(secret) }
  }
}
