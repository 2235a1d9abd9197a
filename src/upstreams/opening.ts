import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { type JSONRPCMessage, isJSONRPCRequest } from '@modelcontextprotocol/sdk/types.js'
import { UpstreamFault } from './upstream-fault.ts'

/** Requests of a server in its answer to `initialize`. */
const upstreamOpeningAskedMax = 16

/** What a server sends through the transport of the SDK, which reads nothing but its answer to `initialize`. */
export interface Opening {
  /** The fault of a server that asked too often. */
  fault(): UpstreamFault | undefined
  /** Takes a message of another answer, which has bounds of its own. */
  take(message: JSONRPCMessage): void
}

/**
 * Closes a transport whose server asks too often: the client answers each request with one of its own.
 * @param transport  of no client yet
 */
export function boundedOpening(transport: StreamableHTTPClientTransport): Opening {
  const max = upstreamOpeningAskedMax
  const start = transport.start.bind(transport)
  let asked = 0
  let take: StreamableHTTPClientTransport['onmessage']
  // A client that starts a transport has just said what takes its messages.
  transport.start = () => {
    take = transport.onmessage
    // eslint-disable-next-line unicorn/prefer-add-event-listener -- it is no EventTarget
    transport.onmessage = (message) => {
      if (isJSONRPCRequest(message) && ++asked > max) return void transport.close()
      take?.(message)
    }
    return start()
  }
  return {
    fault: () =>
      asked > max
        ? new UpstreamFault(`it asked more than ${max} times when it was connected to`, { isNotDone: true })
        : undefined,
    take: (message) => take?.(message),
  }
}
