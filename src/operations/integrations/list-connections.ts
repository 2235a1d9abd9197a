import { type IntegrationRow, listIntegrations } from '../../db/queries/integrations/integrations.ts'
import type { Deps } from '../../deps.ts'
import type { IntegrationProvider } from '../../gate/integration-provider.ts'
import { requireAccount } from '../require-account.ts'

const integrationsListedMax = 200

/** A connection without its secret: only what tells it apart from another. */
export interface IntegrationView {
  integration_id: string
  provider: IntegrationProvider
  state: IntegrationRow['state']
  last4: string | null
  team: string | null
  server: string | null
  room: string | null
  tenant: string | null
  app_id: string | null
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
  return (await listIntegrations(db, account, integrationsListedMax)).map(view)
}

function view(row: IntegrationRow): IntegrationView {
  const { integration_id, provider, state, settings, connected_at, disconnected_at, by } = row
  return {
    integration_id,
    provider,
    state,
    last4: settings.last4 ?? null,
    team: settings.team ?? null,
    server: settings.server ?? null,
    room: settings.room ?? null,
    tenant: settings.tenant ?? null,
    app_id: settings.app_id ?? null,
    sender: settings.from ?? null,
    connected_at,
    disconnected_at,
    by,
    sandbox: settings.sandbox ?? false,
  }
}
