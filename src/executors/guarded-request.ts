import { type ClientRequest, Agent as HttpAgent, type IncomingMessage, request as askHttp } from 'node:http'
import { Agent as HttpsAgent, request as askHttps } from 'node:https'
import type { LookupFunction } from 'node:net'
import { limits } from '../limits.ts'
import type { Allowed } from '../network/address.ts'
import { addressesFault, checkExecutorUrl } from './checked-url.ts'
import { type ResolveName, nameLookups } from './name-lookups.ts'

/** Where calls may go, and how names are resolved. */
export interface Network {
  allowed: Allowed
  /** Absent: as the system resolves names. */
  resolve?: ResolveName
  /** The certificates of authorities to trust. Absent: those of Node. */
  ca?: string
  /** How long a call of an executor may take. Absent: as in limits.ts. */
  callMs?: number
}

export interface GuardedRequest {
  /** The account for which it is sent: accounts take turns where names are looked up. */
  account: string
  url: string
  method: string
  headers: Record<string, string>
  body?: string | Uint8Array | undefined
  /** Absent: on a connection of its own. */
  pool?: ConnectionPool | undefined
}

/** Connections that are kept for the next request to the same host. They were checked and pinned when they were made. */
export interface ConnectionPool {
  http: HttpAgent
  https: HttpsAgent
}

/** @param idleMs  how long a connection is kept: shorter than servers do, so that none is closed while a request is sent on it */
export function connectionPool(idleMs: number): ConnectionPool {
  const options = {
    keepAlive: true,
    timeout: idleMs,
    scheduling: 'lifo' as const,
    maxSockets: limits.upstreamSocketsMax,
  }
  return { http: new HttpAgent(options), https: new HttpsAgent(options) }
}

/** A call that got no answer. `isUnsent`: nothing of it left the gate. */
export class CallFailure extends Error {
  readonly code: string
  readonly isUnsent: boolean

  constructor(code: string, isUnsent: boolean) {
    super(`the call failed: ${code}`)
    this.name = 'CallFailure'
    this.code = code
    this.isUnsent = isUnsent
  }
}

/**
 * Sends one request. A name is resolved once, its addresses are checked, and the connection is made to
 * one of exactly these. Follows no redirect, and knows no proxy.
 * @returns the answer with its head; its body is not read yet
 * @throws CallFailure
 */
export function sendGuarded(
  network: Network,
  { account, url, method, headers, body, pool }: GuardedRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  if (checkExecutorUrl(url, network.allowed) !== undefined)
    return Promise.reject(new CallFailure('address_refused', true))
  const target = new URL(url)
  const isSecure = target.protocol === 'https:'
  const ask = isSecure ? askHttps : askHttp
  return new Promise((resolve, reject) => {
    let isUnsent = true
    const request: ClientRequest = ask(target, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }) },
      lookup: guardedLookup(network, account, target),
      ...(network.ca === undefined ? {} : { ca: network.ca }),
      agent: pool ? (isSecure ? pool.https : pool.http) : false,
      signal,
    })
    // Before the connection stands, and with TLS is trusted, no byte of the request is written. A request that waited for a
    // connection gets one that stands already, and Node does not call that one reused.
    request.once('socket', (socket) => {
      if (request.reusedSocket || (!socket.connecting && !socket.destroyed)) isUnsent = false
      else socket.once(isSecure ? 'secureConnect' : 'connect', () => (isUnsent = false))
    })
    request.once('response', resolve)
    request.on('error', (error) =>
      reject(new CallFailure(signal.aborted ? 'timeout' : codeOf(error), isUnsent)),
    )
    // A server that changes the protocol (101) ends the request without an answer and without an error.
    request.once('close', () =>
      reject(new CallFailure(signal.aborted ? 'timeout' : 'answer_broken', isUnsent)),
    )
    request.end(body)
  })
}

/** Resolves a name for one connection, and refuses all of its addresses where one may not be called. */
export function guardedLookup(network: Network, account: string, url: URL): LookupFunction {
  const resolve = network.resolve ?? everyAddress
  return (host, options, done) => {
    resolve(host, account).then(
      (found) => {
        const addresses = found.map(({ address }) => address)
        const fault = found.length === 0 ? 'not_resolved' : addressesFault(url, addresses, network.allowed)
        if (fault !== undefined) return done(Object.assign(new Error(fault), { code: fault }), '', 0)
        if (options.all) return done(null, found)
        return done(null, found[0]!.address, found[0]!.family)
      },
      () => done(Object.assign(new Error('not_resolved'), { code: 'not_resolved' }), '', 0),
    )
  }
}

/** One list of lookups for the process, which has one pool of threads. */
const everyAddress = nameLookups()

/** A code of ours, or Node's in our form: `econnrefused`. Never a message: it may repeat what was sent. */
function codeOf(error: Error & { code?: unknown; errors?: { code?: unknown }[] }): string {
  const code = error.code ?? error.errors?.[0]?.code
  return typeof code === 'string' ? code.toLowerCase() : 'call_failed'
}
