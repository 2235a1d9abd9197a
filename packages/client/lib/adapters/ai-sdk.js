import { jsonSchema, tool } from 'ai'
import { signalOf } from '../requests.js'
import { isAsked, isOpen } from './decisions.js'
import { toolCalls } from './tool-calls.js'

/** @type {WeakMap<object, ReturnType<typeof toolCalls>>} */
const callsOf = new WeakMap()

/** @type {typeof import('./ai-sdk.d.ts').gateTool} */
export function gateTool(gate, kind, { description, schema, ...settings }) {
  const calls = toolCalls(gate, kind, settings)
  /**
   * @param {any} input
   * @param {any} options
   */
  const callOf = (input, { toolCallId: id, context, experimental_context = context }) => ({
    id,
    input,
    context: experimental_context,
  })
  /** @type {import('ai').FlexibleSchema<any>} */
  const inputSchema =
    'type' in schema && 'properties' in schema
      ? jsonSchema(/** @type {any} */ (schema))
      : /** @type {any} */ (schema)
  const made = tool({
    description,
    inputSchema,
    needsApproval: (/** @type {any} */ input, /** @type {any} */ options) =>
      calls.needsDecision(callOf(input, options)),
    execute: (/** @type {any} */ input, /** @type {any} */ options) =>
      calls.answer(callOf(input, options), signalOf({ signal: options.abortSignal })),
  })
  callsOf.set(made, calls)
  return /** @type {any} */ (made)
}

/** @type {typeof import('./ai-sdk.d.ts').gated} */
export const gated = (gate, kind, run, options) => gateTool(gate, kind, { ...options, run })

/** @type {typeof import('./ai-sdk.d.ts').settle} */
export async function settle(content, tools, { context, ...options } = {}) {
  const answers = content.map(async (/** @type {any} */ part) => {
    const calls = part.type === 'tool-approval-request' && callsOf.get(tools[part.toolCall.toolName] ?? {})
    if (!calls) return []
    const { toolCallId: id, input } = part.toolCall
    const action = await calls.decided(await calls.actionOf({ id, input, context }), options)
    // The tool says what was decided, a refusal too.
    const isThere = !isOpen(action) || !isAsked(action)
    return isThere ? [{ type: 'tool-approval-response', approvalId: part.approvalId, approved: true }] : []
  })
  return /** @type {any} */ ({ role: 'tool', content: (await Promise.all(answers)).flat() })
}
