import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { z } from 'zod'
import { type Exchange, inExchange } from './upstream-fetch.ts'

/** An answer as it came: its content is checked by the caller. */
const answer = z.looseObject({})

/** A request that this service sends to servers. */
type Request =
  | { method: 'tools/list'; params: { cursor?: string } }
  | { method: 'tools/call'; params: { name: string; arguments: Record<string, unknown> } }

/**
 * Sends one request over an open connection, and waits for its answer.
 * @throws the error that ends it: the transport's, the server's (McpError), or that of the deadline (McpError)
 */
export async function exchange(
  client: Client,
  request: Request,
  { timeoutMs, signal }: { timeoutMs: number; signal: AbortSignal },
): Promise<Record<string, unknown>> {
  const broken = new AbortController()
  let reject: (error: Error) => void = () => undefined
  const failed = new Promise<never>((_, refuse) => {
    reject = refuse
  })
  const state: Exchange = {
    fail(error) {
      reject(error)
      broken.abort()
    },
    isOver: false,
    isResumable: false,
    resumes: 0,
  }
  const answered = inExchange(state, () =>
    client.request(request, answer, {
      timeout: timeoutMs,
      signal: AbortSignal.any([signal, broken.signal]),
      onresumptiontoken: () => void (state.isResumable = true),
    }),
  )
  try {
    return await Promise.race([failed, answered])
  } finally {
    state.isOver = true
  }
}
