import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { GateError } from '../errors.ts'
import { type JsonProblem, jsonProblem } from '../gate/json/exact-json.ts'

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
  const parse = app.getDefaultJsonParser('error', 'error')
  const parseWithout = app.getDefaultJsonParser('remove', 'remove')
  app.decorateRequest('inexact', null)
  app.decorateRequest('hasForbiddenName', false)
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const bytes = body as Buffer
    const { 'content-encoding': coding = 'identity' } = request.headers
    if (coding !== 'identity')
      return done(new GateError('unsupported_media', 'Send the body without Content-Encoding.'))
    if (!isBodyOf(request, bytes))
      return done(new GateError('malformed', 'The body is not the one that was signed.'))
    if (!isUtf8(bytes)) return done(new GateError('malformed', 'The body must be UTF-8.'))
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
