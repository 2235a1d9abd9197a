import { type Deps } from '../deps.ts'
import { limits } from '../limits.ts'

/** Whether the pages are reached over https: then only this host may set the cookie, and no page without https. */
const isSecure = (deps: Deps): boolean => new URL(deps.publicUrl).protocol === 'https:'
const nameOf = (deps: Deps): string => (isSecure(deps) ? '__Host-gate-connect' : 'gate-connect')

/** The cookie that binds an installation to the browser that began it, or takes it away. Comes back from Slack's page. */
export function bindingCookie(deps: Deps, binding: string | undefined): string {
  return [
    `${nameOf(deps)}=${binding ?? ''}`,
    'Path=/',
    `Max-Age=${binding === undefined ? 0 : limits.connectLinkMs / 1_000}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(isSecure(deps) ? ['Secure'] : []),
  ].join('; ')
}

/** What the browser brought back; undefined where it did not begin. */
export function readBinding(deps: Deps, header: string | undefined): string | undefined {
  const prefix = `${nameOf(deps)}=`
  const found = (header ?? '')
    .split(';')
    .map((pair) => pair.trim())
    .find((pair) => pair.startsWith(prefix))
  return found?.slice(prefix.length)
}
