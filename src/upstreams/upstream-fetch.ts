import { AsyncLocalStorage } from 'node:async_hooks'
import type { ConnectionPool } from '../executors/guarded-request.ts'
import { limits } from '../limits.ts'
import { AnswerTooLarge, UpstreamFault } from './upstream-fault.ts'

/** `fetch` to an address that was checked and is pinned, bounded in time and bytes. */
export type CheckedFetch = (
  url: string | URL,
  init: RequestInit | undefined,
  bounds: { allow: readonly string[]; timeoutMs: number; bytesMax: number; pool: ConnectionPool },
) => Promise<Response>

/** A request to a server that is waited for. */
export interface Exchange {
  /** Ends the wait: its answer broke off. */
  fail(error: Error): void
  isOver: boolean
  /** The server said how its answer can be resumed. */
  isResumable: boolean
  resumes: number
}

const exchanges = new AsyncLocalStorage<Exchange>()

/** Runs one exchange: everything that is fetched meanwhile is of it. */
export const inExchange = <T>(exchange: Exchange, run: () => T): T => exchanges.run(exchange, run)

/** The `fetch` of the SDK's transport: without redirects, and without the stream that stays open beside the requests. */
export function upstreamFetch(checkedFetch: CheckedFetch, allow: readonly string[], pool: ConnectionPool) {
  return async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const exchange = exchanges.getStore()
    if (init.method === 'GET' && !mayResume(exchange, init)) return new Response(null, { status: 405 })
    const response = await checkedFetch(url, init, {
      allow,
      pool,
      timeoutMs: limits.upstreamCallMs,
      // Counted below, where too many of them have a name.
      bytesMax: 2 * limits.upstreamAnswerBytesMax,
    })
    if (response.status >= 300 && response.status < 400)
      throw new UpstreamFault('it answered with a redirect, which is not followed', {
        // These two ask for the same request elsewhere: it was not taken here.
        isNotDone: response.status === 307 || response.status === 308,
      })
    return response.body === null ? response : watched(response, response.body, exchange)
  }
}

/** A server that asks to be asked again and again is left after some times. */
function mayResume(exchange: Exchange | undefined, { headers }: RequestInit): boolean {
  if (!exchange || exchange.isOver || !new Headers(headers).has('last-event-id')) return false
  exchange.resumes++
  if (exchange.resumes <= limits.upstreamResumesMax) return true
  exchange.fail(new Error('its answer was interrupted too often'))
  return false
}

/** The same answer, counted. Where a stream ends before the exchange does and cannot be resumed, the exchange fails. */
function watched(response: Response, stream: ReadableStream<Uint8Array>, exchange?: Exchange): Response {
  const isEvents = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
  const reader = stream.getReader()
  let bytes = 0
  const end = (error: Error) => {
    // What was read before the end is handled first.
    if (isEvents && exchange) setImmediate(() => void (exchange.isResumable || exchange.fail(error)))
  }
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { value, done } = await reader.read()
        bytes += value?.length ?? 0
        if (bytes > limits.upstreamAnswerBytesMax) throw new AnswerTooLarge(limits.upstreamAnswerBytesMax)
        if (!done) return controller.enqueue(value)
        controller.close()
        end(new Error('its answer ended too early'))
      } catch (error) {
        controller.error(error)
        if (exchange && error instanceof AnswerTooLarge) exchange.fail(error)
        end(error as Error)
        await reader.cancel().catch(() => undefined)
      }
    },
    cancel: (reason) => reader.cancel(reason),
  })
  return new Response(body, { status: response.status, headers: response.headers })
}
