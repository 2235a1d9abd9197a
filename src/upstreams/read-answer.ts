import type { IncomingMessage } from 'node:http'
import {
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  JSONRPCMessageSchema,
  type JSONRPCResultResponse,
  isJSONRPCErrorResponse,
  isJSONRPCRequest,
  isJSONRPCResultResponse,
} from '@modelcontextprotocol/sdk/types.js'
import { createParser } from 'eventsource-parser'
import { boundedBody } from '../executors/bounded-body.ts'
import { limits } from '../limits.ts'
import { readMessages } from './read-message.ts'
import { AnswerTooLarge, GivenUp } from './upstream-fault.ts'

/** Messages of a server within one answer: the answer itself, and what it says or asks beside it. */
const upstreamMessagesMax = 1_000

/** The server's own requests among them: each costs one of ours, with the answer. */
const upstreamAskedMax = 32

/** What answers a request. */
export type Answer = JSONRPCResultResponse | JSONRPCErrorResponse

/** The answer to one request, as far as it came. */
export interface Reading {
  /** The id of the JSON-RPC request. */
  id: number
  /** Ends the wait. */
  signal: AbortSignal
  /** Takes what the server sends beside the answer. */
  onMessage(message: JSONRPCMessage): void
  answer?: Answer
  /** So far, those that were sent beside the answer included. */
  bytes: number
  messages: number
  /** Requests of the server among them. */
  asked: number
  /** The last event that the server numbered, and how long it asks to wait before the stream is resumed after it. */
  lastId?: string
  retryMs?: number
}

/** Reads a body that is a message, or a list of them. @throws AnswerTooLarge, GivenUp, or an error of what is not MCP */
export async function readJson(response: IncomingMessage, reading: Reading): Promise<void> {
  const body = await boundedBody(response, limits.upstreamAnswerBytesMax, reading.signal)
  if (!body) throw new AnswerTooLarge(limits.upstreamAnswerBytesMax)
  for (const message of readMessages(new TextDecoder().decode(body))) take(reading, message)
}

/**
 * Reads a stream of events until the answer is there, or the stream ends. What follows the answer is read too, and dropped, so
 * that the connection can be kept.
 * @throws AnswerTooLarge, GivenUp
 */
export function readEvents(response: IncomingMessage, reading: Reading): Promise<void> {
  const decoder = new TextDecoder()
  const parser = createParser({
    onEvent({ event = 'message', data, id }) {
      if (event === 'message' && data !== '' && !reading.answer) takeText(reading, data)
      if (id) reading.lastId = id
    },
    onRetry: (ms) => void (reading.retryMs = Math.min(ms, limits.upstreamCallMs)),
  })
  return new Promise((resolve, reject) => {
    response.on('data', (part: Buffer) => {
      try {
        reading.bytes += part.length
        if (reading.bytes > limits.upstreamAnswerBytesMax)
          throw new AnswerTooLarge(limits.upstreamAnswerBytesMax)
        parser.feed(decoder.decode(part, { stream: true }))
        if (reading.answer) resolve()
      } catch (error) {
        reject(error as Error)
        response.destroy()
      }
    })
    // Whether it ended or broke off: what counts is whether the answer is there.
    response.on('error', () => resolve())
    response.once('close', () => resolve())
  })
}

/** A text that is no JSON is no message: others may follow it. */
function takeText(reading: Reading, text: string): void {
  let messages: unknown[]
  try {
    messages = readMessages(text)
  } catch {
    return
  }
  for (const message of messages) take(reading, message)
}

function take(reading: Reading, message: unknown): void {
  reading.messages++
  if (reading.messages > upstreamMessagesMax)
    throw new GivenUp(`it sent more than ${upstreamMessagesMax} messages in one answer`)
  const isAnswer = isJSONRPCResultResponse(message) || isJSONRPCErrorResponse(message)
  if (isAnswer && message.id === reading.id) reading.answer ??= message
  if (isAnswer) return
  const { data } = JSONRPCMessageSchema.safeParse(message)
  if (!data) return
  if (isJSONRPCRequest(data) && ++reading.asked > upstreamAskedMax)
    throw new GivenUp(`it asked more than ${upstreamAskedMax} times in one answer`)
  reading.onMessage(data)
}
