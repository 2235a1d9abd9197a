import type { Json } from '../canonical.ts'
import type { Pointer } from './declared-kind.ts'

/**
 * The value that a JSON Pointer names; undefined where there is none. Pure.
 * @source RFC 6901
 */
export function atJsonPointer(value: Json | undefined, pointer: Pointer): Json | undefined {
  let at = value
  for (const name of namesOf(pointer)) {
    if (typeof at !== 'object' || at === null) return undefined
    if (Array.isArray(at) && !/^(0|[1-9]\d*)$/.test(name)) return undefined
    // Own fields only: an agent's text names none of JavaScript's.
    at = Object.hasOwn(at, name) ? (at as Record<string, Json | undefined>)[name] : undefined
  }
  return at
}

/**
 * Whether an object on the way to what a JSON Pointer names has another field of the same name but for its capitals: a reader that
 * matches names without case would take that one. Pure.
 */
export function hasLookalike(value: Json | undefined, pointer: Pointer): boolean {
  let at = value
  for (const name of namesOf(pointer)) {
    if (typeof at !== 'object' || at === null) return false
    if (Object.keys(at).some((other) => other !== name && folded(other) === folded(name))) return true
    at = atJsonPointer(at, `/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`)
  }
  return false
}

const namesOf = (pointer: Pointer): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))

// Upper case first: the long s and the dotless i fold to s and i, the Kelvin sign to k. The dot that İ leaves is dropped.
const folded = (name: string): string => name.toUpperCase().toLowerCase().replaceAll('\u0307', '')
