import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { GateError } from '../errors.ts'
import { limits } from '../limits.ts'
import { identityOf } from '../operations/members/actor.ts'
import { type Caller, authenticate, keyHashIn } from '../operations/authenticate.ts'
import type { Identity } from '../operations/operation.ts'
import { noteKeyRefused } from '../operations/refused-write.ts'
import { Actor } from '../operations/schemas.ts'
import { failureLimit } from './failure-limit.ts'
import { perMinute } from '../web/rate-limit.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null
    /** When that was read, by the clock of the process. */
    authenticatedAt: number
  }
  interface FastifyContextConfig {
    /** The query names a member, as an actor does. */
    namesMember?: boolean
  }
}

/** Authenticates a request and keeps its key within its rate. Throws what is to be answered. */
export type Authenticator = (request: FastifyRequest) => Promise<Caller>

/** Needs `@fastify/rate-limit` to be registered. */
export function authenticator(app: FastifyInstance, deps: Deps): Authenticator {
  const keyMax = deps.config.RATE_LIMIT_PER_MINUTE
  const spendOfKey = perMinute(
    app,
    keyMax,
    `This API key is limited to ${keyMax} requests a minute.`,
    (request) => request.caller!.keyId,
  )
  const lookUp = failureLimit(app)

  return async (request) => {
    request.caller = await lookUp(request, () =>
      authenticate(deps, request.headers.authorization, request.ip, namedMember(request)),
    ).catch((refusal: unknown) => refuse(request, refusal))
    request.authenticatedAt = performance.now()
    if (keyMax > 0) await spendOfKey(request)
    return request.caller
  }

  /** Throws on. A write by a key that no longer holds leaves an entry, behind the answer. */
  function refuse(request: FastifyRequest, refusal: unknown): never {
    const hash = keyHashIn(request.headers.authorization)
    if (
      hash &&
      request.method !== 'GET' &&
      refusal instanceof GateError &&
      refusal.code === 'unauthenticated'
    )
      deps.background.start('the entry of a refused key', () => noteKeyRefused(deps, hash, 'request', 'api'))
    throw refusal
  }
}

/**
 * Reads a key again once the body of its request is there, unless that was at once: a body may take half a minute, and a
 * key is revoked meanwhile.
 */
export async function authenticateAgain(deps: Deps, request: FastifyRequest): Promise<void> {
  if (!request.caller || performance.now() - request.authenticatedAt < limits.authenticationFreshMs) return
  const { keyHash } = request.caller
  try {
    request.caller = await authenticate(deps, request.headers.authorization, request.ip)
  } catch (refusal) {
    if (refusal instanceof GateError && refusal.code === 'unauthenticated')
      await noteKeyRefused(deps, keyHash, 'request', 'api')
    throw refusal
  }
}

/** The member that the query names, where the route is about one. What is malformed is refused later, with a sentence. */
function namedMember(request: FastifyRequest): Identity | undefined {
  if (!request.routeOptions.config.namesMember) return undefined
  const actor = Actor.safeParse(request.query)
  if (!actor.success) return undefined
  try {
    return identityOf(actor.data)
  } catch {
    return undefined
  }
}
