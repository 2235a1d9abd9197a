import { escapeSlackText } from '../text/escape.ts'
import { unbroken } from '../text/quote-lines.ts'
import { type Card, factText } from './card.ts'

/** A card in Slack: characters of a block, blocks without the buttons, characters in all (not documented by Slack). */
const slackBlockCharsMax = 3_000
const slackBlocksMax = 40
const slackMessageCharsMax = 10_000

type Block = Record<string, unknown>

export const slackAction = { approve: 'gate_approve', decline: 'gate_decline' } as const

/**
 * The card as blocks, without markup and without loss. What an agent wrote stands in quotes of Slack, which have their bar beside
 * each row that a window makes of a line; everything else is plain text. Pure.
 * @returns undefined where it is too long for Slack
 * @source Slack: 3,000 characters a text, 50 blocks; more than about 11,000 in all can be `msg_blocks_too_long`
 * (slackapi/bolt-js#2867). `expand`: Slack folds nothing of it behind "see more"
 */
export function slackCard({ title, quotes, facts, details }: Card): Block[] | undefined {
  const own = (text: string) => splitText(text, escapeSlackText).map((piece) => ({ piece, as: section }))
  const pieces = [
    ...own(title),
    ...quotes.flatMap(({ label, lines }) => [
      ...own(label),
      ...splitText(unbroken(lines.join('\n'))).map((piece) => ({ piece, as: quote })),
    ]),
    ...own(factText(facts)),
    ...own(factText(details)),
  ]
  const chars = pieces.reduce((sum, { piece }) => sum + piece.length, 0)
  return pieces.length > slackBlocksMax || chars > slackMessageCharsMax
    ? undefined
    : pieces.map(({ piece, as }) => as(piece))
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

/** A line that is a link. A press on it is not sent to the service. Pure. */
export const slackLink = (text: string, url: string): Block => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_section', elements: [{ type: 'link', url, text }] }],
})

const plain = (text: string) => ({ type: 'plain_text', text, emoji: false })
const section = (text: string): Block => ({ type: 'section', text: plain(text), expand: true })
/** Its text is no markup: it is shown as it is, without entities. */
const quote = (text: string): Block => ({
  type: 'rich_text',
  elements: [{ type: 'rich_text_quote', elements: [{ type: 'text', text }] }],
})
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
function splitText(text: string, escape = (given: string) => given): string[] {
  const pieces: string[] = []
  let piece: string | undefined
  const push = () => {
    if (piece) pieces.push(piece)
    piece = undefined
  }
  for (const line of text.split('\n')) {
    const escaped = escape(line)
    const longer: string = piece === undefined ? escaped : `${piece}\n${escaped}`
    if (longer.length <= slackBlockCharsMax) {
      piece = longer
      continue
    }
    push()
    for (const character of line) {
      const next = escape(character)
      if ((piece?.length ?? 0) + next.length > slackBlockCharsMax) push()
      piece = (piece ?? '') + next
    }
  }
  push()
  return pieces
}
