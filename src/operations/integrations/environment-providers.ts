import type { Deps } from '../../deps.ts'
import type { StandIn } from '../../integrations/account-words.ts'
import type { IntegrationProvider } from '../../gate/integration-provider.ts'

/** What is used for a provider that an account has not connected: `null` where nothing is. */
export async function environmentProviders(
  { config, isSandbox, environmentBilling }: Pick<Deps, 'config' | 'isSandbox' | 'environmentBilling'>,
  account: string,
): Promise<Record<IntegrationProvider, StandIn>> {
  const of = (provided: unknown): StandIn =>
    isSandbox ? 'sandbox' : provided === undefined ? null : 'environment'
  const mail = of(config.RESEND_API_KEY ?? config.SMTP_URL)
  return {
    slack: of(config.SLACK_BOT_TOKEN),
    resend: mail,
    smtp: mail,
    // A room and a bot belong to one account.
    teams: null,
    teams_bot: null,
    stripe: of(await environmentBilling(account)),
  }
}
