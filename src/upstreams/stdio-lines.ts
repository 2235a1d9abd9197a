import { ReadBuffer } from '@modelcontextprotocol/sdk/shared/stdio.js'
import { type JSONRPCMessage, JSONRPCMessageSchema } from '@modelcontextprotocol/sdk/types.js'
import { limits } from '../limits.ts'
import { readMessages } from './read-message.ts'

/** The lines that a program writes, each a message: read as those of a server over HTTP are. */
export class StdioLines extends ReadBuffer {
  #parts: Buffer[] = []
  #bytes = 0

  override append(chunk: Buffer): void {
    this.#bytes += chunk.length
    if (this.#bytes > limits.upstreamAnswerBytesMax) {
      this.clear()
      throw new Error(`the program wrote a line of more than ${limits.upstreamAnswerBytesMax} bytes`)
    }
    this.#parts.push(chunk)
  }

  override readMessage(): JSONRPCMessage | null {
    if (!this.#parts.at(-1)?.includes('\n')) return null
    const all = this.#parts.length === 1 ? this.#parts[0]! : Buffer.concat(this.#parts)
    const end = all.indexOf('\n')
    const rest = all.subarray(end + 1)
    this.#parts = rest.length === 0 ? [] : [rest]
    this.#bytes = rest.length
    const [message] = readMessages(all.toString('utf8', 0, end))
    return JSONRPCMessageSchema.parse(message)
  }

  override clear(): void {
    this.#parts = []
    this.#bytes = 0
  }
}
