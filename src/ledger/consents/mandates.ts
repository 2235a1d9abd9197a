import type { Link } from '../chain.ts'
import type { ParsedEntry } from '../checker.ts'

/** Checks in a ledger that what a mandate consented to was drawn from it, with a strength that somebody proved. */
export interface MandateEntries {
  /** What is wrong with the next entry; null if nothing is. */
  problemOf(link: Pick<Link, 'kind' | 'action_id'>, entry: ParsedEntry): string | null
}

/** Keeps the last use of a mandate, and which actions a passkey consented to. Those before have checked the passkey. */
export function mandateEntries(): MandateEntries {
  const byPasskey = new Set<number>()
  // Nothing is between a use and the consent of its action: one statement writes both.
  let use: { mandate: number | null; action: unknown; strength: unknown } | null = null

  function problemWith(id: number | null, { data = {} }: ParsedEntry): string | null {
    const { mandate, strength } = data
    if (mandate === undefined) return null
    if (use?.mandate !== mandate || use?.action !== id || use?.strength !== strength)
      return 'its mandate has no use for it'
    return strength === 'passkey' && !byPasskey.has(Number(mandate))
      ? 'its strength is passkey, but no passkey signed its mandate'
      : null
  }

  return {
    problemOf({ kind, action_id: id }, entry) {
      const { data = {} } = entry
      const problem = kind === 'confirmed' ? problemWith(id, entry) : null
      use =
        kind === 'mandate_used' ? { mandate: id, action: data['used_for'], strength: data['strength'] } : null
      if (kind === 'confirmed' && data['mandate'] === undefined && data['strength'] === 'passkey')
        byPasskey.add(id!)
      return problem
    },
  }
}
