import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Readable } from 'node:stream'
import { z } from 'zod'
import type { Deps } from '../deps.ts'
import { GateError, type InputProblem, OutcomeUnknown, httpStatusOf } from '../errors.ts'
import { toRefusal } from '../operations/refusal-of-error.ts'
import { parseInput, problemText } from '../operations/parse.ts'
import { noteRefusedInSession } from '../operations/refused-write.ts'
import { refuseOtherMethods } from '../transports/rest.ts'
import type { Reason } from '../web/fields.ts'
import { noteError } from '../web/request-log.ts'
import { fieldsOf } from '../web/take-forms.ts'
import { clearSession, lookedBefore, noteLook, setFlash, setReturnPage, takeFlash } from './cookies.ts'
import { limits } from '../limits.ts'
import { takeFiles } from './forms.ts'
import { handleOnce, sentForm } from './once.ts'
import { type PageFrame, sendConsolePage } from './layout.ts'
import {
  type ConsolePage,
  type Download,
  type PageContext,
  type RejectedForm,
  type View,
  mayChange,
} from './page.ts'
import { flashMessages } from './flash.ts'
import { signInPath } from '../operations/sign-in/sign-in-path.ts'
import { depsOf } from '../web/request-deps.ts'
import { refreshOf, takeRefreshed } from './refresh.ts'

const nothing = z.strictObject({})

/** Serves one page: GET and HEAD show it, POST handles its form, other methods are refused. */
export function servePage(scope: FastifyInstance, deps: Deps, page: ConsolePage): void {
  if (!page.takesFile) return serveIn(scope, deps, page)
  // This page has a scope of its own, so that no other form takes files.
  void scope.register(async (own) => {
    takeFiles(own, page.formBytesMax ?? limits.consoleFormBytesMax)
    serveIn(own, deps, page)
  })
}

function serveIn(scope: FastifyInstance, deps: Deps, page: ConsolePage): void {
  // With the scope's prefix `/` is `/console` and `/console/`.
  const path = page.path.replace(/^\/console/, '') || '/'
  scope.route({
    method: ['GET', 'HEAD'],
    url: path,
    async handler(request, reply) {
      const { times, query: given } = takeRefreshed(request)
      const context = { ...pageContext(deps, request), lookedAt: lookedBefore(deps, request) }
      const view = await page.show(context, parseInput(page.query ?? nothing, given))
      if ('lines' in view) return sendDownload(reply, view)
      if (view.isLook) noteLook(deps, request, reply)
      const refresh = view.refresh && refreshOf(request, view.refresh, times)
      if (refresh && !view.asks) reply.header('refresh', refresh)
      const flash = takeFlash(deps, request, reply)
      return answer({ deps, request, reply, page }, view, {
        flash: flash && flashMessages[flash],
        refresh: view.asks ? refresh : undefined,
      })
    },
  })
  if (!page.send) return refuseOtherMethods(scope, path, ['GET', 'HEAD'])
  const options = page.formBytesMax === undefined ? {} : { bodyLimit: page.formBytesMax }
  scope.post(path, options, (request, reply) => handleForm(deps, page, request, reply))
  refuseOtherMethods(scope, path, ['GET', 'HEAD', 'POST'])
}

async function handleForm(
  deps: Deps,
  page: ConsolePage,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const context = pageContext(deps, request)
  // The address of a form takes no query parameters.
  parseInput(nothing, takeRefreshed(request).query)
  const sent = sentForm(request.url, fieldsOf(request))
  const { fields } = sent
  await requireMayChange(context, page)
  try {
    const done = await handleOnce(context, sent, () =>
      page.send!(context, parseInput(page.form ?? nothing, fields)),
    )
    if (!('to' in done)) return answer({ deps, request, reply, page }, done)
    if (done.flash) setFlash(deps, reply, done.flash)
    return reply.header('cache-control', 'no-store').redirect(done.to, 303)
  } catch (error) {
    const refusal = toRefusal(error)
    // The route without the values of its parameters.
    const operation = `POST ${page.path}`
    if (refusal?.code === 'unauthenticated') {
      await noteRefusedInSession(deps, context.session, operation, 'session_over')
      setReturnPage(deps, reply, sent.path)
      return redirectToSignIn(deps, reply)
    }
    // The write itself refused: the user lost the administrator role while the form was under way.
    if (refusal?.code === 'forbidden' && refusal.cause !== undefined)
      await noteRefusedInSession(deps, context.session, operation, 'not_admin')
    if (!refusal || !correctable.has(refusal.code)) throw error
    noteError(request, refusal)
    const view = await rejectedView(page, context, refusal, fields).catch((second: unknown) => {
      // The page may fail too: then its reader must still learn that the outcome of the form is unknown.
      throw refusal instanceof OutcomeUnknown ? refusal : second
    })
    return answer({ deps, request, reply, page }, view)
  }
}

