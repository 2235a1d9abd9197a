import type { ApiAnswer } from '../../support/api-client.ts'
import type { Key } from './accounts.ts'

/**
 * What an answer says about a write. `ok`: it is done, as `body` says. `refused`: it was not done. `unknown`: it may have been
 * done, or may yet be done.
 */
export interface Reply {
  outcome: 'ok' | 'refused' | 'unknown'
  status: number
  code?: string | undefined
  body?: any
}

/** How long a caller waits: longer than every bound of the service under test. */
export const patienceMs = 30_000

/** Sends a request and reads its answer as a caller may: without one, nothing is known. */
export async function replyOf(send: () => Promise<ApiAnswer>): Promise<Reply> {
  try {
    return readAnswer(await send())
  } catch (error) {
    const { code, cause } = error as { code?: string; cause?: { code?: string } }
    // Nobody listened: it was never sent.
    const isRefused = (cause?.code ?? code) === 'ECONNREFUSED'
    return {
      outcome: isRefused ? 'refused' : 'unknown',
      status: 0,
      code: cause?.code ?? code ?? String(error),
    }
  }
}

/**
 * The answer to a request that may wait for an end: its key is checked again before the answer. So 401 does not say that nothing
 * was done, unless the key was revoked before the request was sent.
 */
export async function replyAfterWait(key: Key, send: () => Promise<Reply>): Promise<Reply> {
  const wasRevoked = key.isRevoked
  const reply = await send()
  return reply.status === 401 && !wasRevoked ? { ...reply, outcome: 'unknown' } : reply
}

export function readAnswer({ status, body }: ApiAnswer): Reply {
  const code = typeof body?.code === 'string' ? (body.code as string) : undefined
  if (status >= 200 && status < 300) return { outcome: 'ok', status, body }
  if (status >= 400 && status < 500) return { outcome: 'refused', status, code, body }
  // 503 says in its code whether the write may have been done.
  const isNotDone = status === 503 && code === 'unavailable'
  return { outcome: isNotDone ? 'refused' : 'unknown', status, code, body }
}

/** The same for a tool of the MCP endpoint, whose errors come with 200. */
export function readToolAnswer(answer: ApiAnswer): Reply {
  const result = answer.body?.result
  if (answer.status !== 200 || !result) return readAnswer(answer)
  const body = result.structuredContent ?? JSON.parse(result.content[0].text)
  if (result.isError !== true) return { outcome: 'ok', status: 200, body }
  const isUnknown = body.code === 'outcome_unknown' || body.code === 'internal'
  return { outcome: isUnknown ? 'unknown' : 'refused', status: 200, code: body.code, body }
}
