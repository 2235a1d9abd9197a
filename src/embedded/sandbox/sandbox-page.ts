import type { FastifyReply } from 'fastify'
import { escapeHtml } from '../../providers/escape.ts'

/** Sends a page that runs nothing, is not stored, and tells no other site where it was opened. */
export function sendPage(reply: FastifyReply, page: string): void {
  void reply
    .headers({
      'Cache-Control': 'no-store',
      'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'",
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
    })
    .type('text/html; charset=utf-8')
    .send(page)
}

/** @param main  HTML. What comes from elsewhere is escaped by the caller. */
export function sandboxPage(title: string, main: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${escapeHtml(title)}</h1>
${main}
</main>
</body>
</html>
`
}

const style = `
:root { color-scheme: light dark }
body { margin: 0; font: 1rem/1.5 system-ui, sans-serif }
main { max-width: 46rem; margin: 0 auto; padding: 1.5rem }
.notice { padding: .75rem 1rem; border-left: .3rem solid #b45309; background: #b4530922 }
article { margin: 1rem 0; padding: .75rem 1rem; border: 1px solid #8886; border-radius: .5rem }
h1 { font-size: 1.5rem } h2 { font-size: 1.25rem } article h2 { font-size: 1rem; margin: .25rem 0 }
.to { margin: 0; overflow-wrap: anywhere } time { float: right }
pre { margin: .5rem 0 0; white-space: pre-wrap; overflow-wrap: anywhere; font: inherit }
`
