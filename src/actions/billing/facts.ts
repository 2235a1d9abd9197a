import type { KindDeps } from '../kind-deps.ts'
import type { ProviderFact } from '../kind.ts'
import { limits } from '../../limits.ts'
import type { BillingProvider, Customer } from '../../providers/billing.ts'

/** Facts in their order, without those that the provider did not tell, each one bounded line. Pure. */
export const factsOf = (given: [label: string, value: string | undefined][]): ProviderFact[] =>
  given.flatMap(([label, value]) =>
    value === undefined ? [] : [[label, bounded(value)] satisfies ProviderFact],
  )

/** A text of the provider in quotation marks: customers may write it. Undefined where there is none. Pure. */
export const quoted = (text: string | null | undefined): string | undefined =>
  text === null || text === undefined || text.trim() === '' ? undefined : `“${text}”`

/** Who a customer is: name, address and id, as far as they are known. Pure. */
export function customerWords(
  id: string | null | undefined,
  details: Customer | undefined,
): string | undefined {
  const words = [quoted(details?.name), quoted(details?.email), id ?? details?.id].filter(
    (word) => word !== undefined,
  )
  return words.length === 0 ? undefined : words.join(', ')
}

/** `2026-11-22`, in UTC. Pure. */
export const dayOf = (at: Date): string => at.toISOString().slice(0, 10)

/** Reads what only the card shows: a proposal does not fail because the provider does not tell it. */
export async function readForCard<T>(
  deps: KindDeps,
  account: string,
  ask: (provider: BillingProvider) => Promise<T | undefined>,
): Promise<T | undefined> {
  const access = await deps.billing(account)
  return access && ask(access.provider).catch(() => undefined)
}

const bounded = (value: string): string => {
  const characters = [...value.toWellFormed()]
  if (characters.length <= limits.providerFactCharsMax) return value.toWellFormed()
  return `${characters.slice(0, limits.providerFactCharsMax - 1).join('')}…`
}
