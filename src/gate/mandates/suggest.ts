import { type Json, canonical } from '../canonical.ts'
import { type MandateSpent, lower, whyOutside } from './outside.ts'
import { placeholders, whyNoTemplate } from './template.ts'
import type { Allowance, ArgumentLimit, CentsByCurrency, MandateCeiling, MandateTerms } from './terms.ts'

/** What a member decided about one proposal of an agent. */
export interface PastDecision {
  agent: string
  agentName: string
  kind: string
  arguments: Record<string, Json | undefined>
  amount: { amountCents: number; currency: string } | undefined
  isApproved: boolean
  tookMs: number
  at: Date
}

/** A mandate that would have answered questions, and how many. */
export interface SuggestedMandate {
  terms: Omit<MandateTerms, 'until' | 'required_consent'>
  days: number
  /** Questions by this agent about this kind, those that it would have saved, and how many of these were decided within `hastyMs`. */
  asked: number
  saved: number
  hasty: number
}

/**
 * Mandates that would have covered what a member approved again and again, the most useful first: at most one for an agent and a kind.
 * None where it would have covered something that they declined. Pure.
 * @param decisions  those of the last 30 days
 * @param bounds.savedMin  fewer questions are not worth a mandate
 */
export function suggestMandates(
  decisions: PastDecision[],
  ceilings: Record<string, MandateCeiling>,
  bounds: { savedMin: number; hastyMs: number; valuesMax: number },
): SuggestedMandate[] {
  return grouped(decisions, ({ agent, kind }) => `${agent} ${kind}`)
    .flatMap((asked) => {
      const { kind } = asked[0]!
      const ceiling = Object.hasOwn(ceilings, kind) ? ceilings[kind] : undefined
      if (!ceiling) return []
      const alike = grouped(
        asked.filter(({ isApproved }) => isApproved),
        shapeOf,
      )
      const made = alike.flatMap((same) => suggestionOf(same, asked, ceiling, bounds) ?? [])
      return made.toSorted((a, b) => b.saved - a.saved).slice(0, 1)
    })
    .toSorted((a, b) => b.saved - a.saved)
}

function suggestionOf(
  same: PastDecision[],
  asked: PastDecision[],
  ceiling: MandateCeiling,
  { savedMin, hastyMs, valuesMax }: { savedMin: number; hastyMs: number; valuesMax: number },
): SuggestedMandate | undefined {
  if (same.length < savedMin) return undefined
  const terms = termsFor(same, ceiling, valuesMax)
  if (!terms) return undefined
  // Whatever was left of the budget then.
  const isWithin = (one: PastDecision) => isCovered(terms, one, { ceiling, spent: nothing })
  if (asked.some((one) => !one.isApproved && isWithin(one))) return undefined
  const covered = coveredBy(terms, asked, ceiling)
  if (covered.length < savedMin) return undefined
  return {
    terms,
    days: ceiling.days,
    asked: asked.length,
    saved: covered.length,
    hasty: covered.filter(({ tookMs }) => tookMs <= hastyMs).length,
  }
}

/** The limits that cover these approvals, as far as the policy allows; undefined where no mandate can. */
function termsFor(
  same: PastDecision[],
  ceiling: MandateCeiling,
  valuesMax: number,
): SuggestedMandate['terms'] | undefined {
  const { agent, agentName, kind } = same[0]!
  const limits = argumentLimits(same, valuesMax)
  if (!limits) return undefined
  const days = grouped(same, dayOf)
  const uses = Math.min(ceiling.uses, same.length)
  const allowed: Allowance = { kind, ...(Object.keys(limits).length === 0 ? {} : { arguments: limits }) }
  const terms = {
    agent,
    agent_name: agentName,
    allows: [allowed],
    uses,
    uses_per_day: Math.min(ceiling.uses_per_day, uses, Math.max(...days.map(({ length }) => length))),
  }
  const currency = same[0]!.amount?.currency
  if (currency === undefined) return terms
  const centsOf = (some: PastDecision[]) => some.reduce((sum, one) => sum + one.amount!.amountCents, 0)
  const capped = (cents: number, most: CentsByCurrency | undefined) => lower({ [currency]: cents }, most)
  const each = capped(Math.max(...same.map((one) => one.amount!.amountCents)), ceiling.cents_each)
  const cents = capped(centsOf(same), ceiling.cents)
  const day = capped(Math.max(...days.map(centsOf)), ceiling.cents_per_day)
  if ([each, cents, day].some((one) => one[currency] === undefined)) return undefined
  return { ...terms, allows: [{ ...allowed, cents_each: each }], cents, cents_per_day: day }
}

