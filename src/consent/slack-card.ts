import { escapeSlackText } from '../text/escape.ts'
import { type Card, cardText } from './card.ts'
import { limits } from '../limits.ts'

type Block = Record<string, unknown>

export const slackAction = { approve: 'gate_approve', decline: 'gate_decline' } as const

/**
 * The card as plain-text blocks, without markup and without loss. Pure.
 * @returns undefined where it is too long for Slack
 * @source Slack: 3,000 characters a text, 50 blocks; more than about 13,000 in all is `msg_blocks_too_long`
 */
export function slackCard(card: Card): Block[] | undefined {
  const pieces = splitText(cardText(card))
  const chars = pieces.reduce((sum, { length }) => sum + length, 0)
  return pieces.length > limits.slackBlocksMax || chars > limits.slackMessageCharsMax
    ? undefined
    : pieces.map(section)
}

/** The two buttons below a card. A click returns the `token`. Pure. */
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
          text: plain('This runs immediately, exactly as shown. This cannot be undone.'),
          confirm: plain('Approve'),
          deny: plain('Go back'),
        },
      },
      button('Decline', slackAction.decline, token),
    ],
  }
}

/** A line written by the gate. Pure. */
export const slackLine = (text: string): Block => section(escapeSlackText(text))

const plain = (text: string) => ({ type: 'plain_text', text, emoji: false })
const section = (text: string): Block => ({ type: 'section', text: plain(text) })
const button = (label: string, actionId: string, value: string): Block => ({
  type: 'button',
  text: plain(label),
  action_id: actionId,
  value,
})

/**
 * Splits a text at line ends where possible, never within a character or an entity. The line break of a split is
 * dropped.
 */
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
    if (longer.length <= limits.slackBlockCharsMax) {
      piece = longer
      continue
    }
    push()
    for (const character of line) {
      const next = escapeSlackText(character)
      if ((piece?.length ?? 0) + next.length > limits.slackBlockCharsMax) push()
      piece = (piece ?? '') + next
    }
  }
  push()
  return pieces
}
