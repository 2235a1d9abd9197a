import type { Json } from '../canonical.ts'
import type { Pointer } from './declared-kind.ts'

/**
 * The value that a JSON Pointer names; undefined where there is none. Pure.
 * @source RFC 6901
 */
export function atJsonPointer(value: Json | undefined, pointer: Pointer): Json | undefined {
  let at = value
  for (const part of pointer.split('/').slice(1)) {
    const name = part.replaceAll('~1', '/').replaceAll('~0', '~')
    if (typeof at !== 'object' || at === null) return undefined
    if (Array.isArray(at) && !/^(0|[1-9]\d*)$/.test(name)) return undefined
    // Own fields only: an agent's text names none of JavaScript's.
    at = Object.hasOwn(at, name) ? (at as Record<string, Json | undefined>)[name] : undefined
  }
  return at
}
