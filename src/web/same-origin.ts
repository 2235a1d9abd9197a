import type { FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { GateError } from '../errors.ts'

/**
 * A form of another site may not be sent here through its visitor's browser. Browsers say where a request comes from:
 * `Sec-Fetch-Site` on https and loopback, else `Origin`. What sends neither is no browser.
 * @throws GateError `forbidden`
 */
export function refuseForeignForms(deps: Deps, { method, headers }: FastifyRequest): void {
  if (method === 'GET' || method === 'HEAD') return
  const { origin } = headers
  const site = headers['sec-fetch-site']
  const isOurs =
    site === undefined
      ? origin === undefined || isOwnOrigin(deps, origin, headers.host)
      : site === 'same-origin' || site === 'none'
  if (!isOurs) throw new GateError('forbidden', 'This form was sent from another site. Open the link itself.')
}

// By the public address, or by whatever name the page itself was reached under.
function isOwnOrigin(deps: Deps, origin: string, host: string | undefined): boolean {
  if (origin === new URL(deps.publicUrl()).origin) return true
  return URL.canParse(origin) && new URL(origin).host === host
}
