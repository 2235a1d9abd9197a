import { interrupt } from '@langchain/langgraph'
import { toolThat } from './langchain-tool.js'
import { bindingOf, isBound, isOpen, neededDecision } from './decisions.js'

/** @type {typeof import('./langgraph.d.ts').gateTool} */
export const gateTool = (gate, kind, options) =>
  toolThat(gate, kind, options, (_calls, action) => decided(gate, action))

/** @type {typeof import('./langgraph.d.ts').gated} */
export const gated = (gate, kind, run, options) => gateTool(gate, kind, { ...options, run })

/**
 * Interrupts the graph until it is resumed for this action, and somebody decided it. With each resume the node runs again from its
 * start, and each interrupt gets the answer that it got before: so all are asked for again, in the same order.
 * @param {import('../index.js').Gate} gate
 * @param {import('../index.js').Action} proposed
 */
async function decided(gate, proposed) {
  if (!neededDecision(proposed)) return proposed
  for (let action = proposed, problem; ;) {
    const { kind, payload, consent_request: asked } = action
    const answer = interrupt({ ...bindingOf(action), kind, payload, next: problem ?? asked?.next })
    action = await gate.get(action.id)
    if (!isBound(action, answer))
      problem = 'The answer was for another action. Resume with the id and digest of this one.'
    else if (isOpen(action)) problem = 'Nobody has decided yet. Resume when the action is decided.'
    else return action
  }
}
