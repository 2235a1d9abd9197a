import type { ConsentChannel } from '../gate/consent.ts'
import type { Notice } from '../providers/ports.ts'
import { type Card, cardText } from './card.ts'
import { slackButtons, slackCard } from './slack-card.ts'

/**
 * The consent request to a member: in Slack the card with buttons, by e-mail the card and a link. Pure.
 * @param ask.token  goes into the buttons or the link
 * @param ask.url  the page of the link
 * @returns undefined where the card is too long for Slack
 */
export function decisionNotice(
  card: Card,
  ask: { via: ConsentChannel; token: string; url: string; isReminder: boolean },
): Notice | undefined {
  const subject = `${ask.isReminder ? 'Reminder: approval' : 'Approval'} requested: ${card.title}`
  if (ask.via === 'email') {
    const text = `${ask.isReminder ? 'You have not decided yet. ' : ''}${intro}\n\n${cardText(card)}\n\n${outro}`
    return { subject, text, link: { label: 'Review and decide', url: ask.url } }
  }
  const blocks = slackCard(card)
  // Notifications show the text; the card is in the blocks.
  return blocks && { subject, text: subject, blocks: [...blocks, slackButtons(ask.token)] }
}

const intro = 'An agent that acts for you requests your decision. Nothing is executed before you decide.'
const outro =
  'Opening the link decides nothing. Its page has the buttons to approve or decline. Anyone who has the link can decide in your name, so do not share it.'
