import { type Socket, connect } from 'node:net'
import { type Network, guardedLookup } from './guarded-request.ts'

/**
 * Connects to a host that an account named, as executors are called: its name is resolved once, its addresses are checked, and
 * the connection is made to one of exactly these.
 * @throws Error with the code `address_refused` or `not_resolved`, or Node's
 */
export function guardedSocket(
  network: Network,
  { account, host, port }: { account: string; host: string; port: number },
  signal: AbortSignal,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const address = new URL(`https://${host.includes(':') ? `[${host}]` : host}`)
    const socket = connect({ host, port, signal, lookup: guardedLookup(network, account, address) })
    socket.once('error', reject)
    socket.once('connect', () => {
      socket.removeListener('error', reject)
      resolve(socket)
    })
  })
}
