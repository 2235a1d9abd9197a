import { limits } from '../../limits.ts'

const witnessAnswerBytesMax = 65_536

export type Reply = { status: number; type: string; body: string } | { failure: string }

/** Posts a text. Follows no redirect, and reads no more than an answer of the protocol can hold. Never throws. */
export async function post(url: string, body: string, deadline: AbortSignal): Promise<Reply> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      body,
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      redirect: 'manual',
      signal: deadline,
    })
    const text = await boundedText(response)
    if (text === undefined) return { failure: `it answers more than ${witnessAnswerBytesMax} bytes` }
    return { status: response.status, type: response.headers.get('content-type') ?? '', body: text }
  } catch (error) {
    if (deadline.aborted) return { failure: `it did not answer within ${limits.witnessAskMs} ms` }
    const { cause } = error as { cause?: { code?: string } }
    return { failure: `it cannot be reached${cause?.code === undefined ? '' : ` (${cause.code})`}` }
  }
}

/** Undefined for a body that is too long: the rest is not read. */
async function boundedText(response: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.length
    // Leaving the loop ends the connection.
    if (length > witnessAnswerBytesMax) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
