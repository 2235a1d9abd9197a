import { disconnectIntegration } from '../../db/queries/integrations/integrations.ts'
import { GateError } from '../../errors.ts'
import { type IntegrationProvider, providerName } from '../../gate/integration-provider.ts'
import { type AdminContext, writeOf } from '../admin-context.ts'
import { listConnected } from './list-connections.ts'

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

/** Reminds that disconnecting does not revoke the credential at the provider. */
export const revokeAtProviderSentence = (provider: IntegrationProvider): string =>
  `The credential still works at ${providerName[provider]} until you revoke it there.`
