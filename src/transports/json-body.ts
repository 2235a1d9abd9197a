import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { type FastifyInstance, type FastifyRequest, errorCodes } from 'fastify'
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

type Done = (error: Error | null, body: Buffer) => void

const none = Buffer.alloc(0)

/**
 * Reads the body of a request within the limit of its route. Most bodies arrive with their headers and are taken as they lie
 * there: as events they take 20 µs more. The bytes are good until `done` returns: they lie in the buffer of the connection.
 * @param done  with an error of Fastify for a body that is too large, ends early or has another length than was said
 */
function readBody(request: FastifyRequest, payload: IncomingMessage, done: Done): void {
  const limit = request.routeOptions.bodyLimit
  const said = Number(request.headers['content-length'] ?? Number.NaN)
  if (said > limit) return done(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE(), none)
  if (said > 0 && payload.readableLength === said) return done(null, payload.read() as Buffer)
  const chunks: Buffer[] = []
  let length = 0
  payload.on('data', take).on('end', end).on('error', end)

  function take(chunk: Buffer): void {
    length += chunk.length
    if (length > limit) return finish(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE())
    chunks.push(chunk)
  }

  function end(error?: Error): void {
    if (error) return finish(Object.assign(error, { statusCode: 400 }))
    const isWhole = Number.isNaN(said) || said === length
    finish(isWhole ? null : new errorCodes.FST_ERR_CTP_INVALID_CONTENT_LENGTH())
  }

  function finish(error: Error | null): void {
    payload.off('data', take).off('end', end).off('error', end)
    done(error, error ? none : Buffer.concat(chunks, length))
  }
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
