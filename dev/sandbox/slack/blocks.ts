import { escapeHtml } from '../../../src/text/escape.ts'
import { renderSlackText } from './api.ts'

interface Text {
  text?: string
}
interface Button {
  type?: string
  action_id?: string
  value?: string
  text?: Text
  confirm?: { text?: Text }
}
interface Block {
  type?: string
  text?: Text
  elements?: Button[]
}

/**
 * Renders blocks as Slack would: escaped text, and buttons that can be pressed.
 * @returns HTML
 */
export function slackBlocks(blocks: unknown, messageId: string): string {
  if (!Array.isArray(blocks)) return ''
  return (blocks as Block[]).map((block) => shown(block, messageId)).join('\n')
}

function shown({ type, text, elements = [] }: Block, messageId: string): string {
  if (type === 'section') return `<pre>${escapeHtml(renderSlackText(text?.text ?? ''))}</pre>`
  if (type === 'context') return contextHtml(elements)
  if (type === 'rich_text') return quoteHtml(elements)
  if (type !== 'actions') return ''
  const buttons = elements.map(
    ({ action_id: action = '', text: label, confirm }) =>
      `<button name="action" value="${escapeHtml(action)}" title="${escapeHtml(confirm?.text?.text ?? '')}">${escapeHtml(label?.text ?? '')}</button>`,
  )
  return `<form method="post" action="/slack/press">
<input type="hidden" name="message" value="${escapeHtml(messageId)}">
${buttons.join('\n')}
</form>`
}

/** Quotes, whose text is no markup: entities are characters in them. */
const quoteHtml = (elements: object[]): string =>
  (elements as { elements?: Text[] }[])
    .map(({ elements: texts = [] }) => texts.map(({ text = '' }) => text).join(''))
    .map((text) => `<pre class="quote">${escapeHtml(text)}</pre>`)
    .join('\n')

/** Small text below a message. */
const contextHtml = (elements: object[]): string =>
  elements
    .map((element) => `<p><small>${escapeHtml(renderSlackText((element as Text).text ?? ''))}</small></p>`)
    .join('\n')

/** The attachments below a message, of which only blocks are rendered. */
export function slackAttachments(attachments: unknown, messageId: string): string {
  if (!Array.isArray(attachments)) return ''
  return (attachments as { blocks?: unknown }[])
    .map(({ blocks }) => slackBlocks(blocks, messageId))
    .join('\n')
}

/** The value of a message's button; undefined without such a button. */
export const valueOf = (blocks: unknown, actionId: string): string | undefined =>
  buttonOf(blocks, actionId)?.value

/** The text on a button. */
export const labelOf = (blocks: unknown, actionId: string): string =>
  buttonOf(blocks, actionId)?.text?.text ?? actionId

/** Whether a message has buttons. */
export const hasButtons = (blocks: unknown): boolean =>
  Array.isArray(blocks) && (blocks as Block[]).some(({ type }) => type === 'actions')

function buttonOf(blocks: unknown, actionId: string): Button | undefined {
  if (!Array.isArray(blocks)) return undefined
  return (blocks as Block[])
    .flatMap(({ type, elements = [] }) => (type === 'actions' ? elements : []))
    .find((element) => element?.action_id === actionId)
}
