import type { MessageToFreeze } from '../ports.ts'

/** Lines of a message that stand in a block of their own; later ones share the last. */
const linesMax = 60

/**
 * The body of a request that posts a message to a workflow. The text is shown as it is: runs of text know no Markdown,
 * mentions or markup, so no message can look like the gate's own words. Pure.
 * @source https://learn.microsoft.com/microsoftteams/platform/task-modules-and-cards/cards/cards-format (Markdown: TextBlock
 * and facts only); https://learn.microsoft.com/connectors/teams/ (attachments of the webhook trigger)
 */
export function postOf({ text, proposerName }: Pick<MessageToFreeze, 'text' | 'proposerName'>): string {
  const lines = text.split('\n')
  const blocks = [...lines.slice(0, linesMax - 1), lines.slice(linesMax - 1).join('\n')].slice(
    0,
    lines.length,
  )
  return JSON.stringify({
    type: 'message',
    attachments: [
      adaptiveCard([
        textBlock(`Message from ${proposerName.replaceAll(/\s+/g, ' ')}`, { weight: 'Bolder' }),
        ...blocks.map((line, n) => textBlock(line, {}, n === 0 ? 'Default' : 'None')),
      ]),
    ],
  })
}

/** A card as an attachment of a message. Pure. */
export const adaptiveCard = (body: Record<string, unknown>[]) => ({
  contentType: 'application/vnd.microsoft.card.adaptive',
  content: {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    body,
  },
})

/** One line, shown as it is. An empty one keeps its height by a space. Pure. */
export const textBlock = (
  text: string,
  look: Record<string, string | boolean> = {},
  spacing = 'Default',
) => ({
  type: 'RichTextBlock',
  spacing,
  inlines: [{ type: 'TextRun', text: text === '' ? ' ' : text, ...look }],
})
