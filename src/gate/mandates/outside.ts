import { type Json, canonical } from '../canonical.ts'
import { type ConsentStrength, meetsFloor } from '../consent.ts'
import { formatAmount } from '../money.ts'
import { fitsTemplate } from './template.ts'
import type { Allowance, ArgumentLimit, CentsByCurrency, MandateCeiling, MandateTerms } from './terms.ts'

/** What is used of a mandate. */
export interface MandateSpent {
  uses: number
  uses_today: number
  cents: CentsByCurrency
  cents_today: CentsByCurrency
}

/** An action that a mandate could consent to. */
export interface ToBeCovered {
  kind: string
  /** What the agent chose, apart from the amount; null: such actions are never allowed in advance. */
  arguments: Record<string, Json | undefined> | null
  amount: { amountCents: number; currency: string } | undefined
}

/** The limits of a mandate's budget now: its own, or the policy's where that is lower. */
export interface MandateCaps {
  uses: number
  uses_per_day: number
  cents?: CentsByCurrency | undefined
  cents_per_day?: CentsByCurrency | undefined
}

/** A mandate as it stands. */
export interface StandingMandate {
  id: number
  terms: MandateTerms
  signed: ConsentStrength
  spent: MandateSpent
  isFrozen: boolean
}

/**
 * Why a mandate does not consent to an action, in a clause that follows its number; undefined where it does. Pure.
 * @param ceiling  what the policy allows for the kind now; undefined: nothing
 * @param floor  the consent that the action requires
 */
export function whyOutside(
  { terms, signed, spent, isFrozen }: StandingMandate,
  action: ToBeCovered,
  { ceiling, floor }: { ceiling: MandateCeiling | undefined; floor: ConsentStrength },
): string | undefined {
  const allowed = terms.allows.find(({ kind }) => kind === action.kind)
  if (!allowed) return `it is not for ${action.kind}`
  if (isFrozen) return 'it is frozen'
  if (!ceiling || action.arguments === null) return `the policy allows no mandates for ${action.kind}`
  if (!meetsFloor(signed, ceiling.consent))
    return `it was signed with ${signed}, and the policy now requires ${ceiling.consent}`
  const strength = strengthOfUse(signed, ceiling)
  if (!meetsFloor(strength, floor)) return `it counts as ${strength}, and this requires ${floor}`
  return (
    outsideArguments(allowed, action.arguments) ??
    outsideAmount(allowed, action, { terms, ceiling, spent }) ??
    outsideUses(capsOf(terms, ceiling), spent)
  )
}

/** What a use of a mandate counts as. Pure. */
export function strengthOfUse(signed: ConsentStrength, { counts_as: most }: MandateCeiling): ConsentStrength {
  return most === undefined || meetsFloor(most, signed) ? signed : most
}

/** The budget of a mandate under the policy in force: a policy below its limits narrows it at once. Pure. */
export function capsOf(terms: MandateTerms, ceiling: MandateCeiling): MandateCaps {
  return {
    uses: Math.min(terms.uses, ceiling.uses),
    uses_per_day: Math.min(terms.uses_per_day, ceiling.uses_per_day),
    ...(terms.cents && { cents: lower(terms.cents, ceiling.cents) }),
    ...(terms.cents_per_day && { cents_per_day: lower(terms.cents_per_day, ceiling.cents_per_day) }),
  }
}

/** Of each currency that both name, the lower amount. Pure. */
export const lower = (one: CentsByCurrency, other: CentsByCurrency = {}): CentsByCurrency =>
  Object.fromEntries(
    Object.entries(one).flatMap(([currency, cents]) => {
      const most = Object.hasOwn(other, currency) ? other[currency]! : undefined
      return most === undefined ? [] : [[currency, Math.min(cents, most)]]
    }),
  )

/** What is left of a budget. Pure. */
export function leftOf(caps: MandateCaps, spent: MandateSpent): MandateSpent {
  const minus = (limits: CentsByCurrency = {}, used: CentsByCurrency = {}) =>
    Object.fromEntries(
      Object.entries(limits).map(([currency, cents]) => [
        currency,
        Math.max(0, cents - (used[currency] ?? 0)),
      ]),
    )
  const cents = minus(caps.cents, spent.cents)
  const uses = Math.max(0, caps.uses - spent.uses)
  return {
    uses,
    uses_today: Math.min(uses, Math.max(0, caps.uses_per_day - spent.uses_today)),
    cents,
    cents_today: lower(minus(caps.cents_per_day, spent.cents_today), cents),
  }
}

function outsideArguments(
  { arguments: limits = {} }: Allowance,
  given: Record<string, Json | undefined>,
): string | undefined {
  for (const [name, value] of Object.entries(given)) {
    if (value === undefined || value === null) continue
    const limit = Object.hasOwn(limits, name) ? limits[name] : undefined
    // An agent may have chosen the name: on a card it must not speak for the gate.
    if (!limit)
      return `it does not allow ${plainName.test(name) ? `the argument ${name}` : 'one of the arguments'}`
    if (!isWithin(limit, value)) return `${name} is not as it allows`
  }
  const missing = Object.entries(limits).find(
    ([name, limit]) => 'in' in limit && (given[name] === undefined || given[name] === null),
  )
  return missing && `${missing[0]} is missing`
}

const plainName = /^[\w.-]{1,64}$/

function isWithin(limit: ArgumentLimit, value: Json): boolean {
  if ('template' in limit) return typeof value === 'string' && fitsTemplate(limit.template, value)
  if ('in' in limit) return limit.in.includes(typeof value === 'string' ? value : canonical(value))
  return typeof value === 'string'
    ? shortId.test(value)
    : typeof value === 'number' || typeof value === 'boolean'
}

/** Too short and too plain for a message. */
const shortId = /^[\w.:@-]{1,64}$/

function outsideAmount(
  allowed: Allowance,
  { amount, kind }: ToBeCovered,
  { terms, ceiling, spent }: { terms: MandateTerms; ceiling: MandateCeiling; spent: MandateSpent },
): string | undefined {
  if (!amount) return undefined
  const { amountCents: cents, currency } = amount
  const of = (limits: CentsByCurrency | undefined): number | undefined =>
    limits && Object.hasOwn(limits, currency) ? limits[currency] : undefined
  const say = (value: number) => formatAmount(value, currency)
  const own = [of(allowed.cents_each), of(terms.cents), of(terms.cents_per_day)]
  if (own.includes(undefined)) return `it has no budget in ${currency.toUpperCase()}`
  const ruled = [of(ceiling.cents_each), of(ceiling.cents), of(ceiling.cents_per_day)]
  if (ruled.includes(undefined))
    return `the policy allows no mandates for ${kind} in ${currency.toUpperCase()}`
  if (cents > own[0]!) return `${say(cents)} is above the mandate's ${say(own[0]!)}`
  if (cents > ruled[0]!) return `${say(cents)} is above the ${say(ruled[0]!)} that the policy allows mandates`
  const left = leftOf(capsOf(terms, ceiling), spent)
  const [inAll, today] = [left.cents[currency]!, left.cents_today[currency]!]
  if (cents > inAll) return `${say(cents)} is above the ${say(inAll)} that it has left`
  return cents > today ? `${say(cents)} is above the ${say(today)} that it has left today` : undefined
}

function outsideUses(caps: MandateCaps, spent: MandateSpent): string | undefined {
  if (spent.uses >= caps.uses) return `its ${caps.uses} uses are used up`
  return spent.uses_today >= caps.uses_per_day
    ? `its ${caps.uses_per_day} uses of today are used up`
    : undefined
}
