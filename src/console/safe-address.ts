import type { FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { GateError } from '../errors.ts'

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
  if (isLoopback(publicName) && isLoopback(hostname)) return
  throw new GateError(
    'unavailable',
    `Signing in over plain http would expose your session to the network. PUBLIC_URL must be the https address of the service. ${askOperator}`,
  )
}

const askOperator = 'Ask the operator of the service to set it.'

function isLoopback(hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, '')
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|::1)$/.test(name)
}
