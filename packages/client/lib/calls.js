import createClient from 'openapi-fetch'
import { addressOf } from './address.js'
import { repeated, signalOf } from './requests.js'

/** How long one read waits for the end of an action. Seconds. */
const waitSeconds = 50

/**
 * @typedef {{ api: import('./index.js').Gate['api'], url: string, headers: Record<string, string>,
 *   fetch: typeof globalThis.fetch }} Client
 */

/**
 * @param {{ url: string, key: string, fetch?: typeof globalThis.fetch }} options
 * @returns {Client}
 * @throws {TypeError} where the address or the key cannot be one
 */
export function clientOf({ fetch = globalThis.fetch, ...given }) {
  const { url, authorization } = addressOf(given)
  const headers = { authorization }
  return { api: createClient({ baseUrl: url, headers, fetch }), url, headers, fetch }
}

/**
 * What changes nothing.
 * @param {Client} client
 * @returns {Pick<import('./index.js').Gate, 'capability' | 'get' | 'list' | 'wait'>}
 */
export function reads({ api }) {
  /** @type {import('./index.js').Gate['get']} */
  const get = (id, { wait, ...options } = {}) => {
    const query = wait === undefined ? {} : { wait }
    const asked = { params: { path: { id }, query }, ...signalOf(options) }
    return repeated(() => api.GET('/api/v1/actions/{id}', asked), options.signal)
  }
  return {
    get,

    capability: (query, options = {}) =>
      repeated(
        () => api.GET('/api/v1/capability', { params: { query }, ...signalOf(options) }),
        options.signal,
      ),

    async *list(filters = {}, options = {}) {
      for (let after = filters.after; ;) {
        const query = { ...filters, ...(after === undefined ? {} : { after }) }
        const asked = { params: { query }, ...signalOf(options) }
        const page = await repeated(() => api.GET('/api/v1/actions', asked), options.signal)
        yield* page.actions
        if (page.next_after === undefined) return
        after = page.next_after
      }
    },

    async wait({ id }, { timeoutMs = Infinity, ...options } = {}) {
      const end = Date.now() + timeoutMs
      for (;;) {
        const left = Math.ceil((end - Date.now()) / 1_000)
        const action = await get(id, { wait: Math.max(0, Math.min(waitSeconds, left)), ...options })
        if (action.status !== 'proposed' || left <= 0) return action
      }
    },
  }
}
