import { expect, test } from '@jest/globals'
import { niceTop } from '../../src/console/day-chart.ts'
import { activityChart, lastDays } from '../../src/console/overview/activity-section.ts'
import { limits } from '../../src/limits.ts'
import { summed } from '../../src/operations/proposals/activity.ts'
import { testRows } from '../support/rows.ts'

const days = lastDays(new Date('2026-11-03T23:30:00Z'), 'Europe/Berlin')

test('the days end with today in the zone of the viewer, without a gap', () => {
  expect([days.length, days[0]!.name, days.at(-1)!.name]).toEqual([14, '2026-10-22', '2026-11-04'])
  for (const [at, day] of days.entries()) if (at > 0) expect(day.from).toEqual(days[at - 1]!.to)
  // The night of the change has an hour more.
  const hours = days.map(({ from, to }) => (to.getTime() - from.getTime()) / 3_600_000)
  expect(hours.filter((one) => one !== 24)).toEqual([25])
})

test('the bars add up, the table says the same, and there is nothing that a policy of scripts and styles would stop', () => {
  const activity = summed(days, [
    { day: 0, outcome: 'executed', denial_code: null, count: 3 },
    { day: 13, outcome: 'denied', denial_code: 'velocity', count: 1 },
    { day: 13, outcome: 'denied', denial_code: null, count: 2 },
    { day: 13, outcome: 'open', denial_code: null, count: 1 },
  ])
  expect(activity.denials).toEqual([
    { code: null, count: 2 },
    { code: 'velocity', count: 1 },
  ])
  const { html } = activityChart(activity)
  const bars = [
    ...html.matchAll(/<rect\s+class="(\w+)"\s+x="(\d+)"\s+y="([\d.]+)"\s+width="\d+"\s+height="([\d.]+)"/g),
  ]
  expect(bars.map(([, outcome, x, y, height]) => [outcome, x, y, height])).toEqual([
    ['executed', '3', '25', '75'],
    ['denied', '263', '25', '75'],
    ['open', '263', '0', '25'],
  ])
  const cells = [...html.matchAll(/<t[hd] [^>]*data-label="[^"]*"><div>([^<]*)/g)].map(([, cell]) =>
    cell!.trim(),
  )
  expect(cells.slice(-7)).toEqual(['2026-11-04', '4', '0', '3', '0', '0', '1'])
  expect(html).not.toMatch(/style=|<script|<style|\son\w+=/)
})

test('a day with more proposals than are counted says so', () => {
  const count = limits.overviewProposalsPerDayMax
  const activity = summed(days, [{ day: 1, outcome: 'executed', denial_code: null, count }])
  expect(activity.isMore).toBe(true)
  expect(activityChart(activity).html).toContain('<strong>10,000+</strong>')
})

testRows([
  [0, 2],
  [3, 4],
  [7, 8],
  [11, 20],
  [61, 80],
  [10_000, 10_000],
])('a chart ends at a round number above its largest value', (largest, top) => {
  expect(niceTop(largest)).toBe(top)
})
