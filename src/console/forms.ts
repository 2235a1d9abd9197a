import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { GateError } from '../errors.ts'
import { limits } from '../limits.ts'

/** Has a scope take forms and nothing else, and small ones. */
export function takeForms(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: limits.consoleFormBytesMax },
    (_request, body, done) => done(null, new URLSearchParams(String(body))),
  )
}

/**
 * The fields that were sent, each a text; none where there was no body.
 * @throws GateError `invalid` where one is sent twice: whoever reads one of them may read the wrong one
 */
export function fieldsOf(request: FastifyRequest): Record<string, string> {
  const sent = request.body instanceof URLSearchParams ? [...request.body] : []
  const fields: Record<string, string> = {}
  for (const [name, value] of sent) {
    if (Object.hasOwn(fields, name)) throw new GateError('invalid', `${name} is given more than once.`)
    // Not by assignment, which `__proto__` would escape.
    Object.defineProperty(fields, name, { value, enumerable: true })
  }
  return fields
}

/** A field that may be left empty, as browsers send it; then it is undefined. */
export const optionally = <Schema extends z.ZodType>(schema: Schema) =>
  z.preprocess((value) => (value === '' ? undefined : value), schema.optional())
