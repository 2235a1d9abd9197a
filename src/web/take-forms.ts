import type { FastifyInstance, FastifyRequest } from 'fastify'
import { sentTwice } from './query-of.ts'

/** Makes a scope accept URL-encoded forms of at most `bytesMax`, and nothing else. See `fieldsOf`. */
export function takeForms(scope: FastifyInstance, bytesMax: number): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: bytesMax },
    (_request, body, done) => done(null, new URLSearchParams(String(body))),
  )
}

/**
 * The fields of the form as text; empty without a body.
 * @throws GateError `invalid` where a field is sent twice: it would be unclear which value counts
 */
export function fieldsOf(request: FastifyRequest): Record<string, string> {
  const sent = request.body instanceof URLSearchParams ? [...request.body] : []
  const fields: Record<string, string> = {}
  for (const [name, value] of sent) {
    if (Object.hasOwn(fields, name)) throw sentTwice(name)
    // An assignment to `__proto__` would change the prototype instead.
    Object.defineProperty(fields, name, { value, enumerable: true })
  }
  return fields
}
