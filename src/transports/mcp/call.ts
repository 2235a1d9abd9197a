import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js'
import type { FastifyReply } from 'fastify'
import { z } from 'zod'

export interface ToolCall {
  name: string
  args: Record<string, unknown>
}

/** A call of a tool as clients usually send it. */
export interface PlainCall extends ToolCall {
  id: string | number
}

/**
 * Reads a call of a tool that needs nothing else of the protocol: it is answered directly, which takes a fraction of the time of
 * a server and a transport of the SDK for each request. Undefined for every other message.
 * @param version  the header MCP-Protocol-Version
 */
export function plainCall(body: unknown, version: unknown): PlainCall | undefined {
  const isSupported = version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(String(version))
  if (!isSupported || (body as { method?: unknown } | null)?.method !== 'tools/call') return undefined
  const { data } = CallMessage.safeParse(body)
  return data && { id: data.id, name: data.params.name, args: data.params.arguments ?? {} }
}

/** What a tool returned. */
export interface Called {
  /** As the result of a call. */
  json: string
  /** It may have more fields than the gate writes: a server behind the gate wrote it. */
  isForeign?: boolean
  /** The id of the action that it is, while its member is asked. */
  awaits?: number | undefined
}

/** A result as a message, in the bytes that the SDK would send. @param result  as JSON */
export const resultMessage = (id: string | number, result: string): string =>
  `{"result":${result},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`

/** Answers a request with its result. @param result  as JSON */
export function answerResult(reply: FastifyReply, id: string | number, result: string): FastifyReply {
  // As bytes: to a text Fastify would add its charset.
  return reply.type('application/json').send(Buffer.from(resultMessage(id, result)))
}

// Narrower than the protocol: what else a message may hold is for the SDK.
const CallMessage = z.strictObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.int()]),
  method: z.literal('tools/call'),
  params: z.strictObject({
    name: z.string(),
    arguments: z.record(z.string(), z.unknown()).optional(),
    _meta: z.strictObject({ progressToken: z.union([z.string(), z.int()]).optional() }).optional(),
  }),
})
