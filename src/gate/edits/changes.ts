import { type Json, canonical } from '../canonical.ts'

/** A field that another version of a payload has otherwise. Absent: that version does not have it. */
export interface Change {
  field: string
  from?: Json | undefined
  to?: Json | undefined
}

/** The fields that differ between two payloads, by name. Pure. */
export function changesBetween(
  was: Record<string, Json | undefined>,
  becomes: Record<string, Json | undefined>,
): Change[] {
  const names = new Set([...Object.keys(was), ...Object.keys(becomes)])
  return [...names].toSorted().flatMap((field) => {
    const [from, to] = [was[field], becomes[field]]
    if (isSame(from, to)) return []
    return [{ field, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }]
  })
}

/** Whether two values are one in canonical JSON. Pure. */
export const isSame = (one: Json | undefined, other: Json | undefined): boolean =>
  one === undefined || other === undefined ? one === other : canonical(one) === canonical(other)
