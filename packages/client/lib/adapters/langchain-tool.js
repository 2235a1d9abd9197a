import { randomUUID } from 'node:crypto'
import { tool } from '@langchain/core/tools'
import { signalOf } from '../requests.js'
import { correctable, toolCalls } from './tool-calls.js'

/**
 * A tool that proposes, has the decision made, and says what happened.
 * @param {import('../index.js').Gate} gate
 * @param {string} kind
 * @param {import('./langchain.d.ts').GateToolOptions} options
 * @param {(calls: ReturnType<typeof toolCalls>, action: import('../index.js').Action, config: any) =>
 *   Promise<import('../index.js').Action>} decided
 */
export function toolThat(gate, kind, { name = kind, description, schema, ...settings }, decided) {
  const calls = toolCalls(gate, kind, settings)
  /**
   * @param {any} input
   * @param {any} config
   */
  const call = (input, config) =>
    correctable(async () => {
      const thread = config.configurable?.thread_id
      const action = await calls.actionOf({
        id: config.toolCall?.id ?? randomUUID(),
        input,
        context: config,
        ...(thread === undefined ? {} : { thread: String(thread) }),
      })
      return calls.tell(await decided(calls, action, config), signalOf(config))
    })
  return /** @type {any} */ (tool(call, { name, description, schema }))
}
