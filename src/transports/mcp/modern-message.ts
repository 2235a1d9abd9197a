import {
  CLIENT_CAPABILITIES_META_KEY,
  INVALID_REQUEST,
  PROTOCOL_VERSION_META_KEY,
  ProtocolErrorCode,
  classifyInboundRequest,
} from '@modelcontextprotocol/server'
import type { FastifyRequest } from 'fastify'
import { isPlainId, plainRequest } from './call.ts'
import { idOf, notAMessage } from './errors.ts'

/** The revision of MCP without `initialize`: each request says its version and what its client can do. */
export const modernVersion = '2026-07-28'

/** A message of that revision. */
export type ModernMessage = ModernRequest | { notification: true } | { refusal: Refusal }

export interface ModernRequest {
  id: string | number
  method: string
  params: Record<string, unknown>
}

/** A JSON-RPC error, and the HTTP status that the revision gives it. */
export interface Refusal {
  status: number
  /** Of the request, where it could be read. */
  id: string | number | null
  code: number
  message: string
  data?: object
}

type Sent = Pick<FastifyRequest, 'body' | 'headers'>

/**
 * Reads a message of the revision 2026-07-28.
 * @returns undefined for a message that neither claims a version in its `_meta` nor names this one in its header: such a
 *   client speaks an older revision
 * @source MCP 2026-07-28, Streamable HTTP, server validation
 */
export function modernMessage({ body, headers }: Sent): ModernMessage | undefined {
  const [version, method, name] = ['mcp-protocol-version', 'mcp-method', 'mcp-name'].map((header) =>
    headerText(headers[header]),
  )
  if (version !== modernVersion && !claimsVersion(body)) return undefined
  const known = version === modernVersion ? callInKnownEnvelope(body) : undefined
  if (known && method === known.method && name !== undefined && decodedHeader(name) === known.params['name'])
    return known
  const id = idOf(body)
  const outcome = classifyInboundRequest({
    httpMethod: 'POST',
    body,
    ...(version === undefined ? {} : { protocolVersionHeader: version }),
    ...(method === undefined ? {} : { mcpMethodHeader: method }),
  })
  if (outcome.kind === 'reject')
    return {
      refusal: { status: outcome.httpStatus, id, code: outcome.code, message: reasonOf(outcome, body) },
    }
  if (outcome.kind === 'legacy')
    return outcome.reason === 'response' ? { refusal: invalidRequest(id) } : undefined
  const { revision: requested } = outcome.classification
  if (requested !== modernVersion)
    return {
      refusal: {
        status: 400,
        id,
        code: ProtocolErrorCode.UnsupportedProtocolVersion,
        message: `Unsupported protocol version: ${requested}. Here are ${modernVersion} and, after initialize, older ones.`,
        data: { supported: [modernVersion], requested },
      },
    }
  if (outcome.messageKind === 'notification') return { notification: true }
  const { message } = outcome
  const request: ModernRequest = {
    id: message.id,
    method: message.method,
    params: message.params as Record<string, unknown>,
  }
  const mismatch = headerMismatch(request, { version, method, name })
  if (mismatch !== undefined)
    return { refusal: { status: 400, id, code: headerMismatchCode, message: mismatch } }
  if (request.method === callMethod) keepEnvelope(envelopeText(body))
  return request
}

const callMethod = 'tools/call'

/** The newest envelopes that the SDK accepted, as JSON: a client sends the same each time, and to check one takes 40 µs. */
const knownEnvelopes = new Set<string>()
const envelopesKnownMax = 100
const envelopeCharsMax = 2_000

/** Without the token, which differs each time; undefined where that has another form. */
function envelopeText(body: unknown): string | undefined {
  const { progressToken = 0, ...meta } = metaOf(body) as { progressToken?: unknown }
  return isPlainId(progressToken) ? JSON.stringify(meta) : undefined
}

function keepEnvelope(text: string | undefined): void {
  if (text === undefined || text.length > envelopeCharsMax) return
  knownEnvelopes.add(text)
  if (knownEnvelopes.size > envelopesKnownMax) knownEnvelopes.delete(knownEnvelopes.values().next().value!)
}

/** The call of a tool that has nothing but what the SDK accepted before, and values of the plainest form. */
function callInKnownEnvelope(body: unknown): ModernRequest | undefined {
  const message = plainRequest(body)
  if (message?.method !== callMethod) return undefined
  const text = envelopeText(body)
  return text !== undefined && knownEnvelopes.has(text) ? { ...message, method: callMethod } : undefined
}

/** Of the SDK no constant: only its classification answers it. */
const headerMismatchCode = -32_020

/** Where a request names what it is about. The header `Mcp-Name` repeats it. */
const namedBy: Record<string, string> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
}

interface Headers {
  version: string | undefined
  method: string | undefined
  name: string | undefined
}

/** What the headers lack, or say otherwise than the body; undefined where they agree. */
function headerMismatch({ method, params }: ModernRequest, headers: Headers): string | undefined {
  if (headers.version === undefined)
    return `The header MCP-Protocol-Version is missing. The body says ${modernVersion}.`
  if (headers.method === undefined) return `The header Mcp-Method is missing. The body says ${method}.`
  const field = Object.hasOwn(namedBy, method) ? namedBy[method]! : undefined
  const named = field === undefined ? undefined : params[field]
  if (typeof named !== 'string') return undefined
  if (headers.name === undefined) return `The header Mcp-Name is missing. It must repeat params.${field}.`
  const decoded = decodedHeader(headers.name)
  if (decoded === undefined) return 'The header Mcp-Name is not valid Base64 of UTF-8.'
  return decoded === named ? undefined : `The header Mcp-Name does not say the same as params.${field}.`
}

/** A header value that may be Base64 of UTF-8, in the brackets of MCP. */
function decodedHeader(value: string): string | undefined {
  const encoded = /^=\?base64\?(.*)\?=$/s.exec(value)?.[1]
  if (encoded === undefined) return value
  const decoded = Buffer.from(encoded, 'base64').toString('utf8')
  return Buffer.from(decoded, 'utf8').toString('base64') === encoded ? decoded : undefined
}

type Rejected = Extract<ReturnType<typeof classifyInboundRequest>, { kind: 'reject' }>

function reasonOf({ rung, message }: Rejected, body: unknown): string {
  switch (rung) {
    case 'envelope':
      return envelopeReason(body)
    case 'jsonrpc-shape':
      return Array.isArray(body) ? 'Batches are not supported. Send one message per request.' : notAMessage
    default:
      return message
  }
}

const invalidRequest = (id: Refusal['id']): Refusal => ({
  status: 400,
  id,
  code: INVALID_REQUEST,
  message: notAMessage,
})

function envelopeReason(body: unknown): string {
  const meta = metaOf(body)
  const missing = [PROTOCOL_VERSION_META_KEY, CLIENT_CAPABILITIES_META_KEY].find((key) => !(key in meta))
  return missing === undefined
    ? `params._meta is not in the form of MCP ${modernVersion}: its version is text, what the client can do is an object.`
    : `params._meta has no ${missing}, which each request of MCP ${modernVersion} has.`
}

const claimsVersion = (body: unknown): boolean => PROTOCOL_VERSION_META_KEY in metaOf(body)

/** The metadata of a message that nobody has checked. */
function metaOf(body: unknown): object {
  const meta = (body as { params?: { _meta?: unknown } | null } | null)?.params?._meta
  return typeof meta === 'object' && meta !== null ? meta : {}
}

/** A header as text; of a repeated one all values. */
const headerText = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value.join(', ') : value
