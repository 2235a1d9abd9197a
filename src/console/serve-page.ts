import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Readable } from 'node:stream'
import { z } from 'zod'
import type { Deps } from '../deps.ts'
import { type GateError, httpStatusOf } from '../errors.ts'
import { refusalOf } from '../operations/admin/refusals.ts'
import { parseInput } from '../operations/parse.ts'
import { noteRefusedInSession } from '../operations/refused-write.ts'
import { signInPath } from '../operations/sign-in/tokens.ts'
import { refuseOtherMethods } from '../transports/rest.ts'
import { forgetSession, setFlash, takeFlash } from './cookies.ts'
import { fieldsOf } from './forms.ts'
import { sendConsolePage } from './layout.ts'
import type { Again, ConsolePage, Download, View, Visit } from './page.ts'
import { flashMessages } from './flash.ts'

const nothing = z.strictObject({})

/** Serves one page: shown on GET and HEAD, its form taken on POST, every other method refused. */
export function servePage(scope: FastifyInstance, deps: Deps, page: ConsolePage): void {
  // With the scope's prefix `/` is `/console` and `/console/`.
  const path = page.path.replace(/^\/console/, '') || '/'
  scope.route({
    method: ['GET', 'HEAD'],
    url: path,
    async handler(request, reply) {
      const query = parseInput(page.query ?? nothing, request.query)
      const view = await page.show(visitOf(deps, request), query)
      if ('lines' in view) return sendDownload(reply, view)
      const said = takeFlash(deps, request, reply)
      return answer(deps, request, reply, view, said && flashMessages[said])
    },
  })
  if (!page.send) return refuseOtherMethods(scope, path, ['GET', 'HEAD'])
  const options = page.formBytesMax === undefined ? {} : { bodyLimit: page.formBytesMax }
  scope.post(path, options, (request, reply) => take(deps, page, request, reply))
  refuseOtherMethods(scope, path, ['GET', 'HEAD', 'POST'])
}

async function take(
  deps: Deps,
  page: ConsolePage,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const visit = visitOf(deps, request)
  // A form's address asks for nothing beside its path.
  parseInput(nothing, request.query)
  const fields = fieldsOf(request)
  try {
    const done = await page.send!(visit, parseInput(page.form ?? nothing, fields))
    if (!('to' in done)) return answer(deps, request, reply, done)
    setFlash(deps, reply, done.said)
    return reply.header('cache-control', 'no-store').redirect(done.to, 303)
  } catch (error) {
    const refusal = refusalOf(error)
    // The address without what is named in it.
    const operation = `POST ${page.path}`
    if (refusal?.code === 'unauthenticated') {
      await noteRefusedInSession(deps, visit.session, operation, 'session_over')
      return signInAgain(deps, reply)
    }
    // Refused by the write itself: its holder was an administrator when the form began to come.
    if (refusal?.code === 'forbidden' && refusal.cause !== undefined)
      await noteRefusedInSession(deps, visit.session, operation, 'not_admin')
    if (!refusal || !mendable.has(refusal.code)) throw error
    return answer(deps, request, reply, await shownAgain(page, visit, refusal, fields))
  }
}

/** The session ended while the form was under way. Nothing was done. */
function signInAgain(deps: Deps, reply: FastifyReply): FastifyReply {
  forgetSession(deps, reply)
  return reply.header('cache-control', 'no-store').redirect(signInPath, 303)
}

/** What whoever sent a form can mend: said above it. Where the page itself is not there, that is said instead. */
const mendable = new Set<GateError['code']>(['invalid', 'conflict', 'not_found', 'gone', 'unavailable'])

async function shownAgain(
  page: ConsolePage,
  visit: Visit,
  { code, message }: GateError,
  filled: Record<string, string>,
): Promise<View> {
  const again: Again = { problem: message, filled }
  const view = await page.show(visit, (page.query ?? nothing).parse({}), again)
  if ('lines' in view) throw new TypeError('a file has no form')
  return { ...view, status: code === 'not_found' ? 422 : httpStatusOf[code] }
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

const visitOf = (deps: Deps, request: FastifyRequest): Visit => ({
  deps,
  session: request.visitor!,
  params: request.params as Record<string, string>,
})

const answer = (deps: Deps, request: FastifyRequest, reply: FastifyReply, view: View, said?: string) =>
  sendConsolePage(reply, view, {
    session: request.visitor!,
    path: request.url.split('?')[0]!,
    isSandbox: deps.isSandbox,
    said,
  })
