import { escapeHtml } from '../../providers/escape.ts'
import type { SandboxMessage } from './message-store.ts'

/** The page that shows what the sandbox would have delivered. Every text is shown as characters, links may be followed. */
export function inboxPage(messages: SandboxMessage[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Sandbox messages</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>Sandbox messages</h1>
<p class="notice" role="note">Sandbox: nothing left this machine, and consent here proves nothing:
whoever is on this machine can read every mailbox.</p>
${messages.length === 0 ? '<p>No messages yet. Newest messages will appear first; reload to see them.</p>' : ''}
${messages.map(article).join('\n')}
</main>
</body>
</html>
`
}

function article({ channel, to, subject, text, at }: SandboxMessage): string {
  const heading = subject === undefined ? '' : `\n<h2>${escapeHtml(subject)}</h2>`
  return `<article>
<p class="to"><strong>${channel === 'slack' ? 'Slack' : 'E-mail'}</strong> to ${escapeHtml(to)}
<time datetime="${escapeHtml(at)}">${escapeHtml(at.replace('T', ' ').slice(0, 19))} UTC</time></p>${heading}
<pre>${withLinks(escapeHtml(text))}</pre>
</article>`
}

/** After escaping, an address ends before the first character that could end an attribute. */
function withLinks(escaped: string): string {
  return escaped.replace(
    /\bhttps?:\/\/(?:(?!&(?:lt|gt|quot|#39);)[^\s<>"'])+/g,
    (url) => `<a href="${url}" rel="noreferrer noopener">${url}</a>`,
  )
}

const style = `
:root { color-scheme: light dark }
body { margin: 0; font: 1rem/1.5 system-ui, sans-serif }
main { max-width: 46rem; margin: 0 auto; padding: 1.5rem }
.notice { padding: .75rem 1rem; border-left: .3rem solid #b45309; background: #b4530922 }
article { margin: 1rem 0; padding: .75rem 1rem; border: 1px solid #8886; border-radius: .5rem }
h1 { font-size: 1.5rem } h2 { font-size: 1rem; margin: .25rem 0 }
.to { margin: 0; overflow-wrap: anywhere } time { float: right }
pre { margin: .5rem 0 0; white-space: pre-wrap; overflow-wrap: anywhere; font: inherit }
`
