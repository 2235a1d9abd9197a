import type { FastifyReply } from 'fastify'
import type { Session } from '../operations/sign-in/session.ts'
import { type Html, html, toMarkup } from '../web/html.ts'
import { defaultTimeZone } from '../web/times.ts'
import { installLinks } from './install.ts'
import { navigationOf } from './navigation.ts'
import { withFormIds, withoutForms } from './once.ts'
import { type View, isAdmin } from './page.ts'
import { stylePath } from './style.ts'

/** What the layout shows around a page. */
export interface PageFrame {
  /** Absent when no user is signed in. */
  session?: Session | undefined
  /** Its forms that change something are shown, and cannot be filled in. */
  isReadOnly?: boolean
  /** The path of the page. */
  path: string
  isSandbox: boolean
  /** The flash message. */
  flash?: string | undefined
  /** When and where the page is loaded again where no script runs. */
  refresh?: string | undefined
}

/**
 * Sends a page of the console. It runs no script unless the view names one, loads only its stylesheet, cannot be framed and
 * is not cached. Its address may hold a token, so other origins get no referrer.
 */
export function sendConsolePage(reply: FastifyReply, view: View, frame: PageFrame): FastifyReply {
  return reply
    .code(view.status ?? 200)
    .type('text/html; charset=utf-8')
    .header('cache-control', 'no-store')
    .header('content-security-policy', policyOf(view))
    .header('referrer-policy', 'same-origin')
    .header('x-frame-options', 'DENY')
    .send(
      toMarkup(documentOf(view, frame), {
        now: new Date(),
        timeZone: frame.session?.timeZone ?? defaultTimeZone,
      }),
    )
}

const policyOf = ({ script, asks, formsTo = [] }: View): string =>
  [
    "default-src 'none'",
    ...(script === undefined ? [] : ["script-src 'self'"]),
    ...(script !== undefined && asks ? ["connect-src 'self'"] : []),
    "style-src 'self'",
    "img-src 'self' data:",
    "manifest-src 'self'",
    ["form-action 'self'", ...formsTo].join(' '),
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')

const product = 'Qualification Gate'
const icon =
  'data:image/svg+xml,%3Csvg xmlns=%27http://www.w3.org/2000/svg%27 viewBox=%270 0 16 16%27%3E%3Cpath fill=%27none%27 stroke=%27%236b6ff0%27 stroke-width=%272%27 d=%27M3 15V6a5 5 0 0 1 10 0v9M8 1v14M3 9h10%27/%3E%3C/svg%3E'

function documentOf({ title, body, script }: View, frame: PageFrame): Html {
  const { session, flash, isSandbox, refresh, isReadOnly } = frame
  const place = session ? `${session.accountName} · ${product}` : product
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <meta name="color-scheme" content="light dark" />
        <title>${title} · ${place}</title>
        <link rel="stylesheet" href="${stylePath}" />
        <link rel="icon" href="${icon}" />
        ${installLinks} ${script === undefined ? '' : html`<script type="module" src="${script}"></script>`}
        ${refresh === undefined ? '' : html`<noscript><meta http-equiv="refresh" content="${refresh}" /></noscript>`}
      </head>
      <body class="${session ? 'signed-in' : 'signed-out'}">
        <header>
          <a class="skip" href="#content">Skip to content</a>
          ${isSandbox ? sandboxBanner : ''}
          ${session?.isSuspended ? suspendedBanner(session, frame.path) : ''}
          <div class="bar">
            <p class="brand">
              <a href="/console"
                ><span class="mark" aria-hidden="true"></span><span class="product">${product}</span></a
              >
            </p>
            ${session ? whoIs(session) : ''}
          </div>
        </header>
        ${session ? navigation(session, frame.path) : ''}
        <main id="content" tabindex="-1">
          ${flash === undefined ? '' : html`<p class="flash" role="status">${flash}</p>`}
          <h1>${title}</h1>
          ${isReadOnly ? withoutForms(body) : session ? withFormIds(body) : body}
        </main>
      </body>
    </html> `
}

const sandboxBanner = html`<p class="sandbox" role="note">
  <strong>Sandbox.</strong> Nothing is delivered and no money moves. Consent given in the sandbox proves
  nothing.
</p>`

/** On every page while the account is suspended. Administrators can resume it from there. */
function suspendedBanner(session: Session, path: string): Html {
  const canResume = isAdmin(session) && path !== resumePath
  return html`<div class="suspended" role="note">
    <p>
      <strong>This account is suspended.</strong> Nothing is executed until an administrator resumes it. You
      can still view data.
    </p>
    ${canResume ? html`<a class="button" href="${resumePath}">Resume account</a>` : ''}
  </div>`
}

const resumePath = '/console/account/resume'

const whoIs = (session: Session): Html =>
  html`<div class="who">
    <p>
      <span class="account">${session.accountName}</span>
      <a href="/console/sessions">${session.name}</a>
    </p>
    <form method="post" action="/console/sign-out">
      <button class="quiet" type="submit">Sign out</button>
    </form>
  </div>`

/** More entries than fit beside each other on a telephone open as a sheet there: a popover needs no script. */
function navigation(session: Session, path: string): Html {
  const entries = navigationOf(session, path)
  const isLong = entries.length > entriesInRowMax
  const current = entries.find(({ isCurrent }) => isCurrent)
  return html`<nav aria-label="Console">
    ${
      isLong
        ? html`<button type="button" class="menu" popovertarget="menu">
            Menu<span class="here">${current?.label ?? ''}</span>
          </button>`
        : ''
    }
    <ul ${isLong ? html`id="menu" popover` : ''}>
      ${entries.map(
        ({ path: to, label, group, isCurrent }, at) =>
          html`${isLong && group !== entries[at - 1]?.group ? html`<li class="group">${group}</li>` : ''}
            <li><a href="${to}" ${isCurrent ? html`aria-current="page"` : ''}>${label}</a></li>`,
      )}
    </ul>
  </nav>`
}

const entriesInRowMax = 3
