import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { GateError } from '../errors.ts'
import { type JsonProblem, jsonProblem } from '../gate/json/exact-json.ts'
import { readBody } from '../web/read-body.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Why its body may be read as another one elsewhere. Only routes that say `judgesInexact` are reached with it. */
    inexact: JsonProblem | null
    /** Its body has a name that would change what an object is, and was read without it. Only routes that say `refusesNames` are reached with it. */
    hasForbiddenName: boolean
  }
  interface FastifyContextConfig {
    /** It answers such a body itself; absent: such a body is refused before. */
    judgesInexact?: boolean
    /** It refuses a body with a name such as `__proto__` itself; absent: such a body is refused before. */
    refusesNames?: boolean
  }
}

/**
 * Reads JSON as Fastify does, but refuses bytes that are not UTF-8, and JSON that other readers read otherwise: what is consented to
 * would not be what was sent, and requests that differ in such bytes would have one digest.
 */
export function takeJson(app: FastifyInstance): void {
  app.decorateRequest('inexact', null)
  app.decorateRequest('hasForbiddenName', false)
  app.removeContentTypeParser('application/json')
  takeJsonAs(app, 'application/json')
}

/** The same for a media type that is JSON, in a scope. */
export function takeJsonAs(app: FastifyInstance, mediaType: string): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  const parseWithout = app.getDefaultJsonParser('remove', 'remove')
  app.addContentTypeParser(mediaType, (request, payload, done) => {
    readBody(request, payload, (unread, bytes) => {
      const refusal = unread ?? refusalOf(request, bytes)
      if (refusal) return done(refusal)
      const text = bytes.toString('utf8')
      void parse(request, text, (error, value) => {
        if (error && request.routeOptions.config.refusesNames) {
          request.hasForbiddenName = true
          return void parseWithout(request, text, done)
        }
        const problem = error ? undefined : jsonProblem(text, value)
        if (problem && !request.routeOptions.config.judgesInexact) return done(inexactBody(problem))
        request.inexact = problem ?? null
        done(error, value)
      })
    })
  })
}

/** Why a body is not read as JSON at all. */
function refusalOf(request: FastifyRequest, bytes: Buffer): GateError | undefined {
  const { 'content-encoding': coding = 'identity' } = request.headers
  if (coding !== 'identity')
    return new GateError('unsupported_media', 'Send the body without Content-Encoding.')
  if (!isBodyOf(request, bytes)) return new GateError('malformed', 'The body is not the one that was signed.')
  return isUtf8(bytes) ? undefined : new GateError('malformed', 'The body must be UTF-8.')
}

/**
 * The refusal of a body that other readers read otherwise.
 * @param within  names of the body that the sentence leaves out
 */
export function inexactBody({ path, says }: JsonProblem, within: readonly string[] = []): GateError {
  const isWithin = within.every((name, n) => path[n] === name)
  const param = path
    .slice(isWithin ? within.length : 0)
    .join('.')
    .slice(0, 100)
  const advice = says.includes('beyond') ? ': send it as text' : ''
  return new GateError('invalid', `${param === '' ? 'The body' : param}: ${says}${advice}.`, {
    param: param || undefined,
  })
}

/** Whether a request was not signed, or with this body. */
function isBodyOf({ signed }: FastifyRequest, bytes: Buffer): boolean {
  if (!signed) return true
  signed.hasBody = hash('sha256', bytes, 'hex') === signed.signature.digest
  return signed.hasBody
}
