/** The providers that an account can connect with its own credential. */
export const integrationProviders = ['slack', 'resend', 'smtp', 'teams', 'teams_bot', 'stripe'] as const
export type IntegrationProvider = (typeof integrationProviders)[number]

/** The display name of each provider. */
export const providerName: Record<IntegrationProvider, string> = {
  slack: 'Slack',
  resend: 'Resend',
  smtp: 'SMTP',
  teams: 'Microsoft Teams',
  teams_bot: 'Microsoft Teams bot',
  stripe: 'Stripe',
}

/**
 * What a provider is used for: an account has one connection of each use, and connecting another replaces it. The same as
 * gate_private.use_of in the database.
 */
export const useOf = (provider: string): string =>
  provider === 'resend' || provider === 'smtp' ? 'email' : provider

/** The public settings of a connection. */
export interface IntegrationSettings {
  /** Created in the sandbox: not used by processes that reach the real provider. */
  sandbox?: true
  /** The last four characters of a key. */
  last4?: string
  /** A mail server: its host and port, and who signs in. Teams: the host of the workflow. */
  server?: string
  user?: string
  /** Teams: what people call the room. */
  room?: string
  /** The bot in Teams: its tenant, and the id of its app. */
  tenant?: string
  app_id?: string
  /** Mail: the sender. */
  from?: string
  /** Stripe: the account of the key, if the key can read it. */
  account?: string
  account_name?: string
  /** Stripe: the page that checkout customers return to; absent: our own page. */
  return_url?: string
  /** Slack: the workspace. */
  team_id?: string
  team?: string
  bot_user_id?: string
}
