import type { FastifyRequest } from 'fastify'
import type { Deps } from '../deps.ts'
import { GateError } from '../errors.ts'

/**
 * A session's cookie goes over https, or stays on the machine. Both must hold: what the service says its address is, and
 * the name by which this browser reached it.
 * @throws GateError `unavailable` that says what to configure
 */
export function requireSafeAddress(deps: Deps, { hostname }: FastifyRequest): void {
  const { protocol, hostname: publicName, pathname } = new URL(deps.publicUrl())
  if (pathname !== '/')
    throw new GateError('unavailable', `The console needs a PUBLIC_URL without a path. ${askOperator}`)
  if (protocol === 'https:') return
  if (isLoopback(publicName) && isLoopback(hostname)) return
  throw new GateError(
    'unavailable',
    `Signing in over plain http would show your session to whoever listens on the way. Set PUBLIC_URL to the https address of the service. ${askOperator}`,
  )
}

const askOperator = 'Ask whoever runs it.'

function isLoopback(hostname: string): boolean {
  const name = hostname.replace(/^\[|\]$/g, '')
  return /^(localhost|.+\.localhost|127(\.\d{1,3}){3}|::1)$/.test(name)
}
