import { escapeSlackText } from '../text/escape.ts'
import { type Card, cardText } from './card.ts'

type Block = Record<string, unknown>

/** Of one block, of their number with room for the buttons, and of a whole message: a bound that Slack does not document. */
const blockCharsMax = 3_000
const blocksMax = 40
const messageCharsMax = 12_000

export const slackAction = { approve: 'gate_approve', decline: 'gate_decline' } as const

/**
 * The card as blocks of plain text: nothing in it is markup, and none of it is lost. Pure.
 * @returns undefined where Slack would not take it whole
 * @source Slack: 3,000 characters a text, 50 blocks; more than about 13,000 in all is `msg_blocks_too_long`
 */
export function slackCard(card: Card): Block[] | undefined {
  const pieces = splitText(cardText(card))
  const chars = pieces.reduce((sum, { length }) => sum + length, 0)
  return pieces.length > blocksMax || chars > messageCharsMax ? undefined : pieces.map(section)
}

/** The two buttons below a card. `token` is all that a click brings back of ours. Pure. */
export function slackButtons(token: string): Block {
  return {
    type: 'actions',
    block_id: 'gate_decision',
    elements: [
      {
        ...button('Approve', slackAction.approve, token),
        style: 'primary',
        confirm: {
          title: plain('Approve?'),
          text: plain('It is done at once, and exactly as shown.'),
          confirm: plain('Approve'),
          deny: plain('Look again'),
        },
      },
      button('Decline', slackAction.decline, token),
    ],
  }
}

/** One line of ours. Pure. */
export const slackLine = (text: string): Block => section(escapeSlackText(text))

const plain = (text: string) => ({ type: 'plain_text', text, emoji: false })
const section = (text: string): Block => ({ type: 'section', text: plain(text) })
const button = (label: string, actionId: string, value: string): Block => ({
  type: 'button',
  text: plain(label),
  action_id: actionId,
  value,
})

/** Cuts at line ends where it can, never within a character or an entity. A cut at a line end takes the line break along. */
function splitText(text: string): string[] {
  const pieces: string[] = []
  let piece: string | undefined
  const push = () => {
    if (piece) pieces.push(piece)
    piece = undefined
  }
  for (const line of text.split('\n')) {
    const escaped = escapeSlackText(line)
    const longer: string = piece === undefined ? escaped : `${piece}\n${escaped}`
    if (longer.length <= blockCharsMax) {
      piece = longer
      continue
    }
    push()
    for (const character of line) {
      const next = escapeSlackText(character)
      if ((piece?.length ?? 0) + next.length > blockCharsMax) push()
      piece = (piece ?? '') + next
    }
  }
  push()
  return pieces
}
