import '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { limits } from '../limits.ts'
import { connectPath } from '../operations/integrations/connect-link.ts'
import { cookieName as nameOf, readReturn, returnCookie, sessionCookie } from '../web/page-cookies.ts'
import { type Flash, isFlash } from './flash.ts'

const isSecure = (deps: Deps): boolean => new URL(deps.publicUrl()).protocol === 'https:'

const attributes = (deps: Deps) => ({
  path: '/',
  httpOnly: true,
  secure: isSecure(deps),
  // Another site's page, a preview's too, leads nobody to our pages as who they are.
  sameSite: 'strict' as const,
})

/** The token of the session that a browser says it has. Whether it has is for the database to say. */
export const sessionToken = (deps: Deps, request: FastifyRequest): string | undefined =>
  request.cookies[nameOf(deps, sessionCookie)]

export function setSession(deps: Deps, reply: FastifyReply, token: string): void {
  const maxAge = limits.sessionMs / 1_000
  reply.setCookie(nameOf(deps, sessionCookie), token, { ...attributes(deps), maxAge })
}

export function clearSession(deps: Deps, reply: FastifyReply): void {
  reply.clearCookie(nameOf(deps, sessionCookie), attributes(deps))
}

/** Has the next page say what was done. The cookie holds which sentence, and nothing else. */
export function setFlash(deps: Deps, reply: FastifyReply, flash: Flash): void {
  reply.setCookie(nameOf(deps, 'flash'), flash, { ...attributes(deps), maxAge: 60 })
}

/** What was done before this page, once. */
export function takeFlash(deps: Deps, request: FastifyRequest, reply: FastifyReply): Flash | undefined {
  const name = nameOf(deps, 'flash')
  const flash = request.cookies[name]
  if (flash === undefined) return undefined
  reply.clearCookie(name, attributes(deps))
  return isFlash(flash) ? flash : undefined
}

/** Whether somebody came from the page of a link to connect a provider, to sign in. */
export const isReturningToConnect = (deps: Deps, request: FastifyRequest): boolean =>
  readReturn(deps, request.headers.cookie) !== undefined

/** Where somebody goes once they are signed in: back to the page of the link that they came from, or to the console. */
export function afterSignInPath(deps: Deps, request: FastifyRequest, reply: FastifyReply): string {
  const token = readReturn(deps, request.headers.cookie)
  if (token === undefined) return '/console'
  reply.header('set-cookie', returnCookie(deps, undefined))
  return `${connectPath}/${token}`
}
