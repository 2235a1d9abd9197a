import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { GateError, isOutcomeUnknown } from '../errors.ts'
import { limits } from '../limits.ts'
import { identityOf } from '../operations/members/actor.ts'
import {
  type Caller,
  authenticate,
  authenticateRunner,
  keptCaller,
  keyHashIn,
  refusedKey,
} from '../operations/authenticate.ts'
import type { Identity } from '../operations/operation.ts'
import { noteKeyRefused } from '../operations/refused-write.ts'
import { type Signed, signatureIn, signedLookUp } from '../operations/runner-calls/signed-request.ts'
import { Actor } from '../operations/schemas.ts'
import { sendError, toGateError } from '../web/answer-errors.ts'
import { failureLimit } from './failure-limit.ts'
import { keyLimit } from './key-limit.ts'

declare module 'fastify' {
  interface FastifyRequest {
    caller: Caller | null
    /** When the caller was authenticated, by the clock of the process. */
    authenticatedAt: number
    /** Who signed the request; null: nobody did. Its key may be no longer valid. */
    signed: Signed | null
  }
  interface FastifyContextConfig {
    /** The query string contains an actor. */
    namesMember?: boolean
    /** Its callers are connected apps; absent: all others. A token of one is good nowhere else. */
    isOfApps?: boolean
    /** It is about the member of a runner's key. */
    isOfKeyMember?: boolean
    /** What it answers comes from a statement that checks the key, or it authenticates again. */
    checksKey?: boolean
    /** The caller waits for no longer, whatever the database does: neither before the request nor before its error. */
    authenticatesWithinMs?: number
  }
}

/**
 * Authenticates a request and applies the rate limit of its key. Throws the error to answer with. On a route that checks the
 * key, the caller may be kept: a second call reads the key.
 */
export type Authenticator = (request: FastifyRequest) => Promise<Caller>

/** Requires that `@fastify/rate-limit` is registered. */
export function authenticator(app: FastifyInstance, deps: Deps): Authenticator {
  app.decorateRequest('caller', null)
  app.decorateRequest('authenticatedAt', 0)
  app.decorateRequest('signed', null)
  const spendOfKey = keyLimit(app, deps)
  const lookUp = failureLimit(app)

  return async (request) => {
    const first = request.caller?.isKept ? request.caller : undefined
    const isSecond = first !== undefined
    // Without a caller, a failure of this second time is answered without a third one.
    if (isSecond) request.caller = null
    const signature = request.routeOptions.config.isOfKeyMember
      ? signatureIn(request.headers.authorization)
      : undefined
    const hash = first?.keyHash ?? request.signed?.hash ?? keyHashIn(request.headers)
    request.caller =
      signature && !isSecond
        ? await readSigned(request, signature)
        : (!isSecond && kept(request, hash)) || (await read(request, hash, isSecond))
    request.authenticatedAt = performance.now()
    if (request.caller.isOfApp !== (request.routeOptions.config.isOfApps ?? false)) throw elsewhere(request)
    if (!isSecond) await spendOfKey(request)
    return request.caller
  }

  function kept({ routeOptions, ip }: FastifyRequest, hash: Buffer | undefined): Caller | undefined {
    return routeOptions.config.checksKey ? keptCaller(deps, hash, ip) : undefined
  }

  function read(request: FastifyRequest, hash: Buffer | undefined, isSecond: boolean): Promise<Caller> {
    return lookUp(request, hash, () =>
      request.routeOptions.config.isOfKeyMember && !isSecond
        ? authenticateRunner(deps, hash, request.ip)
        : authenticate(deps, hash, request.ip, namedMember(request)),
    ).catch((refusal: unknown) => refuse(request, hash, refusal))
  }

  function readSigned(
    request: FastifyRequest,
    signature: NonNullable<ReturnType<typeof signatureIn>>,
  ): Promise<Caller> {
    const { sent, lookUp: readCaller } = signedLookUp(deps, {
      target: request.raw.url!,
      address: request.ip,
      signature,
      isRight: (signed) => (request.signed = signed),
    })
    return lookUp(request, sent, readCaller).catch((refusal: unknown) =>
      refuse(request, request.signed?.hash, refusal),
    )
  }

  /** Rethrows. A write with a revoked or expired key is recorded in the ledger, after the answer. */
  function refuse(request: FastifyRequest, hash: Buffer | undefined, refusal: unknown): never {
    if (
      hash &&
      request.method !== 'GET' &&
      refusal instanceof GateError &&
      refusal.code === 'unauthenticated'
    )
      deps.background.start('refused_key', 'record a refused key', () =>
        noteKeyRefused(deps, hash, 'request', 'api'),
      )
    throw refusal
  }
}

/** The refusal of a key at the wrong path: without a caller, as that of any key that is not valid. */
function elsewhere(request: FastifyRequest): GateError {
  request.caller = null
  return refusedKey()
}

/** Whether a request has no caller, or was authenticated just now. */
export const isFresh = ({ caller, authenticatedAt }: FastifyRequest): boolean =>
  !caller || performance.now() - authenticatedAt < limits.authenticationFreshMs

/** Authenticates again when the body has arrived late: it may take half a minute, and the key may be revoked meanwhile. */
export async function authenticateAgain(deps: Deps, request: FastifyRequest): Promise<void> {
  const { keyHash } = request.caller!
  request.caller = null
  try {
    request.caller = await authenticate(deps, keyHash, request.ip)
  } catch (refusal) {
    if (refusal instanceof GateError && refusal.code === 'unauthenticated')
      await noteKeyRefused(deps, keyHash, 'request', 'api')
    throw refusal
  }
}

/**
 * Whether the caller of a request that failed is authenticated before the error is answered: one who was kept, unless the request
 * may have been done, as after every unexpected error: that is never hidden.
 */
export const mustAuthenticate = (caller: Caller | null | undefined, error: unknown): boolean =>
  caller?.isKept === true && toGateError(error) !== undefined && !isOutcomeUnknown(error)

/**
 * Answers an error. A caller who was kept is first authenticated, and is answered that error if it fails, unless the outcome of
 * the request is unknown.
 * @param answer  another way to answer it
 */
export const errorSender =
  (authenticate: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>, answer = sendError) =>
  async (error: unknown, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const refusal = mustAuthenticate(request.caller, error)
      ? await authenticate(request, reply).then(
          () => error,
          (refused: unknown) => refused,
        )
      : error
    return answer(refusal, request, reply)
  }

/** The actor in the query string, on routes that take one. A malformed actor is refused later, by the schema. */
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
