import { formatAmount } from './money.ts'
import type { Band } from './band.ts'

/**
 * What may be confirmed of a kind within 24 hours. `cents_per_day.usd` holds for currencies not given apart; each currency
 * is counted by itself. What is absent or null is not limited.
 */
export interface DayLimits {
  actions_per_day?: number | null | undefined
  cents_per_day?: Record<string, number> | null | undefined
}

/**
 * The limits of one member, of the account over all members, and of one API key. Where none of a member is named, the
 * defaults hold for a member.
 */
export interface Velocity extends DayLimits {
  account?: DayLimits | undefined
  key?: DayLimits | undefined
}

/** Whose day is limited. */
export const limitScopes = ['member', 'account', 'key'] as const
export type LimitScope = (typeof limitScopes)[number]

/** What was confirmed in the last 24 hours; `cents` in the currency that is asked about. */
export interface Tally {
  actions: number
  cents: number
}

/** What was confirmed of a kind in the last 24 hours, by whose limit it counts against. */
export interface Spent extends Record<LimitScope, Tally> {
  /** Of the same subject, over all members and keys, in the currency that is asked about. */
  subjectCents: number
  /** There was more than is counted: too much under any policy. */
  isUncounted: boolean
}

const nothing: Tally = { actions: 0, cents: 0 }
export const nothingSpent: Spent = {
  member: nothing,
  account: nothing,
  key: nothing,
  subjectCents: 0,
  isUncounted: false,
}

/** A rule by amount, as far as limits go. */
export interface BandedRule {
  bands: Record<string, Band[]>
  velocity?: Velocity | 'off' | undefined
}

export const defaultActionsPerDay = 50
/** A member's day is so many times the highest amount that a band clears. */
export const defaultDayFactor = 10
/** The most cents that a limit can say. */
export const dayCentsMax = 99_999_999_999

/** The velocity that holds for a rule: what it says, with a member's defaults where it names none. Pure. */
export function velocityOf({ bands, velocity = {} }: BandedRule): Velocity {
  if (velocity === 'off') return {}
  const namesMember = velocity.actions_per_day !== undefined || velocity.cents_per_day !== undefined
  return namesMember ? velocity : { ...defaultLimits(bands), ...velocity }
}

/** A member's day where the rule names no limit of one: ten times the highest amount that is cleared. Pure. */
export function defaultLimits(bands: Record<string, Band[]>): DayLimits {
  const highest = Object.entries(bands).map(([currency, list]) => [currency, highestOf(list)] as const)
  const perDay = Object.fromEntries(
    highest.map(([currency, cents]) => [
      currency,
      cents === undefined ? dayCentsMax : Math.min(cents * defaultDayFactor, dayCentsMax),
    ]),
  )
  return {
    actions_per_day: defaultActionsPerDay,
    ...(highest.some(([, cents]) => cents !== undefined) ? { cents_per_day: perDay } : {}),
  }
}

function highestOf(bands: Band[]): number | undefined {
  return bands.flatMap((band) => band.up_to_cents ?? []).at(-1)
}

/**
 * Why an action is too much for a day; undefined where there is room. Pure.
 * @param weighed  what it weighs, whole cents
 */
export function overLimits(
  rule: BandedRule,
  weighed: { kind: string; amountCents: number; currency: string },
  spent: Spent,
): string | undefined {
  const velocity = velocityOf(rule)
  if (spent.isUncounted) return `${weighed.kind} was confirmed more often in 24 hours than is counted`
  for (const scope of limitScopes) {
    const limits = scope === 'member' ? velocity : velocity[scope]
    const over = limits && overLimit(scope, rule, limits, weighed, spent[scope])
    if (over) return over
  }
  return undefined
}

function overLimit(
  scope: LimitScope,
  rule: BandedRule,
  { actions_per_day: most, cents_per_day: cents }: DayLimits,
  { kind, amountCents, currency }: { kind: string; amountCents: number; currency: string },
  spent: Tally,
): string | undefined {
  if (most !== undefined && most !== null && spent.actions + 1 > most)
    return `${kind} is allowed ${most} times in 24 hours${forWhom[scope]}, and ${spent.actions} were confirmed`
  const mostCents = cents?.[currency] ?? cents?.['usd']
  if (mostCents === undefined || spent.cents + amountCents <= mostCents) return undefined
  if (scope === 'member' && spent.cents === 0 && mayBeAlone(rule, currency)) return undefined
  const of = (amount: number) => formatAmount(amount, currency)
  return `${kind} of ${of(amountCents)} on top of the ${of(spent.cents)} of the last 24 hours is above ${of(mostCents)}${forWhom[scope]}`
}

const forWhom: Record<LimitScope, string> = {
  member: '',
  account: ' for the whole account',
  key: ' for one API key',
}

/**
 * Whether one action may be above a member's day where nothing else was confirmed in it: the last band is open, so it clears
 * any amount, and the limit is the default, which only stops pieces. Pure.
 */
export function mayBeAlone(rule: BandedRule, currency: string): boolean {
  const of = <T>(each: Record<string, T> | null | undefined) => each?.[currency] ?? each?.['usd']
  const isOpen = of(rule.bands)?.at(-1)?.up_to_cents === undefined
  const limit = of(velocityOf(rule).cents_per_day)
  return isOpen && limit !== undefined && limit === of(defaultLimits(rule.bands).cents_per_day)
}
