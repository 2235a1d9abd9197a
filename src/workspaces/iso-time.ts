const [earliest, latest] = [Date.parse('0000-01-01T00:00:00.000Z'), Date.parse('9999-12-31T23:59:59.999Z')]

/** A file's time as ISO 8601 with milliseconds. File times can be set to any value, even outside of the ISO 8601 range. */
export function isoTime(time: Date): string {
  const ms = time.getTime()
  return new Date(Number.isNaN(ms) ? 0 : Math.min(Math.max(ms, earliest), latest)).toISOString()
}
