import type { Json } from './canonical.ts'
import type { Pointer } from './declared-kind.ts'

/** The names that a pointer leads through: `/customer/id` → `customer`, `id`. They need no escapes. Pure. @source RFC 6901 */
export const namesOf = (pointer: Pointer): string[] => pointer.slice(1).split('/')

/** The value that a pointer leads to; undefined where there is none. Only own fields of objects are followed. Pure. */
export function atPointer(value: { [name: string]: Json | undefined }, pointer: Pointer): Json | undefined {
  let at: Json | undefined = value
  for (const name of namesOf(pointer)) {
    if (typeof at !== 'object' || at === null || Array.isArray(at) || !Object.hasOwn(at, name))
      return undefined
    at = at[name]
  }
  return at
}
