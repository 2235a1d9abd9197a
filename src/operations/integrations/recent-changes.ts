import type { Db } from '../../db/connect.ts'
import { readStripeChangedAt } from '../../db/queries/integrations/integrations.ts'
import { type IntegrationProvider, integrationProviders } from '../../gate/integration-provider.ts'
import { limits } from '../../limits.ts'
import type { IntegrationView } from './list-connections.ts'

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
