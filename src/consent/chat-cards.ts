import type { ChatChannel } from '../gate/consent.ts'
import type { Card } from './card.ts'
import { slackButtons, slackCard, slackLine, slackLink } from './slack-card.ts'
import { teamsButtons, teamsCard, teamsLine, teamsLink } from './teams-card.ts'

type Block = Record<string, unknown>

/** How a consent request looks in a chat: blocks in its own form, which its channel sends as they are. Pure. */
export interface ChatCards {
  /** Undefined where it is too long for the chat: a card is never cut. */
  card(card: Card): Block[] | undefined
  /** The buttons below it, which carry the token. */
  buttons(token: string): Block
  line(text: string): Block
  link(text: string, url: string): Block
}

export const chatCards: Record<ChatChannel, ChatCards> = {
  slack: { card: slackCard, buttons: slackButtons, line: slackLine, link: slackLink },
  teams: { card: teamsCard, buttons: teamsButtons, line: teamsLine, link: teamsLink },
}
