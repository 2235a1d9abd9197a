import { tool } from '@openai/agents'
import { isAsked, isOpen } from './decisions.js'
import { toolCalls } from './tool-calls.js'

/** @type {WeakMap<object, ReturnType<typeof toolCalls>>} */
const callsOf = new WeakMap()

/** @type {typeof import('./openai-agents.d.ts').gateTool} */
export function gateTool(gate, kind, { name = kind, description, schema, ...settings }) {
  const calls = toolCalls(gate, kind, settings)
  const made = tool({
    name,
    description,
    parameters: /** @type {any} */ (schema),
    // A schema of Zod has to be strict, and one in JSON may have optional fields.
    strict: /** @type {any} */ (!('type' in schema && 'properties' in schema)),
    needsApproval: (/** @type {any} */ context, /** @type {any} */ input, /** @type {any} */ id) =>
      calls.needsDecision({ id: idOf(id), input, context: context.context }),
    execute: (/** @type {any} */ input, /** @type {any} */ context, /** @type {any} */ details) =>
      calls.answer({ id: idOf(details?.toolCall?.callId), input, context: context?.context }, {}),
    errorFunction: null,
  })
  callsOf.set(made, calls)
  return /** @type {any} */ (made)
}

/** @type {typeof import('./openai-agents.d.ts').gated} */
export const gated = (gate, kind, run, options) => gateTool(gate, kind, { ...options, run })

/** @type {typeof import('./openai-agents.d.ts').settle} */
export async function settle(state, tools, { context, ...options } = {}) {
  const decided = state.getInterruptions().map(async (interruption) => {
    const calls = callsOf.get(tools.find(({ name }) => name === interruption.name) ?? {})
    const { rawItem } = /** @type {any} */ (interruption)
    if (!calls) return
    const call = { id: idOf(rawItem.callId), input: JSON.parse(rawItem.arguments), context }
    const action = await calls.decided(await calls.actionOf(call), options)
    // The tool says what was decided, a refusal too.
    if (!isOpen(action) || !isAsked(action)) state.approve(interruption)
  })
  await Promise.all(decided)
  return state
}

/** @param {string | undefined} id */
function idOf(id) {
  if (!id) throw new TypeError('The tool call has no id.')
  return id
}
