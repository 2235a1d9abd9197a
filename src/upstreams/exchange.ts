import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { McpError } from '@modelcontextprotocol/sdk/types.js'
import { z } from 'zod'
import { InexactAnswer } from './upstream-fault.ts'

/** A request that this service sends to servers. */
export type UpstreamRequest =
  | { method: 'tools/list'; params: { cursor?: string } }
  | { method: 'tools/call'; params: { name: string; arguments: Record<string, unknown> } }

/**
 * Sends one request over an open connection, and waits for its answer: as it came, its content is checked by the caller.
 * @throws the error that ends it: of the transport, of the server (McpError; AnsweredError over HTTP), or of the deadline
 */
export type Exchange = (
  request: UpstreamRequest,
  bounds: { timeoutMs: number; signal: AbortSignal },
) => Promise<Record<string, unknown>>

/** Exchanges with a process over its standard input and output: the client of the SDK reads those. */
export const exchangeOfClient =
  (client: Client): Exchange =>
  (request, { timeoutMs, signal }) =>
    client.request(request, anyAnswer, { timeout: timeoutMs, signal }).catch((error: unknown) => {
      throw error instanceof McpError && error.data instanceof InexactAnswer ? error.data : error
    })

const anyAnswer = z.looseObject({})
