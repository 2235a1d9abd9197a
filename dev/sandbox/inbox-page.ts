import { escapeHtml } from '../../src/text/escape.ts'
import { limits } from '../../src/limits.ts'
import type { Mailbox, SandboxMessage } from './message-store.ts'
import { sandboxPage } from './sandbox-page.ts'
import { hasButtons, slackAttachments, slackBlocks } from './slack/blocks.ts'
import { buttonsOf, cardHtml } from './teams/adaptive-card.ts'
import type { StripeOperation } from './stripe/store.ts'

export interface Inbox {
  messages: SandboxMessage[]
  operations: StripeOperation[]
  mailboxes: Mailbox[]
  /** The mailbox that is shown; undefined: all. */
  mailbox: string | undefined
  consoleUrl: string | undefined
  isReloading: boolean
}

/**
 * The page with the messages that would have been delivered and the operations that would have moved money. Texts are
 * escaped; links can be followed.
 */
export function inboxPage(inbox: Inbox): string {
  const { messages, operations, consoleUrl, isReloading } = inbox
  return sandboxPage(
    'Sandbox messages',
    `<p class="notice" role="note">Sandbox: nothing left this machine. Anyone on this machine can read every mailbox, so consent given here proves nothing.</p>
${bar(inbox)}
${operations.length === 0 ? '' : operationsSection(operations)}
${messages.length === 0 ? empty(inbox) : ''}
${messages.map((message) => messageArticle(message, rowLink(message, consoleUrl))).join('\n')}`,
    isReloading ? limits.sandboxReloadSeconds : undefined,
  )
}

/** The filter by mailbox, and where to go from here. */
function bar({ mailboxes, mailbox, consoleUrl, isReloading }: Inbox): string {
  const total = mailboxes.reduce((sum, { count }) => sum + count, 0)
  const option = (value: string, label: string, count: number) =>
    `<option value="${escapeHtml(value)}"${value === (mailbox ?? '') ? ' selected' : ''}>${escapeHtml(label)} (${count})</option>`
  const here = new URLSearchParams(mailbox === undefined ? {} : { mailbox })
  if (!isReloading) here.set('refresh', '1')
  const filter = `<form method="get" action="/">
<label>Mailbox <select name="mailbox">
${option('', 'All mailboxes', total)}
${mailboxes.map(({ to, channel, count }) => option(to, `${channelName[channel]}: ${to}`, count)).join('\n')}
</select></label>
<button>Show</button>
</form>`
  return `<div class="bar">
${mailboxes.length === 0 ? '' : filter}
<a href="/?${escapeHtml(here.toString())}">${isReloading ? 'Stop reloading' : `Reload every ${limits.sandboxReloadSeconds} seconds`}</a>
${consoleUrl === undefined ? '' : `<a href="${escapeHtml(consoleUrl)}">Open the console</a>`}
</div>`
}

function empty({ mailbox, consoleUrl }: Inbox): string {
  if (mailbox !== undefined)
    return `<p>No messages to ${escapeHtml(mailbox)}. <a href="/">Show all mailboxes</a></p>`
  const signIn =
    consoleUrl === undefined
      ? ''
      : ` or <a href="${escapeHtml(consoleUrl)}">sign in to the console</a>, which sends a link by mail`
  return `<p>No messages yet. Confirm a broadcast${signIn}. Then reload this page.</p>`
}

const channelName = {
  slack: 'Slack',
  email: 'E-mail',
  teams: 'Microsoft Teams',
  teams_bot: 'Bot in Microsoft Teams',
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
  return article(
    { what: operationNames[what], which: id, at },
    `<pre>${escapeHtml(text + given.join(''))}</pre>`,
  )
}

const operationNames: Record<StripeOperation['operation'], string> = {
  refund: 'Refund',
  payout: 'Payout',
  cancellation: 'Cancellation',
  checkout: 'Checkout',
}

/** @param links  HTML after the message */
export function messageArticle(message: SandboxMessage, links = ''): string {
  const { id, channel, to, subject, text, at, blocks, attachments, html } = message
  const heading = subject === undefined ? '' : `<h2>${escapeHtml(subject)}</h2>\n`
  const content =
    blocks === undefined
      ? pre(text)
      : channel === 'teams_bot'
        ? cardHtml(blocks, id)
        : slackBlocks(blocks, id)
  const asHtml = html === undefined ? '' : `<a href="/messages/${encodeURIComponent(id)}">Show as HTML</a>`
  const below = `${asHtml}${links}`
  const footer = below === '' ? '' : `\n<p class="links">${below.replace(/^ · /, '')}</p>`
  return article(
    { what: channelName[channel], which: `to ${to}`, at, id },
    `${heading}${content}${pressedLine(message)}${slackAttachments(attachments, id)}${footer}`,
  )
}

/** Until the gate has changed the message, nothing else shows that a press arrived. */
const pressedLine = ({ pressed, blocks }: SandboxMessage): string =>
  pressed === undefined || !(hasButtons(blocks) || buttonsOf(blocks).length > 0)
    ? ''
    : `\n<p role="status"><strong>${escapeHtml(pressed)}</strong> was pressed, and the gate took it. Reload to see the outcome.</p>`

/** A link to the action in the console, where the message carries its number. */
export function rowLink({ action }: SandboxMessage, consoleUrl: string | undefined): string {
  return action === undefined || consoleUrl === undefined
    ? ''
    : ` · <a href="${escapeHtml(consoleUrl)}/ledger/${action}">Action #${action} in the console</a>`
}

const pre = (text: string) => `<pre>${withLinks(escapeHtml(text))}</pre>`

interface Headline {
  what: string
  which: string
  at: string
  /** The element that the page returns to after a press. */
  id?: string
}

/** @param content  HTML */
export function article({ what, which, at, id }: Headline, content: string): string {
  return `<article${id === undefined ? '' : ` id="${escapeHtml(id)}"`}>
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
