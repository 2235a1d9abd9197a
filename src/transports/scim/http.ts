import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Deps } from '../../deps.ts'
import { GateError, httpStatusOf } from '../../errors.ts'
import type { AdminContext } from '../../operations/admin-context.ts'
import { scimPath } from '../../operations/directory/address.ts'
import { internalErrorSentence, isRead, sendError, toGateError } from '../../web/answer-errors.ts'
import { depsOf } from '../../web/request-deps.ts'
import { noteError } from '../../web/request-log.ts'
import { schemaIds } from './messages.ts'

export const mediaType = 'application/scim+json'

/** Answers a request: what it returns is the body. */
export type Serve = (context: AdminContext, request: FastifyRequest, reply: FastifyReply) => Promise<unknown>
/** The methods of a path. */
export type Served = Partial<Record<'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', Serve>>

/** What a filter asks for, as texts. Pure. */
export const texts = <Name extends string>(asked: Partial<Record<Name, string | boolean>>) =>
  Object.fromEntries(Object.entries(asked).map(([name, value]) => [name, String(value)])) as Partial<
    Record<Name, string>
  >

export const contextOf = (deps: Deps, request: FastifyRequest): AdminContext => ({
  db: depsOf(deps, request).db,
  account: request.caller!.account,
  session: request.caller!.keyHash,
})

export const idIn = ({ params }: FastifyRequest): string => String((params as { id?: string }).id)

export function found<T>(one: T | undefined): T {
  if (one === undefined) throw new GateError('not_found', 'This resource was not found.')
  return one
}

/** A number of a query that is none, or is out of range, is the nearest that is: as the RFC has it. */
const whole = z.coerce.number().int().catch(Number.NaN)

/** The filter and the page that a list is asked for. Pure. */
export function pageIn({ query }: FastifyRequest, countMax: number) {
  const given = query as Record<string, unknown>
  const numberIn = (name: string, fallback: number) => {
    const value = given[name] === undefined ? fallback : whole.parse(given[name])
    return Number.isNaN(value) ? fallback : value
  }
  const limitRows = Math.min(Math.max(numberIn('count', countMax), 0), countMax)
  const skipRows = Math.min(Math.max(numberIn('startIndex', 1), 1), 1_000_000) - 1
  return { filter: given['filter'], skipRows, limitRows }
}

/** Whether the members of a group are asked for. Pure. */
export function wantsMembers({ query }: FastifyRequest): boolean {
  const { attributes, excludedAttributes } = query as Record<string, unknown>
  const names = (list: unknown) =>
    String(list)
      .toLowerCase()
      .split(',')
      .map((name) => name.trim())
  if (excludedAttributes !== undefined && names(excludedAttributes).includes('members')) return false
  return attributes === undefined || names(attributes).some((name) => name.startsWith('members'))
}

/** Answers an error as SCIM has it. @source RFC 7644, section 3.12 */
export function sendScimError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const known = toGateError(error, request.routeOptions.bodyLimit)
  noteError(request, known ?? error)
  const status = known === undefined ? 500 : known.code === 'invalid' ? 400 : httpStatusOf[known.code]
  if (known?.code === 'unauthenticated') reply.header('www-authenticate', 'Bearer')
  if (known?.retryAfterSeconds !== undefined) reply.header('retry-after', String(known.retryAfterSeconds))
  const type = known && scimTypeOf(known)
  return reply
    .code(status)
    .type(`${mediaType}; charset=utf-8`)
    .send({
      schemas: [schemaIds.error],
      status: String(status),
      ...(type === undefined ? {} : { scimType: type }),
      detail: known?.message ?? internalErrorSentence(isRead(request)),
    })
}

/** Answers an error on a path that no scope serves. */
export const sendUnserved: typeof sendError = (error, request, reply) =>
  (request.raw.url?.startsWith(`${scimPath}/`) ? sendScimError : sendError)(error, request, reply)

function scimTypeOf({ code, param }: GateError): string | undefined {
  if (code === 'conflict') return param === undefined ? undefined : 'uniqueness'
  if (code === 'malformed') return 'invalidSyntax'
  if (code === 'invalid') return param === 'filter' ? 'invalidFilter' : 'invalidValue'
  return undefined
}
