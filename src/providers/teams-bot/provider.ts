import type { ChannelProvider, Place, Sender } from '../channel-provider.ts'
import { readBot } from './bot.ts'
import { teamsBotChannel } from './channel.ts'
import { askGuarded, askStandIn, connector, failureOf } from './connector.ts'
import { microsoft, standIn } from './place.ts'

/** Asks members in Microsoft Teams, by the bot that an account connected. The service has no bot of its own. */
export const teamsBot: ChannelProvider = {
  channel: 'teams_bot',
  ofEnvironment: () => undefined,
  open: (sender, place) => teamsBotChannel(readBot(sender.secret), connectorOf(sender, place)),
  async check(sender, place) {
    try {
      await connectorOf(sender, place).token()
      return 'ok'
    } catch (error) {
      const { code, isFinal } = failureOf(error)
      return isFinal ? { refused: code } : { unavailable: code }
    }
  },
}

const connectorOf = ({ secret, account = '' }: Sender, { sandboxUrl, network }: Place) =>
  connector(
    readBot(secret),
    sandboxUrl === undefined ? microsoft : standIn(sandboxUrl),
    sandboxUrl === undefined ? askGuarded(network, account) : askStandIn,
  )
