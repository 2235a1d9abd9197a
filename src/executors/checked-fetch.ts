import { Readable, Transform } from 'node:stream'
import type { Allowed } from '../network/address.ts'
import { type ConnectionPool, sendGuarded } from './guarded-request.ts'
import { timeLimit } from '../waiting/time-limit.ts'

/** The bounds of a checked fetch. */
export interface FetchBounds {
  /** The account for which it is fetched. */
  account: string
  allow: Allowed
  /** The time until the whole answer has been read. */
  timeoutMs: number
  /** The most bytes of the answer's body. A longer one ends with an error while it is read. */
  bytesMax: number
  /** Absent: each request has a connection of its own. */
  pool?: ConnectionPool | undefined
}

/**
 * `fetch` to an address that is not ours: checked and pinned as calls of executors are, without redirects, bounded in time and
 * bytes. The body may be a text or bytes.
 * @throws CallFailure
 */
export async function checkedFetch(
  url: string | URL,
  init: RequestInit | undefined,
  { account, allow, timeoutMs, bytesMax, pool }: FetchBounds,
): Promise<Response> {
  const asked = new Request(url, init)
  const body = asked.body === null ? undefined : new Uint8Array(await asked.arrayBuffer())
  const headers = Object.fromEntries(asked.headers)
  const { signal, clear } = timeLimit(timeoutMs, init?.signal)
  const answer = await sendGuarded(
    { allowed: allow },
    { account, url: asked.url, method: asked.method, headers, body, pool },
    signal,
  ).catch((error: unknown) => {
    clear()
    throw error
  })
  answer.once('close', clear)
  const status = answer.statusCode!
  const given = Object.entries(answer.headersDistinct).flatMap(([name, values]) =>
    (values ?? []).map((value): [string, string] => [name, value]),
  )
  if (bodiless.has(status) || asked.method === 'HEAD') {
    answer.resume()
    return new Response(null, { status, headers: given })
  }
  const bounded = answer.pipe(bound(bytesMax))
  answer.once('error', (error) => bounded.destroy(error))
  // An answer that was read to its end leaves its connection to the next request.
  bounded.once('close', () => void (answer.complete || answer.destroy()))
  return new Response(Readable.toWeb(bounded) as ReadableStream, { status, headers: given })
}

/** @source Fetch standard: null body status */
const bodiless = new Set([204, 205, 304])

function bound(bytesMax: number): Transform {
  let length = 0
  return new Transform({
    transform(part: Buffer, _encoding, done) {
      length += part.length
      if (length > bytesMax) return done(new Error(`the answer has more than ${bytesMax} bytes`))
      done(null, part)
    },
  })
}
