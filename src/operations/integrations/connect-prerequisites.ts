import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import type { IntegrationProvider } from '../../gate/integration-provider.ts'

/**
 * Checks that this service can store a credential of the provider.
 * @throws GateError `conflict` with the missing configuration
 */
export function requireConnectPrerequisites(deps: Deps, provider: IntegrationProvider): void {
  if (!deps.secretsKeys) {
    throw new GateError(
      'conflict',
      'This service cannot store credentials. Its operator must set SECRETS_KEYS. Nothing was recorded.',
    )
  }
  if (provider === 'slack' && !deps.providers.slackApp) {
    throw new GateError(
      'conflict',
      'This service has no Slack app to install. Its operator must set SLACK_CLIENT_ID and SLACK_CLIENT_SECRET. Nothing was recorded.',
    )
  }
}