/** @throws GateError `forbidden` for an auditor, whose attempt is recorded */
async function requireMayChange({ deps, session }: PageContext, page: ConsolePage): Promise<void> {
  if (mayChange(session, page)) return
  await noteRefusedInSession(deps, session, `POST ${page.path}`, 'auditor')
  throw new GateError(
    'forbidden',
    'You are an auditor of the account: you can read everything and change nothing.',
  )
}

/** The session ended while the form was under way. Nothing was changed. */
function redirectToSignIn(deps: Deps, reply: FastifyReply): FastifyReply {
  clearSession(deps, reply)
  return reply.header('cache-control', 'no-store').redirect(signInPath, 303)
}

/** Errors the user can correct: shown above the form. */
const correctable = new Set<GateError['code']>(['invalid', 'conflict', 'not_found', 'gone', 'unavailable'])

async function rejectedView(
  page: ConsolePage,
  context: PageContext,
  refusal: GateError,
  filled: Record<string, string>,
): Promise<View> {
  const { code } = refusal
  const [first, ...others] = reasonsOf(page, refusal, filled)
  const rejected: RejectedForm = { ...first!, values: filled, others }
  const view = await page.show(context, (page.query ?? nothing).parse({}), rejected)
  if ('lines' in view) throw new TypeError('a file has no form')
  return { ...view, status: code === 'not_found' ? 422 : httpStatusOf[code] }
}

/** Why a form is refused, by field, in the order in which the refusal names them. */
function reasonsOf(page: ConsolePage, refusal: GateError, filled: Record<string, string>): Reason[] {
  const { message, param, problems } = refusal
  if (problems.length === 0) return [{ problem: message, field: wrongField(page, param, filled) }]
  const byField = new Map<string | undefined, string[]>()
  for (const problem of problems) {
    const field = wrongField(page, problem.param, filled)
    byField.set(field, [...(byField.get(field) ?? []), textAt(problem, field, page.labels?.[field ?? ''])])
  }
  return [...byField].map(([field, texts]) => ({ problem: `${texts.join('; ')}.`, field }))
}

/** A problem as the form names its field: by its label, and one of several entries by its number. */
function textAt(problem: InputProblem, field: string | undefined, label: string | undefined): string {
  const { param = '', says } = problem
  if (label === undefined) return problemText(problem)
  const [, entry] = param.startsWith(`${field}.`) ? param.split('.') : []
  return entry === undefined ? `${label} ${says}` : `${label}: entry ${Number(entry) + 1} ${says}`
}

/** The field of the form that a refusal names; undefined where the form has none. */
function wrongField(
  page: ConsolePage,
  param: string | undefined,
  filled: Record<string, string>,
): string | undefined {
  if (param === undefined) return undefined
  const own = page.fieldOf?.(param, filled)
  if (own !== undefined) return own
  const [name] = param.split('.')
  return Object.hasOwn(page.form?.shape ?? {}, name!) ? name : undefined
}

function sendDownload(reply: FastifyReply, { fileName, type, lines }: Download): FastifyReply {
  return reply
    .type(type)
    .header('cache-control', 'no-store')
    .header('content-disposition', `attachment; filename="${fileName}"`)
    .header('content-security-policy', "default-src 'none'; sandbox")
    .header('referrer-policy', 'same-origin')
    .send(Readable.from(lines))
}

const pageContext = (deps: Deps, request: FastifyRequest): PageContext => ({
  deps: depsOf(deps, request),
  session: request.consoleSession!,
  params: request.params as Record<string, string>,
})

interface Exchange {
  deps: Deps
  request: FastifyRequest
  reply: FastifyReply
  page: ConsolePage
}

const answer = (
  { deps, request, reply, page }: Exchange,
  view: View,
  besides: Pick<PageFrame, 'flash' | 'refresh'> = {},
) =>
  sendConsolePage(reply, view, {
    session: request.consoleSession!,
    isReadOnly: !mayChange(request.consoleSession!, page),
    path: request.url.split('?')[0]!,
    isSandbox: deps.isSandbox,
    ...besides,
  })
