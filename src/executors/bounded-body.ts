import type { IncomingMessage } from 'node:http'
import { CallFailure } from './guarded-request.ts'

/**
 * Reads a body up to a bound; undefined: it is longer, and the rest is not read.
 * @throws CallFailure where it breaks off or takes too long
 */
export async function boundedBody(
  answer: IncomingMessage,
  bytesMax: number,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  const parts: Buffer[] = []
  let length = 0
  try {
    for await (const part of answer as AsyncIterable<Buffer>) {
      length += part.length
      // Leaving the loop ends the connection.
      if (length > bytesMax) return undefined
      parts.push(part)
    }
  } catch {
    throw new CallFailure(signal.aborted ? 'timeout' : 'answer_broken', false)
  }
  return Buffer.concat(parts)
}

/** How long the beginning of an answer is read whose status is known already. */
const beginningMs = 2_000

/** How an answer begins, for people: at most so many characters. The rest is not read. Never throws. */
export async function beginningOf(answer: IncomingMessage, charsMax: number): Promise<string> {
  const parts: Buffer[] = []
  let length = 0
  const timer = setTimeout(() => answer.destroy(), beginningMs)
  try {
    for await (const part of answer as AsyncIterable<Buffer>) {
      length += part.length
      parts.push(part)
      // Leaving the loop ends the connection. A character has at most four bytes.
      if (length >= charsMax * 4) break
    }
  } catch {
    // It broke off: what came is shown.
  } finally {
    clearTimeout(timer)
  }
  return Buffer.concat(parts)
    .subarray(0, charsMax * 4)
    .toString('utf8')
    .slice(0, charsMax)
    .toWellFormed()
}
