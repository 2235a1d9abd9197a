import type { FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { GateError } from '../errors.ts'

/**
 * Refuses forms that another site sends through the user's browser. Browsers report the origin of a request:
 * `Sec-Fetch-Site` on https and loopback, otherwise `Origin`. A client that sends neither is not a browser.
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
  if (!isOurs)
    throw new GateError(
      'forbidden',
      'This form was sent from another site. Open the page directly and try again.',
    )
}

// The public address, or the host name under which the page was opened.
function isOwnOrigin(deps: Deps, origin: string, host: string | undefined): boolean {
  if (origin === new URL(deps.publicUrl()).origin) return true
  return URL.canParse(origin) && new URL(origin).host === host
}
