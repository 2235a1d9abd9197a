import { act } from './act.js'
import { clientOf, reads } from './calls.js'
import { gatedFunction } from './gated.js'
import { writes } from './writes.js'

/** @type {typeof import('./index.js').createGate} */
export function createGate(options) {
  const client = clientOf(options)
  /** @type {import('./index.js').Gate} */
  const gate = {
    api: client.api,
    ...reads(client),
    ...writes(client),
    act: (proposal, how) => act(gate, proposal, how),
    gated: (kind, run) => /** @type {any} */ (gatedFunction(gate, kind, run)),
  }
  return gate
}
