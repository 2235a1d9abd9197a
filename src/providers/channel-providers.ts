import type { ChannelProvider } from './channel-provider.ts'
import { resend } from './resend/provider.ts'
import { slack } from './slack/provider.ts'
import { smtp } from './smtp/provider.ts'
import { teams } from './teams/provider.ts'
import { teamsBot } from './teams-bot/provider.ts'

/** The providers that deliver messages. All of them are used through this table alone. */
export const channelProviders = {
  slack,
  resend,
  smtp,
  teams,
  teams_bot: teamsBot,
} satisfies Record<string, ChannelProvider>

export type ChannelProviderName = keyof typeof channelProviders
export const channelProviderNames = Object.keys(channelProviders) as ChannelProviderName[]

/** The provider of a name as the port sees it; undefined where it delivers no messages. Pure. */
export const channelProviderOf = (name: string): ChannelProvider | undefined =>
  Object.entries<ChannelProvider>(channelProviders).find(([one]) => one === name)?.[1]
