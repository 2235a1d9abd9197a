import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import type { IntegrationProvider } from '../../gate/integration-provider.ts'

/**
 * Checks that this service can store a credential of the provider.
 * @throws GateError `conflict` with the missing configuration
 */
export function requireConnectPrerequisites(deps: Deps, provider: IntegrationProvider): void {
  const obstacle = connectObstacle(deps, provider)
  if (obstacle !== undefined) throw new GateError('conflict', `${obstacle} Nothing was recorded.`)
}

/** The configuration that is missing to connect a provider, and what to do; undefined if nothing is. */
export function connectObstacle(deps: Deps, provider: IntegrationProvider): string | undefined {
  if (!deps.secretsKeys) return 'This service cannot store credentials. Its operator must set SECRETS_KEYS.'
  if (provider === 'slack' && !deps.providers.slackApp)
    return 'This service has no Slack app to install. Its operator must set SLACK_CLIENT_ID and SLACK_CLIENT_SECRET.'
  return undefined
}
