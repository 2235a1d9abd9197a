import { setTimeout as sleep } from 'node:timers/promises'
import { GateError } from './errors.js'

/** A request is repeated for this long while the gate is away or busy. Milliseconds. */
const repeatedForMs = 60_000

/**
 * Sends a request that may be sent twice, again while the gate cannot be reached, is busy or is down.
 * @template T
 * @param {() => Promise<{ data?: T, error?: any, response: Response }>} send
 * @param {AbortSignal} [signal]
 * @returns {Promise<T>}
 * @throws {GateError} for a refusal
 */
export async function repeated(send, signal) {
  const started = Date.now()
  for (let attempt = 0; ; attempt += 1) {
    const problem = await answered(send).catch((/** @type {unknown} */ error) => error)
    if (!isProblem(problem)) return /** @type {T} */ (problem)
    const waitMs = againAfterMs(problem, attempt)
    if (waitMs === undefined || Date.now() - started + waitMs > repeatedForMs) throw problem
    await sleep(waitMs, undefined, signalOf({ signal }))
  }
}

/**
 * Sends a request once.
 * @template T
 * @param {() => Promise<{ data?: T, error?: any, response: Response }>} send
 * @returns {Promise<T>}
 */
export async function answered(send) {
  const { data, error, response } = await send()
  if (data !== undefined) return data
  const after = Number(response.headers.get('retry-after'))
  throw new GateError(
    typeof error === 'object' && error !== null && 'code' in error
      ? error
      : { error: `The gate answered ${response.status}.`, code: 'unreadable' },
    response.status,
    after > 0 ? after * 1_000 : undefined,
  )
}

/** @param {unknown} value */
const isProblem = (value) => value instanceof Error

/**
 * @param {unknown} problem
 * @param {number} attempt
 * @returns {number | undefined}  undefined: a repeat would be answered alike
 */
function againAfterMs(problem, attempt) {
  const backoffMs = Math.min(500 * 2 ** attempt, 10_000)
  if (!(problem instanceof GateError)) return problem instanceof TypeError ? backoffMs : undefined
  if (problem.status === 429 || problem.status >= 502) return problem.retryAfterMs ?? backoffMs
  return undefined
}

/**
 * @param {{ signal?: AbortSignal | undefined }} options
 * @returns {{ signal?: AbortSignal }}
 */
export const signalOf = ({ signal }) => (signal === undefined ? {} : { signal })
