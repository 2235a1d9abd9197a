import type { FastifyRequest } from 'fastify'

/** The token in the path of a link that was opened. */
export const tokenOf = (request: FastifyRequest): string => (request.params as { token: string }).token
