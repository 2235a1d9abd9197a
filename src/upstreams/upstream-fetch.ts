import type { ConnectionPool } from '../executors/guarded-request.ts'
import { limits } from '../limits.ts'
import { redirectFault } from './upstream-fault.ts'

/** The account for which a server is reached, and the connections that are used. */
interface Reached {
  account: string
  allow: readonly string[]
  pool: ConnectionPool
}

/** `fetch` to an address that was checked and is pinned, bounded in time and bytes. */
export type CheckedFetch = (
  url: string | URL,
  init: RequestInit | undefined,
  bounds: Reached & { timeoutMs: number; bytesMax: number },
) => Promise<Response>

/**
 * The `fetch` of the SDK's transport, which opens and ends sessions and answers what servers ask: without redirects, and without
 * the stream that stays open beside the requests.
 */
export function upstreamFetch(checkedFetch: CheckedFetch, reached: Reached) {
  return async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    if (init.method === 'GET') return new Response(null, { status: 405 })
    const response = await checkedFetch(url, init, {
      ...reached,
      timeoutMs: limits.upstreamCallMs,
      bytesMax: limits.upstreamAnswerBytesMax,
    })
    if (response.status >= 300 && response.status < 400) throw redirectFault(response.status)
    return response
  }
}
