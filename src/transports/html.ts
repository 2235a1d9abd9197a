import { type FastifyReply } from 'fastify'
import { cardStyle } from './card-style.ts'
import { escapeHtml } from '../providers/escape.ts'

/** Markup that may be shown as it is. */
export interface Html {
  html: string
}

export type Part = Html | string | number | Part[]

/** A template of markup: whatever text stands in it is escaped. */
export function html(markup: TemplateStringsArray, ...parts: Part[]): Html {
  return { html: String.raw({ raw: markup }, ...parts.map(written)) }
}

function written(part: Part): string {
  if (Array.isArray(part)) return part.map(written).join('')
  return typeof part === 'object' ? part.html : escapeHtml(String(part))
}

export interface Page {
  status: number
  title: string
  body: Html
  /** Other origins that its forms may lead to. */
  formsTo?: string[]
}

/**
 * Sends a page that runs no script, loads nothing, is not framed and not kept. Its address may hold a secret, so no other
 * origin hears of it; our own does, since without a referrer policy that lets it, browsers send forms with the origin
 * `null`.
 * @source Fetch standard, append a request Origin header
 */
export function sendPage(reply: FastifyReply, { status, title, body, formsTo = [] }: Page): FastifyReply {
  const policy = [
    "default-src 'none'",
    "style-src 'unsafe-inline'",
    ["form-action 'self'", ...formsTo].join(' '),
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ]
  return reply
    .code(status)
    .type('text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('content-security-policy', policy.join('; '))
    .header('referrer-policy', 'same-origin')
    .header('x-frame-options', 'DENY')
    .send(
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
          </head>
          <body>
            <main>
              <h1>${title}</h1>
              ${body}
            </main>
          </body>
        </html> `.html,
    )
}

const style = `${cardStyle}
:root { color-scheme: light dark; font: 1.05rem/1.6 system-ui, sans-serif }
body { margin: 0 }
main { max-width: 38rem; margin: 0 auto; padding: 8vh 1.5rem }
h1 { font-size: 1.5rem; line-height: 1.25 }
label { display: block; margin: 1.25rem 0 .25rem; font-weight: 600 }
input { box-sizing: border-box; width: 100%; font: inherit; padding: .5rem .6rem; border: 1px solid #888; border-radius: .35rem }
button { font: inherit; font-weight: 600; margin-top: 1.25rem; padding: .55rem 1.2rem; border: 0; border-radius: .35rem; background: #1d4ed8; color: #fff; cursor: pointer }
:focus-visible { outline: 3px solid #60a5fa; outline-offset: 2px }
small { display: block; opacity: .8 }
button.second { background: #6b7280; margin-left: .5rem }
.notice { padding: .75rem 1rem; border-left: .3rem solid #b45309; background: #b4530922 }
.problem { padding: .75rem 1rem; border-left: .3rem solid #b91c1c; background: #b91c1c22 }
`
