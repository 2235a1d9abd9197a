/** Who reads a page: the moment that relative times are counted from, and the time zone. */
export interface Viewer {
  now: Date
  timeZone: string
}

export const defaultTimeZone = 'UTC'

/** The time zones that a viewer can choose: those that this runtime knows. */
export const timeZones: readonly string[] = [
  ...new Set([defaultTimeZone, ...Intl.supportedValuesOf('timeZone')]),
]

/** The name of a time zone as people know it. Runtimes keep the first name of a city that was renamed. Pure. */
export const zoneLabel = (timeZone: string): string => (renamed[timeZone] ?? timeZone).replaceAll('_', ' ')

const renamed: Record<string, string> = {
  'America/Godthab': 'America/Nuuk',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
}

/** `3 minutes ago`, `in 2 days`: whole units of the largest one that fits. Pure. */
export function distance(at: Date, now: Date): string {
  const seconds = (at.getTime() - now.getTime()) / 1_000
  const size = units.find(([least]) => Math.abs(seconds) >= least)
  if (!size) return seconds <= 0 ? 'just now' : 'in a moment'
  const [least, unit] = size
  return relative.format(Math.trunc(seconds / least), unit)
}

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always' })

const units: [number, Intl.RelativeTimeFormatUnit][] = [
  [31_557_600, 'year'],
  [2_629_800, 'month'],
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
]

/** `2026-11-22 17:54 CET`, in a time zone. Pure. */
export function minuteIn(at: Date, timeZone: string): string {
  const { date, minute, zone } = partsOf(at, timeZone)
  return `${date} ${minute} ${zone}`
}

/** `2026-11-22 17:54:41.123 CET`, in a time zone. Pure. */
export function millisecondIn(at: Date, timeZone: string): string {
  const { date, minute, second, zone } = partsOf(at, timeZone)
  return `${date} ${minute}:${second}.${String(at.getUTCMilliseconds()).padStart(3, '0')} ${zone}`
}

/** `Sunday 22 November 2026 at 17:54:41 CET`, in a time zone. Pure. */
export function fullTimeIn(at: Date, timeZone: string): string {
  return formatsOf(timeZone).full.format(at)
}

/** The day in a time zone, as `2026-11-22`. Pure. */
export const dayIn = (at: Date, timeZone: string): string => partsOf(at, timeZone).date

/** When a day such as `2026-11-22` begins in a time zone. Pure. */
export function startOfDay(day: string, timeZone: string): Date {
  const midnight = Date.parse(`${day}T00:00:00Z`)
  // The offset of the guess may differ from that of the day's start, by a change of summer time between them.
  const guess = midnight - offsetMs(new Date(midnight), timeZone)
  return new Date(midnight - offsetMs(new Date(guess), timeZone))
}

/** The day that comes so many days later. Pure. */
export const addDays = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)

/** How far the clocks of a time zone are ahead of UTC. */
function offsetMs(at: Date, timeZone: string): number {
  const { date, minute, second } = partsOf(at, timeZone)
  return Date.parse(`${date}T${minute}:${second}Z`) - Math.floor(at.getTime() / 1_000) * 1_000
}

function partsOf(at: Date, timeZone: string) {
  const parts = formatsOf(timeZone).parts.formatToParts(at)
  const of = (type: string) => parts.find((part) => part.type === type)?.value ?? ''
  return {
    date: `${of('year')}-${of('month')}-${of('day')}`,
    minute: `${of('hour')}:${of('minute')}`,
    second: of('second'),
    zone: of('timeZoneName'),
  }
}

interface Formats {
  parts: Intl.DateTimeFormat
  full: Intl.DateTimeFormat
}

// Making a format takes longer than a page; there are as many as there are time zones.
const made = new Map<string, Formats>()

function formatsOf(timeZone: string): Formats {
  const known = made.get(timeZone)
  if (known) return known
  const formats = makeFormats(timeZone)
  made.set(timeZone, formats)
  return formats
}

function makeFormats(timeZone: string): Formats {
  // A zone that another version of the runtime knew must not break every page.
  if (!isKnown(timeZone)) return formatsOf(defaultTimeZone)
  return {
    parts: new Intl.DateTimeFormat('en-GB', {
      timeZone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
      timeZoneName: 'short',
    }),
    full: new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'full', timeStyle: 'long' }),
  }
}

function isKnown(timeZone: string): boolean {
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone }))
  } catch {
    return false
  }
}
