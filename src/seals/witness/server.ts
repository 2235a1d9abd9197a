import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { limits } from '../../limits.ts'
import { formatNote } from '../note.ts'
import { addCheckpoint, type Witness, type WitnessReply } from './add-checkpoint.ts'

const witnessBodyBytesMax = 65_536

const witnessConnectionsMax = 256

/** The rate of one address, and how many addresses are counted. */
const witnessRequestsPerMinute = 600
const witnessAddressesMax = 10_000

export interface RunningWitness {
  url: string
  /** Answers what was asked, then ends. */
  stop(): Promise<void>
}

const options = () => ({
  maxHeaderSize: limits.headersBytesMax,
  headersTimeout: limits.witnessRequestMs,
  requestTimeout: limits.witnessRequestMs,
  keepAliveTimeout: limits.keepAliveMs,
  // How often those times are looked at: by default every 30 seconds.
  connectionsCheckingInterval: 1_000,
})

/**
 * Serves the witness protocol: `POST /add-checkpoint`, and `GET /<hash of the origin>/checkpoint` for monitors.
 * @throws Error that names the address if it is in use
 */
export async function serveWitness(
  witness: Witness,
  { host, port }: { host: string; port: number },
): Promise<RunningWitness> {
  const isTooMany = rateLimit(witness.now)
  const server = createServer(options(), (request, response) => {
    answer(witness, request, isTooMany)
      .catch((error: unknown) => {
        witness.say(`failed: ${(error as Error).message}`)
        return { status: 500, body: 'The witness failed. Nothing was cosigned.\n' }
      })
      .then((reply) => reply && send(response, reply))
  })
  server.maxConnections = witnessConnectionsMax
  server.listen(port, host)
  await once(server, 'listening')
  const { port: listening } = server.address() as AddressInfo
  return { url: `http://${host.includes(':') ? `[${host}]` : host}:${listening}`, stop: () => stop(server) }
}

async function stop(server: Server): Promise<void> {
  const late = setTimeout(() => server.closeAllConnections(), limits.shutdownGraceMs)
  const closed = once(server, 'close')
  server.close()
  server.closeIdleConnections()
  await closed
  clearTimeout(late)
}

/** @returns undefined where nobody waits for an answer any more */
async function answer(
  witness: Witness,
  request: IncomingMessage,
  isTooMany: (address: string) => boolean,
): Promise<WitnessReply | undefined> {
  const path = (request.url ?? '').split('?', 1)[0]!
  if (isTooMany(request.socket.remoteAddress ?? '')) return { status: 429, body: 'Too many requests.\n' }
  if (path === '/add-checkpoint') {
    if (request.method !== 'POST') return { status: 405, body: 'Use POST.\n' }
    const body = await bodyOf(request)
    if (body === 'too long')
      return { status: 413, body: `The body is longer than ${witnessBodyBytesMax} bytes.\n` }
    return body && addCheckpoint(witness, body.text)
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') return { status: 405, body: 'Use GET.\n' }
  if (path === '/healthz') return { status: 200, body: 'ok\n' }
  const [, originHash] = /^\/([0-9a-f]{64})\/checkpoint$/.exec(path) ?? []
  const held = originHash === undefined ? undefined : witness.store.latest(originHash)
  return held
    ? { status: 200, body: formatNote(held.note) }
    : { status: 404, body: 'This witness holds no such checkpoint.\n' }
}

async function bodyOf(request: IncomingMessage): Promise<{ text: string } | 'too long' | undefined> {
  const chunks: Buffer[] = []
  let length = 0
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      length += chunk.length
      if (length > witnessBodyBytesMax) return 'too long'
      chunks.push(chunk)
    }
  } catch {
    return undefined
  }
  const text = Buffer.concat(chunks).toString('utf8')
  // Bytes that are no UTF-8 become U+FFFD, which would be signed in their place.
  return { text: text.includes('\ufffd') ? '' : text }
}

function send(
  response: ServerResponse,
  { status, body, type = 'text/plain; charset=utf-8' }: WitnessReply,
): void {
  response.writeHead(status, {
    'content-type': type,
    'content-length': Buffer.byteLength(body),
    'x-content-type-options': 'nosniff',
    ...(status === 429 && { 'retry-after': '60' }),
    // The rest of a body that was not read would be taken for the next request.
    ...(status === 413 && { connection: 'close' }),
  })
  response.end(body)
}

/** Counts requests of each address in the current minute. */
function rateLimit(now: () => number): (address: string) => boolean {
  let minute = 0
  const counts = new Map<string, number>()
  return (address) => {
    const current = Math.floor(now() / 60_000)
    if (current !== minute || counts.size > witnessAddressesMax) counts.clear()
    minute = current
    const count = (counts.get(address) ?? 0) + 1
    counts.set(address, count)
    return count > witnessRequestsPerMinute
  }
}
