import { escapeHtml } from '../../../src/text/escape.ts'

/** What is read of a block of an Adaptive Card. */
interface Block {
  type?: string
  style?: string
  inlines?: { text?: unknown }[]
  items?: Block[]
  actions?: Action[]
}

interface Action {
  type?: string
  title?: string
  verb?: string
  url?: string
  data?: unknown
  card?: { body?: Block[]; actions?: Action[] }
}

export interface CardButton {
  title: string
  verb: string
  data: unknown
}

const blocksIn = (blocks: unknown): Block[] => (Array.isArray(blocks) ? (blocks as Block[]) : [])

const line = ({ inlines = [] }: Block): string => inlines.map(({ text }) => String(text)).join('')

/** The texts of a card, a line each. */
export const cardText = (blocks: unknown): string =>
  blocksIn(blocks)
    .flatMap((block) => {
      if (block.type === 'Container') return [cardText(block.items)]
      return block.type === 'RichTextBlock' ? [line(block)] : []
    })
    .join('\n')

/** The buttons that are sent to the bot, also those behind another one. */
export const buttonsOf = (blocks: unknown): CardButton[] =>
  blocksIn(blocks).flatMap(({ type, actions = [] }) => (type === 'ActionSet' ? pressable(actions) : []))

const pressable = (actions: Action[]): CardButton[] =>
  actions.flatMap(({ type, title = '', verb, data, card }) => {
    if (type === 'Action.ShowCard') return pressable(card?.actions ?? [])
    return type === 'Action.Execute' && verb !== undefined ? [{ title, verb, data }] : []
  })

/**
 * Renders a card as Teams would: text without markup, and buttons that can be pressed.
 * @returns HTML
 */
export function cardHtml(blocks: unknown, messageId: string): string {
  const parts = blocksIn(blocks).map((block) => {
    if (block.type === 'Container') return `<pre class="quote">${escapeHtml(cardText(block.items))}</pre>`
    if (block.type === 'RichTextBlock') return `<p>${escapeHtml(line(block))}</p>`
    return (block.actions ?? []).map(linkHtml).join('')
  })
  const buttons = buttonsOf(blocks).map(
    ({ title, verb }) => `<button name="action" value="${escapeHtml(verb)}">${escapeHtml(title)}</button>`,
  )
  const form = `<form method="post" action="/teams-bot/press">
<input type="hidden" name="message" value="${escapeHtml(messageId)}">
${buttons.join('\n')}
</form>`
  return `${parts.join('\n')}${buttons.length === 0 ? '' : `\n${form}`}`
}

const linkHtml = ({ type, title = '', url = '' }: Action): string =>
  type === 'Action.OpenUrl' && /^https?:\/\//.test(url)
    ? `<p><a href="${escapeHtml(url)}" rel="noreferrer noopener">${escapeHtml(title)}</a></p>`
    : ''
