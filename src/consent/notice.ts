import type { ConsentChannel } from '../gate/consent.ts'
import type { Notice } from '../providers/ports.ts'
import { type Card, cardText } from './card.ts'
import { slackButtons, slackCard } from './slack-card.ts'

/**
 * What a member is sent who is to decide: in Slack the card with its buttons, by e-mail the card and a link. Pure.
 * @param ask.token  goes into the buttons, or into the link
 * @param ask.url  of the page of the link
 * @returns undefined where Slack would not take the card whole
 */
export function decisionNotice(
  card: Card,
  ask: { via: ConsentChannel; token: string; url: string; isReminder: boolean },
): Notice | undefined {
  const subject = `${ask.isReminder ? 'Reminder: your' : 'Your'} decision is needed: ${card.title}`
  if (ask.via === 'email') {
    const text = `${ask.isReminder ? 'You have not decided yet. ' : ''}${intro}\n\n${cardText(card)}\n\n${outro}`
    return { subject, text, link: { label: 'Look at it and decide', url: ask.url } }
  }
  const blocks = slackCard(card)
  // The text is what a notification shows: the card is in the blocks.
  return blocks && { subject, text: subject, blocks: [...blocks, slackButtons(ask.token)] }
}

const intro = 'An agent that acts for you asks for your decision. Nothing is done before you decide.'
const outro =
  'Opening the link decides nothing: its page has a button for each answer. Whoever has the link can decide in your name, so do not pass it on.'
