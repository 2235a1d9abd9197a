import type { FastifyReply } from 'fastify'
import { escapeHtml } from '../../src/text/escape.ts'

/** Sends a page that runs no script, is not cached and sends no referrer. */
export function sendPage(reply: FastifyReply, page: string): void {
  void reply
    .headers({
      'Cache-Control': 'no-store',
      'Content-Security-Policy':
        "default-src 'none'; style-src 'unsafe-inline'; frame-src 'self'; base-uri 'none'",
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
    })
    .type('text/html; charset=utf-8')
    .send(page)
}

/** Sends the HTML of a mail, which runs no script, loads nothing and is shown only in a frame of this server. */
export function sendFrame(reply: FastifyReply, page: string): void {
  void reply
    .headers({
      'Cache-Control': 'no-store',
      'Content-Security-Policy':
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox",
      'Referrer-Policy': 'no-referrer',
      'X-Content-Type-Options': 'nosniff',
    })
    .type('text/html; charset=utf-8')
    .send(page)
}

/** @param main HTML. The caller escapes foreign text. */
export function sandboxPage(title: string, main: string, reloadSeconds?: number): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
${reloadSeconds === undefined ? '' : `<meta http-equiv="refresh" content="${reloadSeconds}">\n`}<title>${escapeHtml(title)}</title>
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
:root { color-scheme: light dark; --paper: #fbfbfa; --card: #fff; --ink: #1d2129; --soft: #555d6b; --line: #dcdfe4; --accent: #3d42c4; --warn: #8a5300; --warn-wash: #fff4dd }
@media (prefers-color-scheme: dark) { :root { --paper: #14161b; --card: #1b1e25; --ink: #e8eaee; --soft: #a3abb9; --line: #333945; --accent: #a9adff; --warn: #f3c56b; --warn-wash: #372c17 } }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif }
main { max-width: 46rem; margin: 0 auto; padding: 1.5rem }
a { color: var(--accent) }
.notice { padding: .75rem 1rem; border-left: .3rem solid; border-radius: .25rem; background: var(--warn-wash); color: var(--warn) }
article { margin: 1rem 0; padding: .75rem 1rem; border: 1px solid var(--line); border-radius: .5rem; background: var(--card) }
h1 { font-size: 1.5rem } h2 { font-size: 1.25rem } article h2 { font-size: 1rem; margin: .5rem 0 .25rem }
.to { display: flex; flex-wrap: wrap; gap: 0 .5rem; margin: 0; overflow-wrap: anywhere } time { margin-left: auto; color: var(--soft); font-size: .875rem }
pre { margin: .5rem 0 0; white-space: pre-wrap; overflow-wrap: anywhere; font: inherit }
.quote { padding-left: .75rem; border-left: .25rem solid var(--line) }
iframe { box-sizing: border-box; width: 100%; height: 24rem; border: 1px solid var(--line); border-radius: .5rem; background: #fff }
.bar { display: flex; flex-wrap: wrap; align-items: end; gap: .5rem 1rem } .bar form { display: flex; flex-wrap: wrap; align-items: end; gap: .5rem } .bar button { margin: 0 }
label { display: grid; min-width: 0; grid-template-columns: minmax(0, 1fr); font-size: .875rem; color: var(--soft) } select { max-width: 100%; padding: .35rem .5rem; border: 1px solid #7d8694; border-radius: .3rem; background: var(--card); color: var(--ink); font: inherit }
.links { margin: .5rem 0 0; font-size: .875rem }
button { margin: .75rem .5rem .25rem 0; padding: .35rem 1rem; border: 1px solid #7d8694; border-radius: .3rem; background: var(--card); color: var(--ink); font: inherit; font-weight: 600; cursor: pointer }
button[value=gate_approve] { border-color: #126b48; background: #126b48; color: #fff }
`
