/** Values that are kept for a while, the newest of them. */
export interface Kept<T> {
  /** The value and its age; undefined where there is none, or it is too old. */
  get(name: string): { value: T; ageMs: number } | undefined
  keep(name: string, value: T): void
  drop(name: string): void
}

/** @param bounds  how long a value is kept, and how many are */
export function kept<T>({ ms, max }: { ms: number; max: number }): Kept<T> {
  const byName = new Map<string, { value: T; at: number }>()
  return {
    get(name) {
      const found = byName.get(name)
      if (!found) return undefined
      const ageMs = performance.now() - found.at
      if (ageMs <= ms) return { value: found.value, ageMs }
      byName.delete(name)
      return undefined
    },
    keep(name, value) {
      // Again at the end of the order, so that the oldest is forgotten first.
      byName.delete(name)
      byName.set(name, { value, at: performance.now() })
      const [oldest] = byName.keys()
      if (byName.size > max && oldest !== undefined) byName.delete(oldest)
    },
    drop: (name) => void byName.delete(name),
  }
}
