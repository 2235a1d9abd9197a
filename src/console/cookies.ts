import '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { limits } from '../limits.ts'
import { connectPath } from '../operations/integrations/connect-link.ts'
import {
  cookieName as nameOf,
  isSecure,
  readReturn,
  returnCookie,
  sessionCookie,
} from '../web/page-cookies.ts'
import { type Flash, isFlash } from './flash.ts'

/** Path and query of the page that signing in returns to. */
const returnPathCharsMax = 2_400
const lookCookie = 'looked'
const lookKeptSeconds = 30 * 24 * 60 * 60

const attributes = (deps: Deps) => ({
  path: '/',
  httpOnly: true,
  secure: isSecure(deps),
  // Requests from other sites, previews included, carry no session.
  sameSite: 'strict' as const,
})

/** The session token that the browser sent. The database decides whether it is valid. */
export const sessionToken = (deps: Deps, request: FastifyRequest): string | undefined =>
  request.cookies[nameOf(deps, sessionCookie)]

export function setSession(deps: Deps, reply: FastifyReply, token: string): void {
  const maxAge = limits.sessionMs / 1_000
  reply.setCookie(nameOf(deps, sessionCookie), token, { ...attributes(deps), maxAge })
}

export function clearSession(deps: Deps, reply: FastifyReply): void {
  reply.clearCookie(nameOf(deps, sessionCookie), attributes(deps))
}

/** Makes the next page show a flash message. The cookie holds the name of the message only. */
export function setFlash(deps: Deps, reply: FastifyReply, flash: Flash): void {
  reply.setCookie(nameOf(deps, 'flash'), flash, { ...attributes(deps), maxAge: 60 })
}

/** Reads the flash message and clears it, so that it is shown once. */
export function takeFlash(deps: Deps, request: FastifyRequest, reply: FastifyReply): Flash | undefined {
  const name = nameOf(deps, 'flash')
  const flash = request.cookies[name]
  if (flash === undefined) return undefined
  reply.clearCookie(name, attributes(deps))
  return isFlash(flash) ? flash : undefined
}

/** When this browser last looked at what waits, before the look that goes on. */
export const lookedBefore = (deps: Deps, request: FastifyRequest): Date | undefined =>
  lookOf(request.cookies[nameOf(deps, lookCookie)], Date.now()).since

/** Notes that this browser looks at what waits. */
export function noteLook(deps: Deps, request: FastifyRequest, reply: FastifyReply): void {
  const name = nameOf(deps, lookCookie)
  const maxAge = lookKeptSeconds
  reply.setCookie(name, lookOf(request.cookies[name], Date.now()).value, { ...attributes(deps), maxAge })
}

/**
 * A look and the one before, from the cookie `<before>-<last>` in seconds. Within a while it is the same look, so that what is new
 * stays new while somebody decides. Pure.
 */
export function lookOf(
  cookie: string | undefined,
  nowMs: number,
): { since: Date | undefined; value: string } {
  const now = Math.floor(nowMs / 1_000)
  const [, before, last] = /^(\d{0,10})-(\d{1,10})$/.exec(cookie ?? '') ?? []
  const isSame = last !== undefined && now - Number(last) < limits.inboxLookMs / 1_000
  const since = (isSame ? before : last) ?? ''
  return { since: since === '' ? undefined : new Date(Number(since) * 1_000), value: `${since}-${now}` }
}

/** Makes signing in return to the page that was asked for. The cookie binds that to the browser that asked. */
export function setReturnPage(deps: Deps, reply: FastifyReply, asked: string): void {
  const path = returnPath(asked)
  if (path === undefined) return
  const value = Buffer.from(path).toString('base64url')
  reply.setCookie(nameOf(deps, 'return'), value, { ...attributes(deps), maxAge: limits.signInLinkMs / 1_000 })
  // A connect page that was left counts no more.
  reply.header('set-cookie', returnCookie(deps, undefined))
}

/** Whether signing in returns to a page of the console. */
export const isReturningToPage = (deps: Deps, request: FastifyRequest): boolean =>
  askedBefore(deps, request) !== undefined

/** The page that this browser asked for before it came to sign in. */
function askedBefore(deps: Deps, request: FastifyRequest): string | undefined {
  const value = request.cookies[nameOf(deps, 'return')]
  return value === undefined ? undefined : returnPath(Buffer.from(value, 'base64url').toString())
}

/** Whether the user came to sign in from the page that connects a provider. */
export const isReturningToConnect = (deps: Deps, request: FastifyRequest): boolean =>
  readReturn(deps, request.headers.cookie) !== undefined

/** The path to open after signing in: the page the user came from, or the start page of the console. */
export function afterSignInPath(deps: Deps, request: FastifyRequest, reply: FastifyReply): string {
  const asked = askedBefore(deps, request)
  if (asked !== undefined) reply.clearCookie(nameOf(deps, 'return'), attributes(deps))
  const token = readReturn(deps, request.headers.cookie)
  if (token === undefined) return asked ?? '/console'
  reply.header('set-cookie', returnCookie(deps, undefined))
  return `${connectPath}/${token}`
}

/**
 * The page of the console to return to after signing in: only its own pages, whatever is asked for or stands in a cookie.
 * Pure.
 * @param asked  path and query, as requested
 * @returns undefined for the start page, the pages of signing in and out, files, and everything outside the console
 */
export function returnPath(asked: string | undefined): string | undefined {
  if (asked === undefined || asked.length > returnPathCharsMax || !asked.startsWith('/console/'))
    return undefined
  if (!URL.canParse(asked, base)) return undefined
  // Without dot segments: they could lead out of the console.
  const { origin, pathname, search } = new URL(asked, base)
  const isOurs = origin === base && /^\/console\/[\w-]+(\/[\w%:.-]+)*$/.test(pathname)
  if (!isOurs || /^\/console\/sign-(in|out)(\/|$)|\.[a-z]+$/.test(pathname)) return undefined
  return `${pathname}${search}`
}

const base = 'http://gate.invalid'
