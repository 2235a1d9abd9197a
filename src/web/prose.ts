import { type Html, html } from './html.ts'

/**
 * A sentence as markup: what stands between backticks becomes code. The sentences of errors and denials are written once,
 * and Slack and mails show them as they are. Pure.
 */
export function prose(sentence: string): Html {
  const parts = sentence.split(/`([^`]+)`/)
  return html`${parts.map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))}`
}
