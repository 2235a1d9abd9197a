import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import type { IntegrationProvider } from '../../gate/integration-provider.ts'

/**
 * Whether this service can keep a credential of that provider.
 * @throws GateError `conflict` with what its operator has to set
 */
export function requireConnectPrerequisites(deps: Deps, provider: IntegrationProvider): void {
  if (!deps.secretsKeys) {
    throw new GateError(
      'conflict',
      'This service cannot keep credentials: whoever runs it has to set SECRETS_KEYS. Nothing was recorded.',
    )
  }
  if (provider === 'slack' && !deps.providers.slackApp) {
    throw new GateError(
      'conflict',
      'This service has no Slack app to install: whoever runs it has to set SLACK_CLIENT_ID and SLACK_CLIENT_SECRET. Nothing was recorded.',
    )
  }
}
