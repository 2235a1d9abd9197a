import { randomUUID } from 'node:crypto'
import { proposeMoney } from './money.js'
import { answered, repeated, signalOf } from './requests.js'

/**
 * What changes something. Each write but a claim is repeated under its key while the gate cannot be reached.
 * @param {import('./calls.js').Client} client
 * @returns {Pick<import('./index.js').Gate, 'propose' | 'confirm' | 'cancel' | 'claim' | 'report'>}
 */
export function writes(client) {
  const { api } = client
  return {
    propose(proposal, { idempotencyKey = randomUUID(), ...options } = {}) {
      const money = proposeMoney(client, proposal, idempotencyKey, options.signal)
      if (money) return money
      // The kinds that the types list are those of every account.
      const body = /** @type {any} */ (proposal)
      const asked = { params: { header: { 'Idempotency-Key': idempotencyKey } }, body, ...signalOf(options) }
      return repeated(() => api.POST('/api/v1/actions', asked), options.signal)
    },

    confirm({ id, digest }, actor, options = {}) {
      const body = { actor, ...(digest === undefined ? {} : { digest }) }
      const asked = { ...keyed(id, options), body }
      return repeated(() => api.POST('/api/v1/actions/{id}/confirm', asked), options.signal)
    },

    cancel({ id }, actor, options = {}) {
      const asked = { ...keyed(id, options), body: { actor } }
      return repeated(() => api.POST('/api/v1/actions/{id}/cancel', asked), options.signal)
    },

    claim: ({ id }, options = {}) =>
      answered(() =>
        api.POST('/api/v1/actions/{id}/claim', { params: { path: { id } }, ...signalOf(options) }),
      ),

    report({ id, claim }, report, options = {}) {
      const asked = { params: { path: { id } }, body: { claim, ...report }, ...signalOf(options) }
      return repeated(() => api.POST('/api/v1/actions/{id}/outcome', asked), options.signal)
    },
  }
}

/**
 * @param {number} id
 * @param {import('./index.js').WriteOptions} options
 */
const keyed = (id, { idempotencyKey = randomUUID(), ...options }) => ({
  params: { path: { id }, header: { 'Idempotency-Key': idempotencyKey } },
  ...signalOf(options),
})
