import type { AuthorityFacts } from '../../db/queries/ledger/authority.ts'
import type { Handler } from '../authority.ts'
import type { RecordedEndpoint } from '../recorded-authority.ts'
import { isSame } from '../upstream-authority.ts'

/** What the entries about endpoints change: each entry says the whole state. */
export const endpointHandlers: Record<'endpoint_set' | 'endpoint_removed', Handler> = {
  endpoint_set({ endpoints }, { endpoint, change: _change, ...facts }, link) {
    endpoints.set(String(endpoint), { seq: link.seq, isSeen: false, facts })
  },

  endpoint_removed({ endpoints }, { endpoint }) {
    endpoints.delete(String(endpoint))
  },
}

/** Where an endpoint differs from its entry; null if it matches. Pure. */
export const endpointMismatch = (facts: AuthorityFacts['endpoint'], told: RecordedEndpoint): string | null =>
  isSame(facts, told.facts) ? null : 'where or of what it is told does not match the ledger'
