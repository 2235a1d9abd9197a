import type { ConsentChannel } from '../gate/consent.ts'
import type { Notice } from '../providers/ports.ts'
import type { Card } from './card.ts'
import { decisionMail } from './decision-mail.ts'
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
    const opening = `${ask.isReminder ? 'You have not decided yet. ' : ''}${intro}`
    return { subject, ...decisionMail(card, { url: ask.url, opening, closing: outro }) }
  }
  const blocks = slackCard(card)
  // Notifications show the text; the card is in the blocks.
  return blocks && { subject, text: subject, blocks: [...blocks, slackButtons(ask.token)] }
}

const intro = 'An agent that acts for you requests your decision. Nothing is executed before you decide.'
const outro =
  'Opening the link decides nothing. Its page has the buttons to approve or decline. Anyone who has the link can decide in your name, so do not share it.'
