import '@fastify/cookie'
import { type FastifyReply, type FastifyRequest } from 'fastify'
import { type Deps } from '../deps.ts'
import { limits } from '../limits.ts'
import { type Said, isSaid } from './said.ts'

const isSecure = (deps: Deps): boolean => new URL(deps.publicUrl).protocol === 'https:'

// With this prefix browsers take a cookie from this host alone and over https alone.
const nameOf = (deps: Deps, name: string): string => (isSecure(deps) ? `__Host-${name}` : name)

const attributes = (deps: Deps) => ({
  path: '/',
  httpOnly: true,
  secure: isSecure(deps),
  // Another site's page, a preview's too, leads nobody to our pages as who they are.
  sameSite: 'strict' as const,
})

/** The token of the session that a browser says it has. Whether it has is for the database to say. */
export const sessionToken = (deps: Deps, request: FastifyRequest): string | undefined =>
  request.cookies[nameOf(deps, 'session')]

export function setSession(deps: Deps, reply: FastifyReply, token: string): void {
  const maxAge = limits.sessionMs / 1_000
  reply.setCookie(nameOf(deps, 'session'), token, { ...attributes(deps), maxAge })
}

export function forgetSession(deps: Deps, reply: FastifyReply): void {
  reply.clearCookie(nameOf(deps, 'session'), attributes(deps))
}

/** Has the next page say what was done. The cookie holds which sentence, and nothing else. */
export function sayNext(deps: Deps, reply: FastifyReply, said: Said): void {
  reply.setCookie(nameOf(deps, 'said'), said, { ...attributes(deps), maxAge: 60 })
}

/** What was done before this page, once. */
export function takeSaid(deps: Deps, request: FastifyRequest, reply: FastifyReply): Said | undefined {
  const name = nameOf(deps, 'said')
  const said = request.cookies[name]
  if (said === undefined) return undefined
  reply.clearCookie(name, attributes(deps))
  return isSaid(said) ? said : undefined
}
