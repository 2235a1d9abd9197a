import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { type ErrorCode, OutcomeUnknown, httpStatusOf } from '../errors.ts'
import { internalErrorSentence, isRead, toGateError } from '../web/answer-errors.ts'
import { html } from '../web/html.ts'
import { sendConsolePage } from './layout.ts'

/** Answers an error with a page that says what to do. */
export function sendProblem(
  deps: Deps,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const known = toGateError(error)
  if (!known) request.log.error({ err: error }, 'internal error')
  if (known?.retryAfterSeconds !== undefined) reply.header('retry-after', String(known.retryAfterSeconds))
  const status = known ? httpStatusOf[known.code] : 500
  const isLost = known ? known instanceof OutcomeUnknown : !isRead(request)
  const sentence = known ? (ofForms[known.code] ?? known.message) : internalErrorSentence(isRead(request))
  const session = request.consoleSession ?? undefined
  return sendConsolePage(
    reply,
    {
      status,
      title: isLost ? 'Outcome unknown' : (titleOf[status] ?? 'That did not work'),
      body: html`<p class="problem" role="alert">${sentence}</p>
        <p><a href="/console">Go to the console</a></p>`,
    },
    { session, path: request.url.split('?')[0]!, isSandbox: deps.isSandbox },
  )
}

const titleOf: Partial<Record<number, string>> = {
  403: 'This is not for you',
  404: 'There is nothing here',
  410: 'This link is over',
  429: 'Too fast',
  500: 'Something broke here',
  503: 'Not now',
}

/** Where the API speaks of JSON. */
const ofForms: Partial<Record<ErrorCode, string>> = {
  malformed: 'What was sent could not be read. Go back, and send the form again.',
  too_large: 'The form is too large. Go back, and enter less.',
  unsupported_media: 'Use the form of the page.',
}
