import type { Deps } from '../../deps.ts'
import { type ConsentChannel, consentChannels } from '../../gate/consent.ts'

/**
 * The channels by which members of an account can be asked: Slack where answers can be verified, the bot in Teams that it
 * connected, and the service's own e-mail.
 * An e-mail account that was connected is not used: its owner can read what it sends.
 */
export async function waysToAsk(
  deps: Deps,
  account: string,
  integrationsVersion: number,
): Promise<ConsentChannel[]> {
  const there = await deps.channelsOf(account, integrationsVersion)
  const isVerifiable = deps.providers.slackSigningSecret !== undefined
  const usable = {
    slack: isVerifiable && there.slack !== undefined,
    teams: there.teams_bot !== undefined,
    email: deps.ownEmail !== undefined,
  }
  return consentChannels.filter((way) => usable[way])
}
