import type { Deps } from '../deps.ts'
import { isTokenForm } from '../keys/link-token.ts'
import { limits } from '../limits.ts'

/** Whether the pages use https: then only this host may set the cookies, and only over https. */
export const isSecure = (deps: Deps): boolean => new URL(deps.publicUrl()).protocol === 'https:'

/** The name of a cookie. With the prefix, browsers accept it only from this host and only over https. */
export const cookieName = (deps: Deps, name: string): string => (isSecure(deps) ? `__Host-${name}` : name)

/** The session cookie of the console. */
export const sessionCookie = 'session'
const bindingName = 'gate-connect'
const returnName = 'gate-return'
const companyName = 'gate-company'

/** The session token that the browser sent; undefined without one. The database decides whether it is valid. */
export const readSession = (deps: Deps, header: string | undefined): string | undefined =>
  readCookie(header, cookieName(deps, sessionCookie))

/** Binds a Slack installation to the browser that started it, or clears that. It is sent on the way back from Slack. */
export const bindingCookie = (deps: Deps, binding: string | undefined): string =>
  cookieOf(deps, bindingName, binding, 'Lax')

/** The binding the browser sent back; undefined where it did not start the installation. */
export const readBinding = (deps: Deps, header: string | undefined): string | undefined =>
  readCookie(header, cookieName(deps, bindingName))

/** Makes the console return to the page of a link after signing in, or clears that. */
export const returnCookie = (deps: Deps, token: string | undefined): string =>
  cookieOf(deps, returnName, token, 'Strict')

/** The token of the link to return to; undefined for anything that does not have the form of a token. */
export function readReturn(deps: Deps, header: string | undefined): string | undefined {
  const token = readCookie(header, cookieName(deps, returnName))
  return token !== undefined && isTokenForm(token) ? token : undefined
}

/** A sign-in with the company that this browser began, sealed. It is sent on the way back from the provider. */
export const companyCookie = (deps: Deps, sealed: string | undefined): string =>
  cookieOf(deps, companyName, sealed, 'Lax')

/** The sign-in that the browser began; undefined where it began none. */
export const readCompany = (deps: Deps, header: string | undefined): string | undefined =>
  readCookie(header, cookieName(deps, companyName))

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
