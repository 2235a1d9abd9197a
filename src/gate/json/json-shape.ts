/** Whether lists and objects of a JSON value are at most `levels` inside one another. Looks no deeper than that. Pure. */
export const isNestedWithin = (value: unknown, levels: number): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (levels > 0 && Object.values(value).every((inner) => isNestedWithin(inner, levels - 1)))

/**
 * Whether PostgreSQL can store a JSON value: no NUL, no half of a surrogate pair, in a name neither, and at most `levels` inside
 * one another. Says nothing of numbers, which JSON text bounds. Pure.
 * @source https://www.postgresql.org/docs/current/datatype-json.html
 */
export function isStorableJson(value: unknown, levels: number): boolean {
  if (typeof value === 'string') return !value.includes('\0') && value.isWellFormed()
  if (typeof value !== 'object' || value === null) return true
  if (levels === 0) return false
  return Object.entries(value).every(
    ([name, inner]) => isStorableJson(name, 0) && isStorableJson(inner, levels - 1),
  )
}
