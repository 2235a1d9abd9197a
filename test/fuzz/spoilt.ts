/** JSON with one of its values replaced, wherever that is. */
export function spoilt(value: unknown, path: number[], by: unknown): unknown {
  const [at = 0, ...rest] = path
  if (typeof value !== 'object' || value === null || path.length === 0) return by
  const entries = Object.entries(value)
  const [name, inner] = entries[at % entries.length] ?? ['x', null]
  const changed = spoilt(inner, rest, by)
  return Array.isArray(value)
    ? value.map((one, n) => (String(n) === name ? changed : one))
    : { ...value, [name]: changed }
}
