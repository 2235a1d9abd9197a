import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { StreamableHTTPError } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { CallFailure, type ConnectionPool, sendGuarded } from '../executors/guarded-request.ts'
import { timeLimit } from '../waiting/time-limit.ts'
import type { Exchange } from './exchange.ts'
import { type Reading, readEvents, readJson } from './read-answer.ts'
import {
  AnsweredError,
  GivenUp,
  InexactAnswer,
  SessionRefused,
  UpstreamFault,
  redirectFault,
} from './upstream-fault.ts'

/** Requests by which one answer may be resumed, and the delay before each unless the server asks for another. */
const upstreamResumesMax = 10
const upstreamResumeMs = 1_000

/** A server over Streamable HTTP, to which a session is open. */
export interface HttpServer {
  account: string
  url: string
  /** Networks and hosts that may be called although they are not public. */
  allow: readonly string[]
  pool: ConnectionPool
  /** Headers of the next request: what the administrator set, its session, and the version of the protocol. */
  headers(): Record<string, string>
  /** Takes what the server sends beside its answer. */
  onMessage(message: JSONRPCMessage): void
  /** Tells the server that nobody waits for the answer to a request any more. */
  cancel(requestId: number): void
}

// The client of the SDK, which opens the session, counts its own requests from 0.
const firstId = 1_000_000_000

/**
 * Exchanges over HTTP. Each is one request on a connection that is kept, and its answer is read as it comes: through the
 * transport of the SDK the same takes several times the processor time.
 * @source MCP 2025-11-25, Streamable HTTP
 */
export function exchangeOverHttp(server: HttpServer): Exchange {
  let nextId = firstId
  return async (request, { timeoutMs, signal: stop }) => {
    const id = nextId++
    const { signal, clear } = timeLimit(timeoutMs, stop)
    const reading: Reading = { id, signal, onMessage: server.onMessage, bytes: 0, messages: 0, asked: 0 }
    const body = JSON.stringify({ jsonrpc: '2.0', id, ...request })
    const sent: Sent = { server, reading, response: undefined, isInSession: false }
    try {
      await readAnswer(sent, body)
    } catch (error) {
      if (signal.aborted || error instanceof GivenUp) server.cancel(id)
      throw error
    } finally {
      // The stream behind the answer is read to its end, within the same time.
      if (sent.response && !sent.response.closed) sent.response.once('close', clear)
      else clear()
    }
    return resultOf(reading)
  }
}

interface Sent {
  server: HttpServer
  reading: Reading
  /** The last one. */
  response: IncomingMessage | undefined
  /** Whether the last request named a session. */
  isInSession: boolean
}

/** Sends a request, and reads until it is answered. */
async function readAnswer(sent: Sent, body: string): Promise<void> {
  const response = await send(sent, { method: 'POST', headers: takesBoth, body })
  const { statusCode: status = 0 } = response
  const type = typeOf(response)
  if (status >= 200 && status <= 299 && type === json) await readJson(response, sent.reading)
  else if (status >= 200 && status <= 299 && type === events) await readStream(sent, response)
  else {
    response.destroy()
    if (status >= 300 && status <= 399) throw redirectFault(status)
    // Without a session there is none to lose: the server speaks of the request itself.
    if (sent.isInSession && (status === 404 || status === 400)) throw new SessionRefused(status)
    if (status >= 400) throw new StreamableHTTPError(status, '')
    throw lost('it answered with something that is not MCP')
  }
}

/** Reads an answer as events. A stream that ends before the answer is resumed, where the server numbers its events. */
async function readStream(sent: Sent, first: IncomingMessage): Promise<void> {
  const { reading } = sent
  await readEvents(first, reading)
  for (let resumes = 0; !reading.answer && reading.lastId !== undefined; resumes++) {
    if (resumes === upstreamResumesMax) throw new GivenUp('its answer was interrupted too often')
    await sleep(reading.retryMs ?? upstreamResumeMs, undefined, { signal: reading.signal }).catch(
      () => undefined,
    )
    const response = await resume(sent, reading.lastId)
    if (response) await readEvents(response, reading)
  }
  if (reading.signal.aborted) throw new CallFailure('timeout', false)
}

/**
 * Asks for the rest of a stream. Undefined: the server was not reached, and may be later.
 * @throws an error that does not say that the call was not made: it was
 */
async function resume(sent: Sent, lastId: string): Promise<IncomingMessage | undefined> {
  const headers = { accept: events, 'last-event-id': lastId }
  const response = await send(sent, { method: 'GET', headers }).catch(() => undefined)
  if (sent.reading.signal.aborted) throw new CallFailure('timeout', false)
  if (!response || (response.statusCode === 200 && typeOf(response) === events)) return response
  response.destroy()
  throw lost('its answer was interrupted and could not be resumed')
}

interface Request {
  method: string
  headers: Record<string, string>
  body?: string
}

async function send(sent: Sent, { method, headers, body }: Request): Promise<IncomingMessage> {
  const { account, url, allow, pool, headers: ofServer } = sent.server
  const given = ofServer()
  sent.isInSession = 'mcp-session-id' in given
  const request = { account, url, method, headers: { ...given, ...headers }, body, pool }
  sent.response = await sendGuarded({ allowed: allow }, request, sent.reading.signal)
  return sent.response
}

const json = 'application/json'
const events = 'text/event-stream'
const takesBoth = { 'content-type': json, accept: `${json}, ${events}` }

const typeOf = ({ headers }: IncomingMessage): string =>
  (headers['content-type'] ?? '').split(';', 1)[0]!.trim().toLowerCase()

const lost = (sentence: string) => new UpstreamFault(sentence, { isNotDone: false })

/** @throws AnsweredError, InexactAnswer */
function resultOf({ answer }: Reading): Record<string, unknown> {
  if (!answer) throw lost('its answer ended too early')
  if ('error' in answer && answer.error.data instanceof InexactAnswer) throw answer.error.data
  if ('error' in answer) throw new AnsweredError(answer.error.code, answer.error.message, answer.error.data)
  return answer.result
}
