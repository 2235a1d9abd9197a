import { NotDone } from './errors.js'
import { signalOf } from './requests.js'

/**
 * Proposes, waits for the decision and the execution.
 * @param {import('./index.js').Gate} gate
 * @param {import('./index.js').Proposal} proposal
 * @param {import('./index.js').ActOptions} [options]
 */
export async function act(gate, proposal, { timeoutMs, ...options } = {}) {
  const open = await consented(gate, proposal, options)
  if (open.status !== 'proposed') return done(open)
  const until = timeoutMs === undefined ? {} : { timeoutMs }
  return done(await gate.wait(open, { ...until, ...signalOf(options) }))
}

/**
 * Proposes, and has the member asked: by the gate, or by the caller who then confirms.
 * @param {import('./index.js').Gate} gate
 * @param {import('./index.js').Proposal} proposal
 * @param {import('./index.js').ActOptions} options
 */
export async function consented(gate, proposal, { confirm, onWaiting, ...options }) {
  const proposed = await gate.propose({ ...proposal, ...(confirm ? {} : { ask: true }) }, options)
  if (proposed.status !== 'proposed') return proposed
  if (!confirm) {
    if (proposed.consent_request === undefined && proposed.execution === undefined)
      throw new NotDone('nobody_asked', proposed)
    await onWaiting?.(proposed)
    return proposed
  }
  const { actor } = proposal
  const key = options.idempotencyKey === undefined ? {} : { idempotencyKey: options.idempotencyKey }
  const signal = signalOf(options)
  if (proposed.consent_required === 'agent_attested' && !(await confirm(proposed)))
    return gate.cancel(proposed, actor, { ...key, ...signal })
  const confirmed = await gate.confirm(proposed, actor, { ...key, ...signal })
  if (confirmed.consent_request) await onWaiting?.(confirmed)
  return confirmed
}

/**
 * @param {import('./index.js').Action} action
 * @returns {import('./index.js').Action}  one that was executed wholly
 * @throws {NotDone}
 */
export function done(action) {
  const outcome = action.result?.['outcome']
  if (action.status === 'executed' && outcome === 'done') return action
  throw new NotDone(reasonOf(action), action)
}

/**
 * @param {import('./index.js').Action} action
 * @returns {import('./index.js').NotDoneReason}
 */
function reasonOf({ status, closed_reason, result }) {
  if (status === 'denied') return 'denied'
  if (status === 'proposed') return 'open'
  if (status === 'executed') return /** @type {'partial' | 'unknown'} */ (result?.['outcome'] ?? 'unknown')
  if (closed_reason === 'member_declined' || closed_reason === 'approver_declined') return 'declined'
  if (closed_reason === 'expired' || closed_reason === 'refused') return closed_reason
  return 'cancelled'
}
