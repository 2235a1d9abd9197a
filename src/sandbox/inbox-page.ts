import { escapeHtml } from '../text/escape.ts'
import type { SandboxMessage } from './message-store.ts'
import { sandboxPage } from './sandbox-page.ts'
import { slackAttachments, slackBlocks } from './slack/blocks.ts'
import type { StripeOperation } from './stripe/store.ts'

/**
 * The page with the messages that would have been delivered and the operations that would have moved money. Texts are
 * escaped; links can be followed.
 */
export function inboxPage(messages: SandboxMessage[], operations: StripeOperation[]): string {
  return sandboxPage(
    'Sandbox messages',
    `<p class="notice" role="note">Sandbox: nothing left this machine. Anyone on this machine can read every mailbox, so consent given here proves nothing.</p>
${operations.length === 0 ? '' : operationsSection(operations)}
${messages.length === 0 ? '<p>No messages yet. Reload the page to see new messages.</p>' : ''}
${messages.map(message).join('\n')}`,
  )
}

function operationsSection(operations: StripeOperation[]): string {
  return `<section aria-labelledby="stripe">
<h2 id="stripe">Stripe: ${operations.length} ${operations.length === 1 ? 'operation' : 'operations'}, no real money moved</h2>
${operations.map(operation).join('\n')}
</section>
<h2>Messages</h2>`
}

function operation({ operation: what, id, text, metadata, at }: StripeOperation): string {
  const given = Object.entries(metadata).map(([name, value]) => `\n${name}: ${value}`)
  return article(operationNames[what], id, at, `<pre>${escapeHtml(text + given.join(''))}</pre>`)
}

const operationNames: Record<StripeOperation['operation'], string> = {
  refund: 'Refund',
  payout: 'Payout',
  cancellation: 'Cancellation',
  checkout: 'Checkout',
}

function message({ id, channel, to, subject, text, at, blocks, attachments }: SandboxMessage): string {
  const heading = subject === undefined ? '' : `<h2>${escapeHtml(subject)}</h2>\n`
  const content = blocks === undefined ? pre(text) : slackBlocks(blocks, id)
  const how = channel === 'slack' ? 'Slack' : 'E-mail'
  return article(how, `to ${to}`, at, `${heading}${content}${slackAttachments(attachments, id)}`)
}

const pre = (text: string) => `<pre>${withLinks(escapeHtml(text))}</pre>`

/** @param content  HTML */
function article(what: string, which: string, at: string, content: string): string {
  return `<article>
<p class="to"><strong>${what}</strong> ${escapeHtml(which)}
<time datetime="${escapeHtml(at)}">${escapeHtml(at.replace('T', ' ').slice(0, 19))} UTC</time></p>
${content}
</article>`
}

/** Turns URLs into links. After escaping, a URL ends before the first character that could end an attribute. */
function withLinks(escaped: string): string {
  return escaped.replace(
    /\bhttps?:\/\/(?:(?!&(?:lt|gt|quot|#39);)[^\s<>"'])+/g,
    (url) => `<a href="${url}" rel="noreferrer noopener">${url}</a>`,
  )
}
