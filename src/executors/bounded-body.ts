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
