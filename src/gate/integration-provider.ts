/** What an account can connect with a credential of its own. */
export const integrationProviders = ['slack', 'resend', 'stripe'] as const
export type IntegrationProvider = (typeof integrationProviders)[number]

/** As people call it. */
export const providerName: Record<IntegrationProvider, string> = {
  slack: 'Slack',
  resend: 'Resend',
  stripe: 'Stripe',
}

/** What of a connection may be shown, and what is needed to use it beside its secret. */
export interface IntegrationSettings {
  /** Made against the stand-in: used by no process that reaches the real provider. */
  sandbox?: true
  /** Of a key. */
  last4?: string
  /** Of Resend: the sender. */
  from?: string
  /** Of Stripe: whose account the key is of, where the key may read that. */
  account?: string
  account_name?: string
  /** Of Stripe: where a checkout's customer comes back to; absent: our own page. */
  return_url?: string
  /** Of Slack: the workspace. */
  team_id?: string
  team?: string
  bot_user_id?: string
}
