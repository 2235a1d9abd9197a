import type { Db } from '../../db/connect.ts'
import {
  type IntegrationRow,
  disconnectIntegration,
  listIntegrations,
  readStripeChangedAt,
} from '../../db/queries/integrations/integrations.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import type { StandIn } from '../../integrations/account-words.ts'
import {
  type IntegrationProvider,
  integrationProviders,
  providerName,
} from '../../gate/integration-provider.ts'
import { limits } from '../../limits.ts'
import { type AdminContext, writeOf } from './context.ts'
import { requireAccount } from '../require-account.ts'

/** A connection without its secret: only what tells it apart from another. */
export interface IntegrationView {
  integration_id: string
  provider: IntegrationProvider
  state: IntegrationRow['state']
  last4: string | null
  team: string | null
  sender: string | null
  connected_at: Date | null
  disconnected_at: Date | null
  /** Who connected it: its member, or `admin:` and an address. */
  by: string
  sandbox: boolean
}

/**
 * The connections of an account, those in use first, then the newest.
 * @throws GateError `not_found`
 */
export async function listConnected({ db }: Pick<Deps, 'db'>, account: string): Promise<IntegrationView[]> {
  await requireAccount(db, account)
  return (await listIntegrations(db, account, limits.integrationsListedMax)).map(view)
}

/**
 * Disconnects a provider and deletes its credential. The environment's provider is used from then on.
 * @throws GateError `not_found` where it is not connected
 */
export async function disconnect(
  context: AdminContext,
  provider: IntegrationProvider,
): Promise<{ integration_id: string; provider: IntegrationProvider; state: 'disconnected' }> {
  const { db, account } = context
  const connected = await listConnected({ db }, account)
  const found = connected.find((one) => one.provider === provider && one.state === 'connected')
  const isDone =
    found !== undefined &&
    (await disconnectIntegration(db, { ...writeOf(context), integrationId: found.integration_id }))
  if (!isDone) throw new GateError('not_found', `${providerName[provider]} is not connected to ${account}.`)
  return { integration_id: found.integration_id, provider, state: 'disconnected' }
}

/** A change of a provider within the last day. */
export interface RecentChange {
  provider: IntegrationProvider
  how: 'connected' | 'disconnected'
  at: Date
  /** Who connected it; null for a disconnection, which the ledger records. */
  by: string | null
  /** Until when moving money there requires the member's own consent; null where it does not. */
  guardedUntil: Date | null
}

/** The last change of each provider within a day. */
export async function recentChanges(
  db: Db,
  account: string,
  connections: IntegrationView[],
  now: Date = new Date(),
): Promise<RecentChange[]> {
  const stripeChangedAt = await readStripeChangedAt(db, account)
  const until = stripeChangedAt && new Date(stripeChangedAt.getTime() + limits.providerChangeGuardMs)
  return integrationProviders.flatMap((provider) => {
    const guardedUntil = provider === 'stripe' && until && until > now ? until : null
    const [last] = connections
      .filter((one) => one.provider === provider)
      .flatMap(({ connected_at: connected, disconnected_at: disconnected, by }) => [
        ...(connected ? [{ provider, how: 'connected' as const, at: connected, by, guardedUntil }] : []),
        ...(disconnected
          ? [{ provider, how: 'disconnected' as const, at: disconnected, by: null, guardedUntil }]
          : []),
      ])
      .toSorted((a, b) => b.at.getTime() - a.at.getTime())
    return last && now.getTime() - last.at.getTime() < limits.providerChangeGuardMs ? [last] : []
  })
}

/** Who changed a connection, for people: a member, or an administrator by their address. Pure. */
export const changedByWords = (by: string): string =>
  by.startsWith('admin:') ? `administrator ${by.slice('admin:'.length)}` : by

/** Reminds that disconnecting does not revoke the credential at the provider. */
export const revokeAtProviderSentence = (provider: IntegrationProvider): string =>
  `The credential still works at ${providerName[provider]} until you revoke it there.`

/** What is used for a provider that an account has not connected: `null` where nothing is. */
export async function environmentProviders(
  { config, isSandbox, environmentBilling }: Pick<Deps, 'config' | 'isSandbox' | 'environmentBilling'>,
  account: string,
): Promise<Record<IntegrationProvider, StandIn>> {
  const of = (provided: unknown): StandIn =>
    isSandbox ? 'sandbox' : provided === undefined ? null : 'environment'
  return {
    slack: of(config.SLACK_BOT_TOKEN),
    resend: of(config.RESEND_API_KEY),
    stripe: of(await environmentBilling(account)),
  }
}

function view(row: IntegrationRow): IntegrationView {
  const { integration_id, provider, state, settings, connected_at, disconnected_at, by } = row
  return {
    integration_id,
    provider,
    state,
    last4: settings.last4 ?? null,
    team: settings.team ?? null,
    sender: settings.from ?? null,
    connected_at,
    disconnected_at,
    by,
    sandbox: settings.sandbox ?? false,
  }
}
