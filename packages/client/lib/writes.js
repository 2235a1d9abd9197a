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
    async propose(proposal, { idempotencyKey: given, ...options } = {}) {
      const idempotencyKey = keyOf(given)
      const money = proposeMoney(client, proposal, idempotencyKey, options.signal)
      if (money) return money
      // The kinds that the types list are those of every account.
      const body = /** @type {any} */ (proposal)
      const asked = { params: { header: { 'Idempotency-Key': idempotencyKey } }, body, ...signalOf(options) }
      return repeated(() => api.POST('/api/v1/actions', asked), options.signal)
    },

    async confirm({ id, digest }, actor, options = {}) {
      const body = { actor, ...(digest === undefined ? {} : { digest }) }
      const asked = { ...keyed(id, options), body }
      return repeated(() => api.POST('/api/v1/actions/{id}/confirm', asked), options.signal)
    },

    async cancel({ id }, actor, options = {}) {
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
const keyed = (id, { idempotencyKey, ...options }) => ({
  params: { path: { id }, header: { 'Idempotency-Key': keyOf(idempotencyKey) } },
  ...signalOf(options),
})

/**
 * A key as a header takes it: any other could never be sent, however often it is tried.
 * @param {string} [key]
 * @throws {TypeError}
 */
function keyOf(key = randomUUID()) {
  if (typeof key !== 'string' || !/^[\x21-\x7e]{1,255}$/.test(key))
    throw new TypeError('idempotencyKey must be 1 to 255 visible characters of ASCII, without spaces.')
  return key
}
