import type { FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { GateError } from '../errors.ts'
import { isLoopbackHost } from '../network/loopback.ts'

/**
 * A session cookie may only travel over https or on loopback. Checks both the configured public address and the host
 * name of this request.
 * @throws GateError `unavailable` with what to configure
 */
export function requireSafeAddress(deps: Deps, { hostname }: FastifyRequest): void {
  const { protocol, hostname: publicName, pathname } = new URL(deps.publicUrl())
  if (pathname !== '/')
    throw new GateError('unavailable', `The console needs a PUBLIC_URL without a path. ${askOperator}`)
  if (protocol === 'https:') return
  if (isOnThisMachine(publicName) && isOnThisMachine(hostname)) return
  throw new GateError(
    'unavailable',
    `Signing in over plain http would expose your session to the network. PUBLIC_URL must be the https address of the service. ${askOperator}`,
  )
}

const askOperator = 'Ask the operator of the service to set it.'

/** It is the browser that looks up the host, and browsers keep `*.localhost` on their machine. @source RFC 6761, section 6.3 */
const isOnThisMachine = (hostname: string): boolean =>
  isLoopbackHost(hostname) || /.\.localhost$/.test(hostname)
