import type { KindDeps } from '../kind-deps.ts'
import type { ProviderFact } from '../kind.ts'
import type { BillingProvider, Customer } from '../../providers/billing.ts'

/** The longest fact of a provider: one line of a decision card. */
const providerFactCharsMax = 300

/** The longest name or address in a fact: others wrote it. */
const providerNameCharsMax = 100

/** The longest customer's name in the title of a decision card. */
const titleNameCharsMax = 40

/** Facts in their order, without those that the provider did not tell, each one bounded line. Pure. */
export const factsOf = (given: [label: string, value: string | undefined][]): ProviderFact[] =>
  given.flatMap(([label, value]) =>
    value === undefined ? [] : [[label, bounded(value)] satisfies ProviderFact],
  )

/**
 * A text of the provider in quotation marks: customers may write it. Quotation marks in it become others, so that it cannot
 * end before it does. Undefined where there is none. Pure.
 */
export const quoted = (
  text: string | null | undefined,
  charsMax: number = providerFactCharsMax,
): string | undefined =>
  text === null || text === undefined || text.trim() === ''
    ? undefined
    : `“${cut(text, charsMax).replaceAll(/[“”„‟❝❞〝〞＂]/g, '"')}”`

/** Who a customer is: name, address and id, as far as they are known. Pure. */
export function customerWords(
  id: string | null | undefined,
  details: Customer | undefined,
): string | undefined {
  const [name, email] = [details?.name, details?.email].map((text) => quoted(text, providerNameCharsMax))
  const words = [name, email, id ?? details?.id].filter((word) => word !== undefined)
  return words.length === 0 ? undefined : words.join(', ')
}

/** The value of a fact; undefined where the provider did not tell it, or the facts are not read. Pure. */
export const factOf = (facts: ProviderFact[] | null | undefined, label: string): string | undefined =>
  facts?.find(([name]) => name === label)?.[1]

/** A customer in the title of a card: the name or address that stands first among its words, else the id. Pure. */
export function customerInTitle(facts: ProviderFact[] | null | undefined): string | undefined {
  const words = factOf(facts, customerLabel)
  const name = words && /^“([^”]*)”/.exec(words)?.[1]
  return name === undefined ? words : quoted(name, titleNameCharsMax)
}

/** The label of the fact about the customer. */
export const customerLabel = 'Customer'

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

// PostgreSQL has no NUL in a text.
const bounded = (value: string): string =>
  cut(value, providerFactCharsMax).toWellFormed().replaceAll('\0', '\uFFFD')

/** A text may be very long: only its beginning is looked at. */
function cut(text: string, charsMax: number): string {
  const characters = Array.from(text.slice(0, 2 * charsMax + 2))
  return characters.length <= charsMax ? text : `${characters.slice(0, charsMax - 1).join('')}…`
}
