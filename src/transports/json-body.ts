import { isUtf8 } from 'node:buffer'
import { hash } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { GateError } from '../errors.ts'

/**
 * Reads JSON as Fastify does, but refuses bytes that are not UTF-8. They would become U+FFFD: what is consented to would not be
 * what was sent, and requests that differ in such bytes would have one digest.
 */
export function takeJson(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error')
  app.removeContentTypeParser('application/json')
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const bytes = body as Buffer
    const { 'content-encoding': coding = 'identity' } = request.headers
    if (coding !== 'identity')
      done(new GateError('unsupported_media', 'Send the body without Content-Encoding.'))
    else if (!isBodyOf(request, bytes))
      done(new GateError('malformed', 'The body is not the one that was signed.'))
    else if (isUtf8(bytes)) void parse(request, bytes.toString('utf8'), done)
    else done(new GateError('malformed', 'The body must be UTF-8.'))
  })
}

/** Whether a request was not signed, or with this body. */
function isBodyOf({ signed }: FastifyRequest, bytes: Buffer): boolean {
  if (!signed) return true
  signed.hasBody = hash('sha256', bytes, 'hex') === signed.signature.digest
  return signed.hasBody
}
