import type { FastifyReply } from 'fastify'
import { cardStyle } from './card-style.ts'
import { escapeHtml } from '../text/escape.ts'
import { type Viewer, defaultTimeZone } from './times.ts'

/** Safe markup that is not escaped again. */
export interface Html {
  /** The markup for anyone: times in UTC. */
  readonly html: string
  /** The markup for one viewer. Absent: the same for everyone. */
  readonly for?: (viewer: Viewer) => string
}

export type Part = Html | string | number | Part[]

/** A template of markup: text parts are escaped. */
export const html = (markup: TemplateStringsArray, ...parts: Part[]): Html =>
  perViewer((viewer) => String.raw({ raw: markup }, ...parts.map((part) => toMarkup(part, viewer))))

/** Markup that depends on who reads the page, such as a time in their zone. It is made when the page is sent. */
export const perViewer = (markupFor: (viewer: Viewer) => string): Html => ({
  get html() {
    return markupFor({ now: new Date(), timeZone: defaultTimeZone })
  },
  for: markupFor,
})

/** The markup that a viewer gets. */
export function toMarkup(part: Part, viewer: Viewer): string {
  if (Array.isArray(part)) return part.map((one) => toMarkup(one, viewer)).join('')
  if (typeof part === 'object') return part.for?.(viewer) ?? part.html
  return escapeHtml(String(part))
}

export interface Page {
  status: number
  title: string
  body: Html
  /** The address of the only script that it runs. Absent: none. */
  script?: string
  /** Other origins its forms may redirect to. */
  formsTo?: string[]
}

/**
 * Sends a page that runs no script unless it names one, loads nothing, cannot be framed and is not cached. Its address may hold a secret,
 * so other origins get no referrer. Our own origin does: otherwise browsers would send forms with the origin `null`.
 * @source Fetch standard, append a request Origin header
 */
export function sendPage(reply: FastifyReply, page: Page): FastifyReply {
  return reply.code(page.status).headers(pageHeaders(page)).send(pageText(page))
}

/** The headers of a page. Pure. */
export function pageHeaders({ formsTo = [], script }: Page): Record<string, string> {
  const policy = [
    "default-src 'none'",
    ...(script === undefined ? [] : ["script-src 'self'"]),
    "style-src 'unsafe-inline'",
    ["form-action 'self'", ...formsTo].join(' '),
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ]
  return {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': policy.join('; '),
    'referrer-policy': 'same-origin',
    'x-frame-options': 'DENY',
  }
}

/** A page as text. Pure. */
export const pageText = ({ title, body, script }: Page): string =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <meta name="robots" content="noindex" />
        <title>${title}</title>
        <style>
          ${{ html: style }}
        </style>
        ${script === undefined ? '' : html`<script type="module" src="${script}"></script>`}
      </head>
      <body>
        <main>
          <h1>${title}</h1>
          ${body}
        </main>
      </body>
    </html> `.html

// The colours and their names are the console's.
const style = `
:root { color-scheme: light dark; font: 1.05rem/1.6 system-ui, sans-serif;
  --paper: #fbfbfa; --card: #fff; --ink: #1d2129; --soft: #555d6b; --line: #dcdfe4; --accent: #3d42c4; --accent-ink: #fff;
  --danger: #b3261e; --danger-wash: #fdeeed; --warn: #8a5300; --warn-wash: #fff4dd; --focus: #1f6feb }
@media (prefers-color-scheme: dark) { :root {
  --paper: #14161b; --card: #1b1e25; --ink: #e8eaee; --soft: #a3abb9; --line: #333945; --accent: #a9adff; --accent-ink: #14161b;
  --danger: #ffb4ab; --danger-wash: #3b2220; --warn: #f3c56b; --warn-wash: #372c17; --focus: #7fb2ff } }
* { box-sizing: border-box }
body { margin: 0; background: var(--paper); color: var(--ink) }
main { max-width: 40rem; margin: 0 auto; padding: 7vh 1.5rem; overflow-wrap: anywhere }
h1 { margin: 0 0 1rem; font-size: 1.6rem; line-height: 1.2; letter-spacing: -.01em }
a { color: var(--accent) }
label { display: block; margin: 1.25rem 0 .25rem; font-weight: 600 } .optional { color: var(--soft); font-weight: 400 }
input { width: 100%; padding: .5rem .65rem; border: 1px solid #7d8694; border-radius: .4rem; background: var(--card); color: inherit; font: inherit }
button { margin: 1.25rem .5rem 0 0; padding: .6rem 1.4rem; border: 1px solid var(--accent); border-radius: .4rem; background: var(--accent); color: var(--accent-ink); font: inherit; font-weight: 600; cursor: pointer }
a.button { display: inline-block; margin: .5rem 0 0; padding: .6rem 1.4rem; border-radius: .4rem; background: var(--accent); color: var(--accent-ink); font-weight: 600; text-decoration: none }
dl.change { display: grid; grid-template-columns: max-content 1fr; gap: .35rem 1rem; margin: 1.25rem 0; padding: .9rem 1rem; border: 1px solid var(--line); border-radius: .4rem; background: var(--card) }
dl.change dt { color: var(--soft) }
dl.change dd { margin: 0; font-weight: 600 }
button.second { border-color: #7d8694; background: var(--card); color: var(--ink) }
button:hover { filter: brightness(1.08) }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px }
small, .hint { display: block; margin: .25rem 0 0; color: var(--soft); font-size: .9rem }
.field-error { margin: .35rem 0 0; color: var(--danger); font-size: .95rem; font-weight: 600 } .problem a { color: inherit }
[aria-invalid] { border-color: var(--danger); box-shadow: 0 0 0 1px var(--danger) }
.notice, .problem { padding: .75rem 1rem; border-left: .3rem solid; border-radius: .25rem }
.notice { background: var(--warn-wash); color: var(--warn) }
.problem { background: var(--danger-wash); color: var(--danger) }
@media (max-width: 36rem) { main { padding: 1.25rem 1rem 4rem } h1 { font-size: 1.4rem } main > .notice { padding: .4rem .75rem; font-size: .9375rem; line-height: 1.4 } }
${cardStyle}`
