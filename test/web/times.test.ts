import { expect, test } from '@jest/globals'
import {
  addDays,
  dayIn,
  distance,
  millisecondIn,
  minuteIn,
  startOfDay,
  timeZones,
  zoneLabel,
} from '../../src/web/times.ts'
import { testRows } from '../support/rows.ts'

const now = new Date('2026-11-22T17:00:00Z')

testRows([
  [0, 'just now'],
  [-59, 'just now'],
  [1, 'in a moment'],
  [-60, '1 minute ago'],
  [-3 * 60, '3 minutes ago'],
  [-3_599, '59 minutes ago'],
  [2 * 3_600, 'in 2 hours'],
  [-86_400, '1 day ago'],
  [29.5 * 86_400, 'in 29 days'],
  [-70 * 86_400, '2 months ago'],
  [800 * 86_400, 'in 2 years'],
])('a time from now is told in one unit', (seconds, words) => {
  expect(distance(new Date(now.getTime() + seconds * 1_000), now)).toBe(words)
})

test('a time stands in the zone of its viewer, in winter and in summer', () => {
  expect(minuteIn(now, 'UTC')).toBe('2026-11-22 17:00 UTC')
  expect(minuteIn(now, 'Europe/Berlin')).toBe('2026-11-22 18:00 CET')
  expect(minuteIn(new Date('2026-07-01T22:30:00Z'), 'Europe/Berlin')).toBe('2026-07-02 00:30 CEST')
  expect(millisecondIn(new Date('2026-01-01T00:00:00.007Z'), 'America/New_York')).toMatch(
    /^2025-12-31 19:00:00\.007 (GMT-5|EST)$/,
  )
})

testRows([
  ['2026-11-22', 'UTC', '2026-11-22T00:00:00.000Z'],
  ['2026-03-29', 'Europe/Berlin', '2026-03-28T23:00:00.000Z'],
  ['2026-03-30', 'Europe/Berlin', '2026-03-29T22:00:00.000Z'],
  ['2026-10-25', 'Europe/Berlin', '2026-10-24T22:00:00.000Z'],
  ['2026-10-26', 'Europe/Berlin', '2026-10-25T23:00:00.000Z'],
  ['2026-11-22', 'Pacific/Kiritimati', '2026-11-21T10:00:00.000Z'],
  ['2026-11-22', 'Asia/Kolkata', '2026-11-21T18:30:00.000Z'],
])('a day begins at midnight of its time zone', (day, timeZone, start) => {
  expect(startOfDay(day, timeZone).toISOString()).toBe(start)
})

test('in every time zone a day of every month begins on that day, and the moment before is the day before', () => {
  for (const timeZone of timeZones)
    for (const month of ['01', '03', '07', '11']) {
      const start = startOfDay(`2026-${month}-15`, timeZone)
      expect([timeZone, dayIn(start, timeZone)]).toEqual([timeZone, `2026-${month}-15`])
      expect(dayIn(new Date(start.getTime() - 1), timeZone)).toBe(`2026-${month}-14`)
    }
})

test('a zone that this runtime does not know is UTC, and a renamed city has its name', () => {
  expect(minuteIn(now, 'Mars/Olympus')).toBe('2026-11-22 17:00 UTC')
  expect(zoneLabel('Asia/Calcutta')).toBe('Asia/Kolkata')
  expect(zoneLabel('America/New_York')).toBe('America/New York')
})

test('days are counted through months and leap years', () => {
  expect([addDays('2028-02-28', 1), addDays('2026-01-01', -1)]).toEqual(['2028-02-29', '2025-12-31'])
})
