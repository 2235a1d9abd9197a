import { limits } from '../limits.ts'
import { boundedBody } from './bounded-body.ts'
import { type Answered, answerOf } from './answer.ts'
import { CallFailure, type Network, sendGuarded } from './guarded-request.ts'
import { signatureHeaders } from './signature.ts'
import { timeLimit } from '../waiting/time-limit.ts'

/** A call of an executor. The same call, repeated, has the same id and the same body. */
export interface ExecutorCall {
  account: string
  url: string
  /** The receiver recognises a repeat by it. */
  id: string
  /** JSON. Absent: a question about the call, which does nothing. */
  body?: string | undefined
  /** Newest first. */
  secrets: readonly string[]
  /** A Location of another origin is refused. */
  origin: string
}

/**
 * What one attempt came to.
 * - `ok`: done. `result` is what the executor says of it; `leftOut`: why that is not kept.
 * - `not_done`: the executor refused, and did nothing. `isVerdict`: it says so of the id, earlier attempts included.
 * - `accepted`: it goes on; `location` is asked later.
 * - `unknown`: perhaps done. `isUnsent`: not by this attempt, which never left the gate or was turned away.
 */
export type ExecutorOutcome =
  | ({ state: 'ok' } & Answered)
  | { state: 'not_done'; code: string; isVerdict: boolean }
  | { state: 'accepted'; location: string | undefined; afterMs: number | undefined }
  | { state: 'unknown'; code: string; isUnsent: boolean; afterMs?: number | undefined }

/**
 * Calls an executor once, or asks it about a call. Never throws.
 * @source docs/write-an-executor.md#answer
 */
export async function callExecutor(
  network: Network,
  call: ExecutorCall,
  stop: AbortSignal,
): Promise<ExecutorOutcome> {
  const { signal, clear } = timeLimit(network.callMs ?? limits.executorCallMs, stop)
  const { account, url, id, body = '', secrets } = call
  const timestamp = Math.floor(Date.now() / 1_000)
  const headers = {
    ...signatureHeaders({ id, timestamp, body }, secrets),
    accept: 'application/json',
    'user-agent': 'qualification-gate',
  }
  const request =
    call.body === undefined
      ? { account, url, method: 'GET', headers }
      : { account, url, method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body }
  try {
    const answer = await sendGuarded(network, request, signal)
    const { statusCode: status = 0, headers: head } = answer
    const afterMs = retryAfterMs(head['retry-after'])
    if (status < 200 || status > 299) {
      answer.destroy()
      return refusalOf(status, afterMs)
    }
    const read = await boundedBody(answer, limits.executorAnswerBytesMax, signal)
    if (status === 202) return { state: 'accepted', location: locationIn(head.location, call), afterMs }
    return { state: 'ok', ...answerOf(read) }
  } catch (error) {
    if (error instanceof CallFailure) return { state: 'unknown', code: error.code, isUnsent: error.isUnsent }
    throw error
  } finally {
    clear()
  }
}

/** An answer that is not a success, by its status alone. Pure. */
function refusalOf(status: number, afterMs: number | undefined): ExecutorOutcome {
  const code = `http_${status}`
  if (toldToWait.has(status)) return { state: 'unknown', code, isUnsent: true, afterMs }
  if (status >= 400 && status <= 499) return { state: 'not_done', code, isVerdict: status === refusesForGood }
  return { state: 'unknown', code, isUnsent: false, afterMs }
}

/** Request timeout, too early, too many requests: the same call may succeed later. */
const toldToWait = new Set([408, 425, 429])

/** Only this says of the id that nothing was and will be done. Another refusal of a repeat may come from something before it. */
const refusesForGood = 422

/** Where long work is asked about: at the executor's own origin, or nowhere. */
function locationIn(header: string | undefined, { url, origin }: ExecutorCall): string | undefined {
  if (header === undefined || !URL.canParse(header, url)) return undefined
  const location = new URL(header, url)
  location.hash = ''
  const isOurs = location.origin === origin && location.username === '' && location.password === ''
  return isOurs && location.href.length <= limits.executorUrlCharsMax ? location.href : undefined
}

/** `Retry-After` in seconds; its form with a date is not used. Pure. */
function retryAfterMs(header: string | undefined): number | undefined {
  if (header === undefined || !/^\d{1,9}$/.test(header)) return undefined
  return Math.min(Number(header) * 1_000, limits.executorAgainMsMax)
}
