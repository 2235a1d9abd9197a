import { setTimeout as sleep } from 'node:timers/promises'
import { consented, done } from './act.js'
import { NotDone, Refused } from './errors.js'
import { signalOf } from './requests.js'

/** How often an action is read until it can be claimed: at first, and after a minute. Milliseconds. */
const [soonMs, laterMs] = [1_000, 5_000]

/**
 * @param {import('./index.js').Gate} gate
 * @param {string} kind  one that is executed by claim
 * @param {(payload: any, action: import('./index.js').ClaimedAction) => unknown} run
 * @returns {import('./index.js').GatedFunction}
 */
export const gatedFunction =
  (gate, kind, run) =>
  async (payload, { actor, rationale, ...options }) => {
    const proposal = { kind, actor, payload, ...(rationale === undefined ? {} : { rationale }) }
    const open = await consented(gate, /** @type {any} */ (proposal), options)
    await claimable(gate, open, options)
    return claimedRun(gate, run, open, options)
  }

/**
 * Claims an action, runs a function for it, and reports.
 * @param {import('./index.js').Gate} gate
 * @param {(payload: any, action: import('./index.js').ClaimedAction) => unknown} run
 * @param {Pick<import('./index.js').Action, 'id'>} action
 * @param {{ signal?: AbortSignal }} options
 * @throws what the function throws
 */
export async function claimedRun(gate, run, action, options) {
  // The member may have changed it: what is claimed is what they consented to.
  const claimed = await gate.claim(action, signalOf(options))
  const { outcome, value, error } = await ran(() => run(claimed.payload, claimed))
  const result = outcome === 'done' ? resultOf(value) : { error: messageOf(error) }
  await gate.report(claimed, { outcome, result })
  if (outcome !== 'done') throw error
  return value
}

/**
 * Waits until an action can be claimed.
 * @param {import('./index.js').Gate} gate
 * @param {import('./index.js').Action} open
 * @param {{ timeoutMs?: number, signal?: AbortSignal }} options
 * @throws {NotDone} where it never will
 */
export async function claimable(gate, open, { timeoutMs = Infinity, ...options }) {
  const started = Date.now()
  for (let action = open; ; action = await gate.get(open.id, signalOf(options))) {
    if (action.execution?.claim === 'open') return
    if (action.status !== 'proposed' || action.execution?.claim !== undefined)
      throw new NotDone('unknown', done(action), 'Somebody else executed it.')
    const passedMs = Date.now() - started
    if (passedMs > timeoutMs) throw new NotDone('open', action)
    await sleep(passedMs < 60_000 ? soonMs : laterMs, undefined, signalOf(options))
  }
}

/** @param {() => unknown} run */
async function ran(run) {
  try {
    return { outcome: /** @type {const} */ ('done'), value: await run(), error: undefined }
  } catch (error) {
    const outcome = error instanceof Refused ? 'refused' : 'unknown'
    return { outcome: /** @type {'refused' | 'unknown'} */ (outcome), value: undefined, error }
  }
}

/** @param {unknown} value */
const resultOf = (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? /** @type {Record<string, unknown>} */ (value)
    : { value: value ?? null }

/** @param {unknown} error */
const messageOf = (error) => String(error instanceof Error ? error.message : error).slice(0, 500)
