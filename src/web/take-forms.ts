import type { FastifyInstance } from 'fastify'

/**
 * Makes a scope accept URL-encoded forms of at most `bytesMax`, and nothing else.
 * @param bodyOf  makes the body of the request of the fields
 */
export function takeForms(
  scope: FastifyInstance,
  bytesMax: number,
  bodyOf: (fields: URLSearchParams) => unknown = (fields) => fields,
): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: bytesMax },
    (_request, body, done) => done(null, bodyOf(new URLSearchParams(String(body)))),
  )
}