/** Of each argument its few values, or that it is an id, or the text with numbers in it; undefined: one is free text. */
function argumentLimits(same: PastDecision[], valuesMax: number): Record<string, ArgumentLimit> | undefined {
  const names = Object.keys(present(same[0]!.arguments))
  const limits = names.map((name): [string, ArgumentLimit | undefined] => {
    const texts = [...new Set(same.map((one) => textOf(one.arguments[name] as Json)))]
    const shape = shapeOfValue(same[0]!.arguments[name] as Json)
    if (shape !== 'id')
      return [name, texts.length === 1 || !isTemplate(shape) ? onlyText(texts) : { template: shape }]
    // Values that hardly come again are no limit that would help.
    const isRepeated = texts.length <= valuesMax && texts.length * 3 <= same.length
    return [name, isRepeated ? { in: texts } : { any: 'id' }]
  })
  return limits.some(([, limit]) => limit === undefined)
    ? undefined
    : (Object.fromEntries(limits) as Record<string, ArgumentLimit>)
}

const textOf = (value: Json): string => (typeof value === 'string' ? value : canonical(value))

const onlyText = (texts: string[]): ArgumentLimit | undefined =>
  texts.length === 1 && texts[0]!.length <= textCharsMax && whyNoTemplate(texts[0]!) === undefined
    ? { in: texts }
    : undefined
const textCharsMax = 200

const isTemplate = (shape: string): boolean => shape.length <= 1_000 && whyNoTemplate(shape) === undefined

/** What approvals that one mandate could cover have in common: currency, names of arguments, and texts but for their numbers. */
const shapeOf = ({ arguments: given, amount }: PastDecision): string =>
  JSON.stringify([
    amount?.currency ?? null,
    Object.entries(present(given)).map(([name, value]) => [name, shapeOfValue(value)]),
  ])

/** `id`, or a text with `{number}` for each number. */
function shapeOfValue(value: Json): string {
  if (typeof value !== 'string') return typeof value === 'object' ? canonical(value) : 'id'
  return /^[\w.:@-]{1,64}$/.test(value) ? 'id' : value.replaceAll(/[0-9]+/g, `{${placeholders[0]}}`)
}

const present = (given: Record<string, Json | undefined>): Record<string, Json> =>
  Object.fromEntries(
    Object.entries(given)
      .filter((pair): pair is [string, Json] => pair[1] !== undefined && pair[1] !== null)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  )

/** The decisions that a mandate of these terms would have made, had it been in force, oldest first. */
function coveredBy(
  terms: SuggestedMandate['terms'],
  asked: PastDecision[],
  ceiling: MandateCeiling,
): PastDecision[] {
  let spent = nothing
  let today = ''
  return asked
    .toSorted((a, b) => a.at.getTime() - b.at.getTime())
    .filter((one) => {
      if (dayOf(one) !== today) spent = { ...spent, uses_today: 0, cents_today: {} }
      today = dayOf(one)
      if (!isCovered(terms, one, { ceiling, spent })) return false
      const plus = (cents: CentsByCurrency) =>
        one.amount
          ? { ...cents, [one.amount.currency]: (cents[one.amount.currency] ?? 0) + one.amount.amountCents }
          : cents
      spent = {
        uses: spent.uses + 1,
        uses_today: spent.uses_today + 1,
        cents: plus(spent.cents),
        cents_today: plus(spent.cents_today),
      }
      return true
    })
}

const nothing: MandateSpent = { uses: 0, uses_today: 0, cents: {}, cents_today: {} }

function isCovered(
  terms: SuggestedMandate['terms'],
  action: PastDecision,
  { ceiling, spent }: { ceiling: MandateCeiling; spent: MandateSpent },
): boolean {
  const signed = { ...terms, until: '', required_consent: 'page' as const }
  const standing = { id: 0, terms: signed, signed: 'page' as const, spent, isFrozen: false }
  return whyOutside(standing, action, { ceiling, floor: 'agent_attested' }) === undefined
}

/** The day of UTC. */
const dayOf = ({ at }: PastDecision): string => at.toISOString().slice(0, 10)

function grouped<Value>(values: Value[], by: (value: Value) => string): Value[][] {
  const groups = new Map<string, Value[]>()
  for (const value of values) {
    const group = groups.get(by(value))
    if (group) group.push(value)
    else groups.set(by(value), [value])
  }
  return [...groups.values()]
}
