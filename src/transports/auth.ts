import { type FastifyInstance, type FastifyRequest } from 'fastify'
import { type Deps } from '../deps.ts'
import { identityOf } from '../operations/actor.ts'
import { type Caller, authenticate } from '../operations/authenticate.ts'
import { type Identity } from '../operations/operation.ts'
import { Actor } from '../operations/schemas.ts'
import { failureLimit } from './failure-limit.ts'
import { perMinute } from './rate-limit.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null
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
      authenticate(deps, request.headers.authorization, namedMember(request)),
    )
    if (keyMax > 0) await spendOfKey(request)
    return request.caller
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
