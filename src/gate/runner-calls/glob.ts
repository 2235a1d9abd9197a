import type { Effort } from './pattern-walk.ts'
import type { Pattern } from './rules.ts'

/** Whether a value, as it is written, matches a pattern. @param effort  once it is used up, it matches none with wildcards */
export function patternMatches(pattern: Pattern, value: string, effort: Effort): boolean {
  if (typeof pattern === 'string') return matchesGlob(pattern, value, effort)
  if ('prefix' in pattern) return value.startsWith(pattern.prefix)
  return pattern.one_of.includes(value)
}

/** Whether a text matches a glob: see `globMatcher`. Pure. @param effort  once it is used up, no text does */
export const matchesGlob = (glob: string, text: string, effort?: Effort): boolean =>
  matcherOf(glob, effort ?? { left: Infinity })(text)

/**
 * A test for texts that match a glob: `*` stands for any run of characters (also `/`), `?` for one UTF-16 unit, everything else
 * for itself. Time: text × pattern / 31, whatever both contain. Pure.
 */
export const globMatcher = (glob: string): ((text: string) => boolean) => matcherOf(glob, { left: Infinity })

function matcherOf(glob: string, effort: Effort): (text: string) => boolean {
  if (glob === '*') return () => true
  const parts = glob.split('*')
  const first = parts[0]!
  if (parts.length === 1) return (text) => text.length === first.length && matchesAt(first, text, 0)
  const last = parts.at(-1)!
  const between = parts.slice(1, -1)
  return (text) => {
    const end = text.length - last.length
    if (first.length > end || !matchesAt(first, text, 0) || !matchesAt(last, text, end)) return false
    let from = first.length
    for (const part of between) {
      // The leftmost place is always a good choice, so nothing is tried twice.
      from = part === '' ? from : endOfPart(part, text, from, { end, effort })
      if (from === -1) return false
    }
    return true
  }
}

function matchesAt(part: string, text: string, at: number): boolean {
  for (let i = 0; i < part.length; i++) if (part[i] !== '?' && part[i] !== text[at + i]) return false
  return true
}

const wordBits = 31

/**
 * Where the leftmost occurrence of `part` ends in `text` between `from` and `end`; -1: nowhere. Bit `i` of the state says that
 * the last `i + 1` characters match the start of the part.
 * @source Baeza-Yates and Gonnet, A New Approach to Text Searching, 1992 (shift-and)
 */
function endOfPart(
  part: string,
  text: string,
  from: number,
  { end, effort }: { end: number; effort: Effort },
): number {
  const words = Math.ceil(part.length / wordBits)
  const anyChar = new Uint32Array(words)
  const byChar = new Map<string, Uint32Array>()
  for (let i = 0; i < part.length; i++)
    if (part[i] === '?') anyChar[Math.floor(i / wordBits)]! |= 1 << (i % wordBits)
  for (let i = 0; i < part.length; i++) {
    if (part[i] === '?') continue
    if (!byChar.has(part[i]!)) byChar.set(part[i]!, anyChar.slice())
    byChar.get(part[i]!)![Math.floor(i / wordBits)]! |= 1 << (i % wordBits)
  }
  const state = new Uint32Array(words)
  const lastBit = 1 << ((part.length - 1) % wordBits)
  for (let at = from; at < end && effort.left >= 0; at++) {
    effort.left -= words
    const mask = byChar.get(text[at]!) ?? anyChar
    let carry = 1
    for (let word = 0; word < words; word++) {
      const shifted = state[word]! * 2 + carry
      carry = shifted >= 2 ** wordBits ? 1 : 0
      state[word] = shifted & mask[word]! & 0x7fffffff
    }
    if (state[words - 1]! & lastBit) return at + 1
  }
  return -1
}
