import { escapeHtml } from '../../src/text/escape.ts'
import { article, messageArticle, rowLink } from './inbox-page.ts'
import type { SandboxMessage } from './message-store.ts'
import { sandboxPage } from './sandbox-page.ts'

/** One message: a mail as its reader sees it, and its text version. */
export function messagePage(message: SandboxMessage, consoleUrl: string | undefined): string {
  const { id, to, subject, html, text, at } = message
  const back = `<p><a href="/">All messages</a> · <a href="/?mailbox=${encodeURIComponent(to)}">Messages to ${escapeHtml(to)}</a>${rowLink(message, consoleUrl)}</p>`
  if (html === undefined) return sandboxPage('Message', `${back}\n${messageArticle(message)}`)
  return sandboxPage(
    subject || 'Mail',
    `${back}
<h2 id="html">As HTML</h2>
<iframe src="/messages/${encodeURIComponent(id)}/html" sandbox="allow-popups allow-popups-to-escape-sandbox" title="The mail as HTML"></iframe>
<h2>As text</h2>
${article({ what: 'E-mail', which: `to ${to}`, at }, `<pre>${escapeHtml(text)}</pre>`)}`,
  )
}

/** The document of the frame. Its links open in a new tab: the frame itself may lead nowhere. */
export const mailHtml = (html: string): string =>
  `<!doctype html><meta charset="utf-8"><base target="_blank"><style>:root { color-scheme: light }</style>${html}`
