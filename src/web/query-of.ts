import type { FastifyRequest } from 'fastify'
import { GateError } from '../errors.ts'

/**
 * The parameters of a query as text.
 * @throws GateError `invalid` where one is sent twice: it would be unclear which value counts
 */
export function queryOf({ query }: Pick<FastifyRequest, 'query'>): Record<string, string> {
  const given = query as Record<string, string | string[]>
  const twice = Object.keys(given).find((name) => Array.isArray(given[name]))
  if (twice !== undefined) throw sentTwice(twice)
  return given as Record<string, string>
}

/** The refusal of a field of a form, or a parameter of a query, that is sent twice. */
export function sentTwice(name: string): GateError {
  const param = name.slice(0, 100)
  return new GateError('invalid', `${param} was sent more than once. Send it once.`, { param })
}
