import type { ConsentChannel } from '../gate/consent.ts'
import type { Notice } from '../providers/ports.ts'
import type { Card } from './card.ts'
import { decisionMail } from './decision-mail.ts'
import { chatCards } from './chat-cards.ts'

/**
 * The consent request to a member: in a chat the card with buttons, by e-mail the card and a link. Pure.
 * @param ask.token  goes into the buttons or the link
 * @param ask.url  the page of the link
 * @param ask.changeUrl  where the member changes it before they approve, in the console; absent: they can change nothing of it
 * @returns undefined where the card is too long for the chat
 */
export function decisionNotice(
  card: Card,
  ask: {
    via: ConsentChannel
    token: string
    url: string
    changeUrl?: string | undefined
    isReminder: boolean
    /** Why somebody else than its member is asked; absent: it is its member. */
    why?: string | undefined
  },
): Notice | undefined {
  const subject = `${ask.isReminder ? 'Reminder: approval' : 'Approval'} requested: ${card.title}`
  if (ask.via === 'email') {
    const opening = `${ask.isReminder ? 'You have not decided yet. ' : ''}${ask.why ?? intro}`
    return { subject, ...decisionMail(card, { url: ask.url, opening, closing: outroOf(ask) }) }
  }
  const { card: cardIn, buttons, line, link } = chatCards[ask.via]
  const blocks = cardIn(card)
  const change = ask.changeUrl === undefined ? [] : [link('Change it before you approve', ask.changeUrl)]
  const why = ask.why === undefined ? [] : [line(ask.why)]
  // Notifications show the text; the card is in the blocks.
  return blocks && { subject, text: subject, blocks: [...why, ...blocks, ...change, buttons(ask.token)] }
}

const intro = 'An agent that acts for you requests your decision. Nothing is executed before you decide.'
const outroOf = ({ changeUrl }: { changeUrl?: string | undefined }): string =>
  `Opening the link decides nothing. Its page has the buttons to approve or decline${changeUrl === undefined ? '' : ', and you can change it there before you approve'}. Anyone who has the link can decide in your name, so do not share it.`
