import { textBlock } from '../providers/teams/card.ts'
import { unbroken } from '../text/quote-lines.ts'
import { type Card, factText } from './card.ts'
import { slackAction as verbs } from './slack-card.ts'

/** A card in Teams, whose messages have at most 28 KB: bytes and blocks without its buttons. */
const teamsBytesMax = 22_000
const teamsBlocksMax = 200

type Block = Record<string, unknown>

/**
 * The card as blocks of an Adaptive Card, without markup and without loss: runs of text know no Markdown. What an agent wrote stands
 * on a ground of its own. Pure.
 * @returns undefined where it is too long for Teams
 * @source https://learn.microsoft.com/microsoftteams/platform/task-modules-and-cards/cards/cards-format (Markdown: TextBlock and
 * facts only)
 */
export function teamsCard({ title, quotes, facts, details }: Card): Block[] | undefined {
  const quoted = quotes.flatMap(({ label, lines }) => [
    textBlock(label),
    { type: 'Container', style: 'emphasis', items: linesOf(unbroken(lines.join('\n'))) },
  ])
  const blocks = [
    textBlock(title, { weight: 'Bolder', size: 'Medium' }),
    ...quoted,
    ...linesOf(factText(facts)),
    ...linesOf(factText(details), { isSubtle: true }),
  ]
  const text = JSON.stringify(blocks)
  return text.split('"RichTextBlock"').length > teamsBlocksMax || Buffer.byteLength(text) > teamsBytesMax
    ? undefined
    : blocks
}

/** The two buttons below a card. A press returns the `token`. Approve asks once more. Pure. */
export function teamsButtons(token: string): Block {
  const press = (title: string, verb: string) => ({ type: 'Action.Execute', title, verb, data: { token } })
  return {
    type: 'ActionSet',
    actions: [
      {
        type: 'Action.ShowCard',
        title: 'Approve',
        card: {
          type: 'AdaptiveCard',
          body: [textBlock('This runs immediately, exactly as shown. This cannot be undone.')],
          actions: [press('Approve now', verbs.approve)],
        },
      },
      press('Decline', verbs.decline),
    ],
  }
}

/** A line written by the gate. Pure. */
export const teamsLine = (text: string): Block => textBlock(text)

/** A link. A press on it is not sent to the service. Pure. */
export const teamsLink = (text: string, url: string): Block => ({
  type: 'ActionSet',
  actions: [{ type: 'Action.OpenUrl', title: text, url }],
})

const linesOf = (text: string, look: Record<string, string | boolean> = {}): Block[] =>
  text === '' ? [] : text.split('\n').map((line, n) => textBlock(line, look, n === 0 ? 'Default' : 'None'))
