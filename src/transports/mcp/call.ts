import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/sdk/types.js'
import type { FastifyReply } from 'fastify'

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
  const message = plainRequest(body)
  if (!message) return undefined
  const { name, arguments: args = {}, _meta: meta = {}, ...others } = message.params
  if (typeof name !== 'string' || !isObject(args) || !isObject(meta) || hasAny(others)) return undefined
  const { progressToken = 0, ...more } = meta
  return isPlainId(progressToken) && !hasAny(more) ? { id: message.id, name, args } : undefined
}

/** A request as a message, where it has nothing but its four fields, and its parameters are an object. By hand: a schema takes 10 µs. */
export function plainRequest(
  body: unknown,
): { id: string | number; method: unknown; params: Record<string, unknown> } | undefined {
  if (!isObject(body)) return undefined
  const { jsonrpc, id, method, params, ...more } = body
  const isPlain = jsonrpc === '2.0' && isPlainId(id) && isObject(params) && !hasAny(more)
  return isPlain ? { id, method, params } : undefined
}

export const isPlainId = (id: unknown): id is string | number =>
  typeof id === 'string' || Number.isSafeInteger(id)

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const hasAny = (fields: object): boolean => Object.keys(fields).length > 0

/** What a tool returned. */
export interface Called {
  /** The result of a call, as its `fieldsOf`. */
  fields: string
  /** It may have more fields than the gate writes: a server behind the gate wrote it. */
  isForeign?: boolean
  /** The id of the action that it is, while its member is asked. */
  awaits?: number | undefined
}

/** A result as JSON without its braces: more fields are put beside them without a copy of all. */
export const fieldsOf = (result: object): string => JSON.stringify(result).slice(1, -1)

/** A result as a message, in the bytes that the SDK would send. @param fields  see `fieldsOf` */
export const resultMessage = (id: string | number, fields: string): string =>
  `{"result":{${fields}},"jsonrpc":"2.0","id":${JSON.stringify(id)}}`

/** Answers a request with its result. @param fields  see `fieldsOf` */
export function answerResult(reply: FastifyReply, id: string | number, fields: string): FastifyReply {
  // To a text without a serializer Fastify would add its charset; bytes would be written apart from the headers.
  return reply.type('application/json').serializer(asItIs).send(resultMessage(id, fields))
}

const asItIs = (text: unknown) => text as string
