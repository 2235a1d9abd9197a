import { createHash } from 'node:crypto'
import { done } from '../act.js'
import { GateError, NotDone, Refused } from '../errors.js'
import { claimable, claimedRun } from '../gated.js'
import { isAsked, isOpen, neededDecision } from './decisions.js'

/** How long a tool waits for the execution of what was decided. Milliseconds. */
const executionMs = 60_000

/**
 * The tool calls of a framework, each an action of the gate. The Idempotency-Key is made of the call, so its repeat is the same action.
 * What happened is read from the gate, never from what the model, the framework or an answer says.
 * @param {import('../index.js').Gate} gate
 * @param {string} kind
 * @param {import('./settings.d.ts').CallSettings<any>} settings
 */
export function toolCalls(gate, kind, { actor, rationale, scope, run }) {
  const calls = {
    /**
     * The action of a tool call, as it is now.
     * @param {import('./settings.d.ts').ToolCall} call
     * @throws {GateError} `idempotency_key_reused`: the call was proposed with other arguments
     */
    async actionOf({ id, input, context, thread = valueOf(scope, context) ?? '' }) {
      const call = createHash('sha256').update(JSON.stringify([kind, thread, id]))
      const why = rationale === undefined ? {} : { rationale }
      const proposal = { kind, actor: valueOf(actor, context), payload: input, ask: true, ...why }
      const proposed = await gate.propose(proposal, { idempotencyKey: `tool-${call.digest('hex')}` })
      if (proposed.status !== 'proposed') return proposed
      return { ...proposed, ...(await gate.get(proposed.id)) }
    },

    /**
     * Waits until somebody has decided.
     * @param {import('../index.js').Action} action
     * @param {{ timeoutMs?: number, signal?: AbortSignal }} options
     */
    async decided(action, options) {
      if (!isOpen(action) || !isAsked(action)) return action
      if (!run) return gate.wait(action, options)
      await claimable(gate, action, options).catch((error) => {
        if (!(error instanceof NotDone)) throw error
      })
      return gate.get(action.id)
    },

    /**
     * Says to the model what happened, once a function of yours executed what is consented to.
     * @param {import('../index.js').Action} action
     * @param {{ signal?: AbortSignal }} options
     */
    async tell(action, options = {}) {
      try {
        if (!isAsked(action)) throw new NotDone('nobody_asked', action)
        let ended = action
        if (action.execution?.claim === 'open' && run) {
          await claimedRun(gate, run, action, options)
          ended = await gate.get(action.id)
        } else if (action.status === 'proposed' && !isOpen(action))
          ended = await gate.wait(action, { timeoutMs: executionMs, ...options })
        const { id, result, edited_by_member: edited } = done(ended)
        const value = run ? result?.['result'] : result
        return said({ action: id, status: 'executed', message: 'Done.', result: value, ...changed(edited) })
      } catch (error) {
        if (error instanceof NotDone) return notDone(error)
        if (error instanceof Refused) return notDone({ action, reason: 'refused', message: error.message })
        throw error
      }
    },

    /**
     * The answer to a tool call that the framework lets through: the gate knows what was decided.
     * @param {import('./settings.d.ts').ToolCall} call
     * @param {{ signal?: AbortSignal }} options
     */
    answer: (call, options) => correctable(async () => calls.tell(await calls.actionOf(call), options)),

    /**
     * Whether the framework has to wait for a decision, or had to: some ask again before they let the call through.
     * @param {import('./settings.d.ts').ToolCall} call
     */
    async needsDecision(call) {
      const action = await calls.actionOf(call).catch((error) => {
        // Its answer says so.
        if (!isForTheModel(error)) throw error
      })
      return action !== undefined && neededDecision(action)
    },
  }
  return calls
}

/**
 * Says to the model what the gate refuses about its call, which it can correct.
 * @param {() => Promise<string>} answer
 */
export async function correctable(answer) {
  try {
    return await answer()
  } catch (error) {
    if (!isForTheModel(error)) throw error
    const { code, message, param } = error
    if (code === 'invalid') return said({ status: 'invalid', message, param })
    return said({
      status: 'refused',
      reason: 'call_changed',
      message: 'The arguments of this call changed after it was proposed. Nothing was executed.',
    })
  }
}

/**
 * @param {unknown} error
 * @returns {error is GateError}
 */
const isForTheModel = (error) =>
  error instanceof GateError && ['invalid', 'idempotency_key_reused'].includes(error.code)

/** @param {Pick<NotDone, 'action' | 'reason' | 'message'>} problem */
const notDone = ({ action: { id, status, result, edited_by_member: edited }, reason, message }) =>
  said({ action: id, status, reason, message, result, ...changed(edited) })

/** @param {Record<string, unknown>} answer */
const said = (answer) => JSON.stringify(answer)

/** @param {import('../index.js').Action['edited_by_member']} edited */
const changed = (edited) => (edited ? { changed_by_member: edited.changes } : {})

/**
 * @param {unknown} value
 * @param {unknown} context
 */
const valueOf = (value, context) =>
  /** @type {any} */ (typeof value === 'function' ? value(context) : value)
