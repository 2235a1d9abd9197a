import { z } from 'zod'
import { type IntegrationRow, disconnectIntegration, listIntegrations } from '../db/queries/integrations.ts'
import { GateError } from '../errors.ts'
import { integrationProviders, providerName } from '../integrations/provider.ts'
import { adminEvent } from '../ledger/admin-event.ts'
import { limits } from '../limits.ts'
import { requireAccount } from '../operations/admin/found.ts'
import { accountId } from '../operations/admin/fields.ts'
import { defineVerb, required } from './verb.ts'

const account = required('ACCOUNT', accountId)
const provider = required(
  'PROVIDER',
  z.enum(integrationProviders, `must be one of ${integrationProviders.join(', ')}`),
)

export const integrationVerbs = {
  list: defineVerb({
    summary: 'Show what an account has connected, without its secrets',
    options: { account },
    async run(context, given) {
      await requireAccount(context.db(), given.account)
      return (await listIntegrations(context.db(), given.account, limits.integrationsListedMax)).map(view)
    },
  }),

  disconnect: defineVerb({
    summary: "Delete the credential of a provider: from then on the environment's is used",
    options: { account, provider },
    async run(context, given) {
      const db = context.db()
      await requireAccount(db, given.account)
      const rows = await listIntegrations(db, given.account, limits.integrationsListedMax)
      const found = rows.find((row) => row.provider === given.provider && row.state === 'connected')
      const isDone =
        found !== undefined &&
        (await disconnectIntegration(db, {
          account: given.account,
          integrationId: found.integration_id,
          event: adminEvent.integrationDisconnected(found.integration_id, given.provider),
        }))
      const name = providerName[given.provider]
      if (!isDone) throw new GateError('not_found', `${given.account} has not connected ${name}.`)
      context.say(`Deleted here. At ${name} the credential goes on working until it is revoked there.`)
      return { integration_id: found.integration_id, provider: given.provider, state: 'disconnected' }
    },
  }),
}

function view({
  integration_id,
  provider,
  state,
  settings,
  connected_at,
  disconnected_at,
  by,
}: IntegrationRow) {
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
