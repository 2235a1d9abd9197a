import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { type ErrorCode, type GateError, httpStatusOf } from '../errors.ts'
import { internalErrorSentence, isRead, toGateError } from '../web/answer-errors.ts'
import { noteError } from '../web/request-log.ts'
import { outcomeUnknown, ownTitle } from '../web/error-title.ts'
import { signInPath } from '../operations/sign-in/sign-in-path.ts'
import { type Html, html } from '../web/html.ts'
import { prose } from '../web/prose.ts'
import { sendConsolePage } from './layout.ts'
import { isAdmin } from './page.ts'

/** Answers an error with a page that says what went wrong and what to do. */
export function sendProblem(
  deps: Deps,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const known = toGateError(error)
  noteError(request, known ?? error)
  if (known?.retryAfterSeconds !== undefined) reply.header('retry-after', String(known.retryAfterSeconds))
  const status = known ? httpStatusOf[known.code] : 500
  const sentence = known ? (ofForms[known.code] ?? known.message) : internalErrorSentence(isRead(request))
  const session = request.consoleSession ?? undefined
  return sendConsolePage(
    reply,
    {
      status,
      title: titleOfProblem(known, status, request),
      body: html`<p class="problem" role="alert">${prose(sentence)}</p>
        ${nextAction(status, request)}`,
    },
    { session, path: request.url.split('?')[0]!, isSandbox: deps.isSandbox },
  )
}

/** What a person can do next. */
function nextAction(status: number, request: FastifyRequest): Html {
  if (isSignInLink(request)) return html`<p><a href="${signInPath}">Request a new sign-in link</a></p>`
  const session = request.consoleSession
  if (status === 403 && session && !isAdmin(session))
    return html`<p>
      Ask an administrator of your account, or <a href="/console/proposals">open your proposals</a>.
    </p>`
  return html`<p><a href="/console">Go to the console</a></p>`
}

const isSignInLink = ({ url }: FastifyRequest): boolean => url.startsWith(`${signInPath}/`)

function titleOfProblem(known: GateError | undefined, status: number, request: FastifyRequest): string {
  const own = known ? ownTitle(known) : isRead(request) ? undefined : outcomeUnknown
  if (status === 404 && isSignInLink(request)) return 'Link not found'
  return own ?? titleOf[status] ?? 'Request failed'
}

const titleOf: Partial<Record<number, string>> = {
  403: 'Access denied',
  404: 'Not found',
  429: 'Too many requests',
  500: 'Internal error',
  503: 'Temporarily unavailable',
}

/** Sentences for forms where the API's sentences are about JSON. */
const ofForms: Partial<Record<ErrorCode, string>> = {
  malformed: 'The form could not be read. Go back and send it again.',
  too_large: 'The form is too large. Go back and enter less text.',
  unsupported_media: 'Unsupported format. Use the form on the page.',
}
