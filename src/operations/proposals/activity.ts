import {
  type DecisionTimes,
  type OutcomeRow,
  countOutcomes,
  measureDecisions,
} from '../../db/queries/actions/outcomes.ts'
import type { Deps } from '../../deps.ts'
import { limits } from '../../limits.ts'

export type Outcome = OutcomeRow['outcome']

/** How proposals end, from the best to what is still open. */
export const outcomes: readonly Outcome[] = ['executed', 'denied', 'cancelled', 'expired', 'open']

/** A day in the time zone of the reader. */
export interface Day {
  /** `2026-11-22`. */
  name: string
  from: Date
  to: Date
}

export interface DayCounts {
  name: string
  counts: Record<Outcome, number>
  total: number
  /** There were more proposals than were counted. */
  isMore: boolean
}

/** The proposals of a number of days by outcome. */
export interface Activity {
  days: DayCounts[]
  totals: Record<Outcome, number>
  total: number
  /** Some day had more proposals than were counted. */
  isMore: boolean
  /** Denials by code, most first; null: no code was recorded. */
  denials: { code: string | null; count: number }[]
  decisions: DecisionTimes
}

/** Counts the proposals of an account by day and outcome, and measures how long decisions took. */
export async function readActivity(
  { db }: Pick<Deps, 'db'>,
  account: string,
  days: Day[],
): Promise<Activity> {
  const [rows, decisions] = await Promise.all([
    countOutcomes(db, account, { days, rowsPerDayMax: limits.overviewProposalsPerDayMax }),
    measureDecisions(db, account, { since: days[0]!.from, rowsMax: limits.overviewDecisionsMax }),
  ])
  return { ...summed(days, rows), decisions }
}

/** Adds up the counts by day, outcome and reason. Pure. */
export function summed(days: Pick<Day, 'name'>[], rows: OutcomeRow[]): Omit<Activity, 'decisions'> {
  const perDay = days.map(({ name }, at): DayCounts => {
    const counts = countsOf(rows.filter(({ day }) => day === at))
    const total = sum(Object.values(counts))
    return { name, counts, total, isMore: total >= limits.overviewProposalsPerDayMax }
  })
  const totals = countsOf(rows)
  return {
    days: perDay,
    totals,
    total: sum(Object.values(totals)),
    isMore: perDay.some(({ isMore }) => isMore),
    denials: denialsOf(rows),
  }
}

function countsOf(rows: OutcomeRow[]): Record<Outcome, number> {
  const counts = { executed: 0, denied: 0, cancelled: 0, expired: 0, open: 0 }
  for (const { outcome, count } of rows) counts[outcome] += count
  return counts
}

function denialsOf(rows: OutcomeRow[]): Activity['denials'] {
  const counts = new Map<string | null, number>()
  for (const { outcome, denial_code: code, count } of rows)
    if (outcome === 'denied') counts.set(code, (counts.get(code) ?? 0) + count)
  return [...counts].map(([code, count]) => ({ code, count })).toSorted((a, b) => b.count - a.count)
}

const sum = (numbers: number[]): number => numbers.reduce((all, one) => all + one, 0)
