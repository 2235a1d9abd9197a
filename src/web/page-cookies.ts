import type { Deps } from '../deps.ts'
import { isTokenForm } from '../keys/link-token.ts'
import { limits } from '../limits.ts'

/** Whether the pages are reached over https: then only this host may set the cookie, and no page without https. */
const isSecure = (deps: Deps): boolean => new URL(deps.publicUrl()).protocol === 'https:'

/** The name of a cookie of ours. With the prefix browsers take it from this host alone and over https alone. */
export const cookieName = (deps: Deps, name: string): string => (isSecure(deps) ? `__Host-${name}` : name)

/** The cookie of who is signed in to the console. */
export const sessionCookie = 'session'
const bindingName = 'gate-connect'
const returnName = 'gate-return'

/** The session that a browser says it has; undefined where it has none. Whether it has is for the database to say. */
export const readSession = (deps: Deps, header: string | undefined): string | undefined =>
  readCookie(header, cookieName(deps, sessionCookie))

/** The cookie that binds an installation to the browser that began it, or takes it away. Comes back from Slack's page. */
export const bindingCookie = (deps: Deps, binding: string | undefined): string =>
  cookieOf(deps, bindingName, binding, 'Lax')

/** What the browser brought back; undefined where it did not begin. */
export const readBinding = (deps: Deps, header: string | undefined): string | undefined =>
  readCookie(header, cookieName(deps, bindingName))

/** Has the console lead back to the page of a link once somebody is signed in, or forgets that. */
export const returnCookie = (deps: Deps, token: string | undefined): string =>
  cookieOf(deps, returnName, token, 'Strict')

/** The token of the link to lead back to: never anything that is not formed like one. */
export function readReturn(deps: Deps, header: string | undefined): string | undefined {
  const token = readCookie(header, cookieName(deps, returnName))
  return token !== undefined && isTokenForm(token) ? token : undefined
}

function cookieOf(deps: Deps, name: string, value: string | undefined, sameSite: 'Lax' | 'Strict'): string {
  return [
    `${cookieName(deps, name)}=${value ?? ''}`,
    'Path=/',
    `Max-Age=${value === undefined ? 0 : limits.connectLinkMs / 1_000}`,
    'HttpOnly',
    `SameSite=${sameSite}`,
    ...(isSecure(deps) ? ['Secure'] : []),
  ].join('; ')
}

function readCookie(header: string | undefined, name: string): string | undefined {
  const prefix = `${name}=`
  const found = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(prefix))
  return found?.slice(prefix.length)
}
