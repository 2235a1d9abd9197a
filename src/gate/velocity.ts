import { subjectOf } from './action-words.ts'
import { formatAmount, givenFor, limitFor } from './money.ts'
import type { Band } from './band.ts'
import type { SubjectSums } from './subject.ts'

/**
 * How much of a kind can be confirmed in 24 hours. A currency that is not listed has the limit of
 * the account's currency, or else the lowest; each is counted separately. Absent or null means no limit.
 */
export interface DayLimits {
  actions_per_day?: number | null | undefined
  cents_per_day?: Record<string, number> | null | undefined
}

/**
 * The limits for one member, for the account over all members, and for one API key. If no member limit is set, the default
 * limits apply to members.
 */
export interface Velocity extends DayLimits {
  account?: DayLimits | undefined
  key?: DayLimits | undefined
}

/** What a daily limit counts. */
export const limitScopes = ['member', 'account', 'key'] as const
export type LimitScope = (typeof limitScopes)[number]

/** What was confirmed in the last 24 hours; `cents` in the currency of the action. */
export interface Tally {
  actions: number
  cents: number
}

/** What was confirmed of a kind in the last 24 hours, by the scope of the limit. */
export interface Spent extends Record<LimitScope, Tally>, SubjectSums {
  /** There were more actions than are counted: too many under any policy. */
  isUncounted: boolean
}

const emptyTally: Tally = { actions: 0, cents: 0 }
export const nothingSpent: Spent = {
  member: emptyTally,
  account: emptyTally,
  key: emptyTally,
  subjectCents: 0,
  customerCents: 0,
  isUncounted: false,
}

/** The parts of a rule by amount that limits depend on. */
export interface BandedRule {
  bands: Record<string, Band[]>
  velocity?: Velocity | 'off' | undefined
}

export const defaultActionsPerDay = 50
/** A member's default daily limit is this many times the highest amount of the bands. */
export const defaultDayFactor = 10
/** The highest value a limit in cents can have. */
export const dayCentsMax = 99_999_999_999

/** The limits that apply to a rule: its own, or the default limits for a member if it sets none. Pure. */
export function velocityOf({ bands, velocity = {} }: BandedRule): Velocity {
  if (velocity === 'off') return {}
  const namesMember = velocity.actions_per_day !== undefined || velocity.cents_per_day !== undefined
  return namesMember ? velocity : { ...defaultLimits(bands), ...velocity }
}

/** A member's daily limit if the rule sets none: `defaultDayFactor` times the highest amount of the bands. Pure. */
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
 * Why an action exceeds a daily limit; undefined if it does not. Pure.
 * @param weighed  the amount in whole cents
 */
export function overLimits(
  rule: BandedRule,
  weighed: { kind: string; amountCents: number; currency: string },
  spent: Spent,
  own: string = 'usd',
): string | undefined {
  const velocity = velocityOf(rule)
  if (spent.isUncounted) return `Too many ${weighed.kind} actions were confirmed in the last 24 hours`
  for (const scope of limitScopes) {
    const limits = scope === 'member' ? velocity : velocity[scope]
    const over = limits && overLimit(rule, { scope, limits, own }, weighed, spent[scope])
    if (over) return over
  }
  return undefined
}

function overLimit(
  rule: BandedRule,
  { scope, limits, own }: { scope: LimitScope; limits: DayLimits; own: string },
  { kind, amountCents, currency }: { kind: string; amountCents: number; currency: string },
  spent: Tally,
): string | undefined {
  const { actions_per_day: most, cents_per_day: cents } = limits
  if (most !== undefined && most !== null && spent.actions + 1 > most)
    return `The limit is ${most} ${kind} ${most === 1 ? 'action' : 'actions'} in 24 hours${scopeText[scope]} (${spent.actions} already confirmed)`
  const mostCents = limitFor(cents, currency, own)
  if (mostCents === undefined || spent.cents + amountCents <= mostCents) return undefined
  if (scope === 'member' && spent.cents === 0 && allowsSingleLargeAction(rule, currency, own))
    return undefined
  const of = (amount: number) => formatAmount(amount, currency)
  return `${subjectOf(kind, of(amountCents))} plus the ${of(spent.cents)} of the last 24 hours exceeds the limit of ${of(mostCents)}${scopeText[scope]}`
}

const scopeText: Record<LimitScope, string> = {
  member: ' for one member',
  account: ' for the whole account',
  key: ' for one API key',
}

/**
 * Whether a single action can exceed a member's daily limit if nothing else was confirmed that day. This is so if the last
 * band has no upper bound and the limit is the default one, which only exists to stop split amounts. Pure.
 */
export function allowsSingleLargeAction(rule: BandedRule, currency: string, own: string = 'usd'): boolean {
  const of = <T>(each: Record<string, T> | null | undefined) => givenFor(each, currency, own)
  const isOpen = of(rule.bands)?.at(-1)?.up_to_cents === undefined
  const limit = of(velocityOf(rule).cents_per_day)
  return isOpen && limit !== undefined && limit === of(defaultLimits(rule.bands).cents_per_day)
}
