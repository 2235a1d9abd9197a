import type { FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'

/** The dependencies with the log of a request: what is logged on its behalf, also after its answer, has its id. */
export const depsOf = (deps: Deps, request: FastifyRequest): Deps =>
  Object.assign(Object.create(deps) as Deps, { log: request.log })
