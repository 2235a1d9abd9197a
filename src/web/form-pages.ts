import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { type ErrorCode, httpStatusOf } from '../errors.ts'
import { limits } from '../limits.ts'
import { internalErrorSentence, isRead, toGateError } from './answer-errors.ts'
import { outcomeUnknown, ownTitle } from './error-title.ts'
import { type Page, sendPage } from './html.ts'
import { noteError } from './request-log.ts'
import { perMinute } from './rate-limit.ts'
import { refuseForeignForms } from './same-origin.ts'
import { takeForms } from './take-forms.ts'

interface Pages {
  /** The page of an error. `title`: where the error has one of its own. */
  problemPage(status: number, sentence: string, title?: string): Page
  /** Sentences for errors of these pages, in addition to the common ones. */
  sentences?: Partial<Record<ErrorCode, string>>
  /** Their forms have the texts of a proposal. */
  takesTexts?: true
  /** Called with a form that another site has sent, before it is refused. */
  onForeignForm?(request: FastifyRequest): Promise<void>
}

/**
 * A scope for pages with forms: bodies are small forms, errors are pages, forms from other sites are refused, and
 * requests are limited per address and minute. Needs `@fastify/rate-limit`.
 */
export async function formPageRoutes(
  app: FastifyInstance,
  deps: Deps,
  pages: Pages,
  routes: (scope: FastifyInstance) => void,
): Promise<void> {
  await app.register(async (scope) => {
    takeForms(scope, pages.takesTexts ? limits.decisionFormBytesMax : limits.connectFormBytesMax)
    scope.setErrorHandler((error, request, reply) => sendProblem(pages, error, request, reply))
    const spend = perMinute(scope, limits.connectPagesPerMinute, 'Too many requests.')
    scope.addHook('onRequest', async (request) => {
      await spend(request)
      try {
        refuseForeignForms(deps, request)
      } catch (refusal) {
        await pages.onForeignForm?.(request)
        throw refusal
      }
    })
    routes(scope)
  })
}

function sendProblem(
  { problemPage, sentences }: Pages,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const known = toGateError(error)
  noteError(request, known ?? error)
  if (!known) {
    return sendPage(
      reply,
      problemPage(500, internalErrorSentence(isRead(request)), isRead(request) ? undefined : outcomeUnknown),
    )
  }
  if (known.retryAfterSeconds !== undefined) reply.header('retry-after', String(known.retryAfterSeconds))
  const sentence = { ...ofForms, ...sentences }[known.code] ?? known.message
  return sendPage(reply, problemPage(httpStatusOf[known.code], sentence, ownTitle(known)))
}

/** Sentences for forms where the API's sentences are about JSON. */
const ofForms: Partial<Record<ErrorCode, string>> = {
  malformed: 'The form could not be read. Open the link again.',
  too_large: 'The form is too large.',
  unsupported_media: 'Unsupported format. Use the form on the page.',
}
