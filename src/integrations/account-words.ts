import {
  type IntegrationProvider,
  type IntegrationSettings,
  providerName,
  useOf,
} from '../gate/integration-provider.ts'

/** Whose credential is used for a provider that an account has not connected; `null`: none. */
export type StandIn = 'environment' | 'sandbox' | null

/** One line that identifies an account at a provider to people. Pure. */
export function accountWords(provider: IntegrationProvider, settings: IntegrationSettings): string {
  const {
    last4 = '????',
    from,
    server = 'unknown',
    user,
    room,
    team,
    team_id: teamId,
    account,
    account_name: name,
    tenant,
    app_id: app,
  } = settings
  const stripe =
    account === undefined ? 'key' : `account ${name === undefined ? '' : `“${name}”, `}${account}, key`
  const words = {
    slack: `Slack workspace ${team ?? teamId ?? 'without a name'}`,
    resend: `Resend key ending in ${last4}${from === undefined ? '' : `, sender ${from}`}`,
    smtp: `Mail server ${server}${user === undefined ? '' : `, user ${user}`}${from === undefined ? '' : `, sender ${from}`}`,
    teams: `Microsoft Teams room ${room === undefined ? 'without a name' : `“${room}”`}, by a workflow at ${server}`,
    teams_bot: `Microsoft Teams bot ${app} in the tenant ${tenant}`,
    stripe: `Stripe ${stripe} ending in ${last4}`,
  }
  return words[provider].replaceAll(/\p{Cc}+/gu, ' ')
}

/** What is used if an account has not connected a provider. Pure. */
export function standInWords(provider: IntegrationProvider, standIn: StandIn): string {
  const name = useOf(provider) === 'email' ? 'e-mail' : providerName[provider]
  if (standIn === null) return `none (${name} is not connected)`
  return standIn === 'sandbox'
    ? `the sandbox's ${name}`
    : name === 'e-mail'
      ? "the service's own e-mail"
      : `the service's own ${name} account`
}
