import { type ErrorCode, httpStatusOf } from '../errors.ts'
import type { RestOperation } from '../operations/operation.ts'
import type { JsonObject } from './json-schema.ts'
import { errorExamples, operationExamples } from './openapi-examples.ts'
import { refer, referToOutput } from './openapi-schemas.ts'

/** Headers of answers, for the components of the document. */
export const headers: Record<string, JsonObject> = {
  'X-Request-Id': {
    description: 'Identifies the request in the log.',
    required: true,
    schema: { type: 'string' },
  },
  'Idempotent-Replayed': {
    description: '`true` if this is the first answer to the same request.',
    schema: { type: 'string', const: 'true' },
  },
  Location: { description: 'Where to read the action until it ends.', schema: { type: 'string' } },
  'Retry-After': { description: 'Seconds to wait before a retry.', schema: { type: 'integer', minimum: 1 } },
  'WWW-Authenticate': { description: 'How to authenticate.', schema: { type: 'string', const: 'Bearer' } },
}

/** An error of each code, for the components of the document. */
export const examples = valuesOf(errorExamples)

const always = ['malformed', 'unauthenticated', 'too_many', 'internal', 'unavailable'] as const
const withBody = ['too_large', 'unsupported_media'] as const

/** The answers of an operation: its successes, then its errors by status. */
export function responses(operation: RestOperation): Record<string, JsonObject> {
  const { success, method } = operation.http!
  return {
    ...Object.fromEntries(
      Object.entries(success).map(([status, description]) => [
        status,
        successResponse(operation, Number(status), description),
      ]),
    ),
    ...errorResponses(method, operation.errors),
  }
}

/** The errors of an address by status: those that every address has, and its own. */
export function errorResponses(
  method: 'GET' | 'POST',
  own: readonly ErrorCode[],
): Record<string, JsonObject> {
  const codes = new Set<ErrorCode>([...always, ...(method === 'POST' ? withBody : []), ...own])
  const statuses = [...new Set([...codes].map((code) => httpStatusOf[code]))].toSorted((a, b) => a - b)
  return Object.fromEntries(
    statuses.map((status) => {
      const own = [...codes].filter((code) => httpStatusOf[code] === status)
      return [status, { $ref: `${inComponents}${[`Refused${status}`, ...own].join('.')}` }]
    }),
  )
}

const inComponents = '#/components/responses/'

/** The refusals that addresses refer to, each once, by the names that `errorResponses` gave them: status and codes. */
export function refusals(paths: Record<string, JsonObject>): Record<string, JsonObject> {
  const names = new Set(
    [...JSON.stringify(paths).matchAll(/#\/components\/responses\/([\w.]+)/g)].map(([, name]) => name!),
  )
  return Object.fromEntries(
    [...names].toSorted().map((name) => {
      const [refused, ...codes] = name.split('.')
      return [name, errorResponse(Number(refused!.slice('Refused'.length)), codes as ErrorCode[])]
    }),
  )
}

function successResponse(operation: RestOperation, status: number, description: string): JsonObject {
  const answers = (operation.examples ?? operationExamples[operation.name])?.answers[status] ?? {}
  return {
    description,
    headers: headersOf(
      'X-Request-Id',
      ...(operation.isKeyed && status !== 202 ? ['Idempotent-Replayed'] : []),
      ...(status === 202 ? ['Location'] : []),
    ),
    content: {
      [(operation.streams ?? 'application/json').split(';')[0]!]: {
        schema: referToOutput(operation.output),
        examples: valuesOf(answers),
      },
    },
  }
}

function errorResponse(status: number, codes: ErrorCode[]): JsonObject {
  const ofCodes = Object.fromEntries(
    codes
      .filter((code) => errorExamples[code])
      .map((code) => [code, { $ref: `#/components/examples/${code}` }]),
  )
  return {
    description: `Refused: ${codes.map((code) => `\`${code}\``).join(' or ')}`,
    headers: headersOf(
      'X-Request-Id',
      ...(status === 401 ? ['WWW-Authenticate'] : []),
      ...(status === 429 || status === 503 ? ['Retry-After'] : []),
    ),
    content: { 'application/json': { schema: refer('Error'), examples: ofCodes } },
  }
}

export const headersOf = (...names: string[]): JsonObject =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))

export function valuesOf(given: Record<string, unknown>): JsonObject {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, { value }]))
}
