import type { Pattern } from './rules.ts'

/**
 * A glob that is read step by step, from several places at once. `*` stands for any run of characters, `?` for one UTF-16 unit.
 * States are opaque: how much of the glob may have been read. Time: text × glob / 31, whatever both contain. Pure.
 * @source Baeza-Yates and Gonnet, A New Approach to Text Searching, 1992 (shift-and)
 */
export interface PatternWalk {
  /** Nothing has been read. */
  start: States
  /** The text is none that the glob can start with. */
  none: States
  read(from: States, text: string): States
  /** After a text that can be any. */
  readAnything(from: States): States
  either(a: States, b: States): States
  isEnd(states: States): boolean
}

/** Bit `i` of the states: `i` characters of the glob have been read. */
export type States = readonly number[]

const bits = 31

/**
 * What may still be read for the patterns of one call, in characters times words of states. Below 0 the patterns are not read
 * further: what was read does not count.
 */
export interface Effort {
  left: number
}

/** A read that ends at its first character. */
const readSteps = 16

/** How the text of a pattern is read. `prefix`: anything may follow. */
export type Sign = 'glob' | 'prefix' | 'exact'

/** The texts of a pattern, and how they are read. */
export function textsOf(pattern: Pattern): { text: string; sign: Sign }[] {
  if (typeof pattern === 'string') return [{ text: pattern, sign: 'glob' }]
  if ('prefix' in pattern) return [{ text: pattern.prefix, sign: 'prefix' }]
  return pattern.one_of.map((text) => ({ text, sign: 'exact' }))
}

export function walkPattern(
  pattern: string,
  sign: Sign = 'glob',
  effort: Effort = { left: Infinity },
): PatternWalk {
  const isGlob = sign === 'glob'
  const size = isGlob ? pattern.replaceAll('*', '').length : pattern.length
  const words = Math.ceil((size + 1) / bits)
  const none: number[] = Array.from({ length: words }, () => 0)
  const loop = none.slice()
  const anyChar = none.slice()
  const byChar = new Map<string, number[]>()
  const add = (states: number[], at: number) => {
    states[Math.floor(at / bits)]! |= 1 << (at % bits)
  }
  let at = 0
  for (const char of pattern.split('')) {
    if (isGlob && char === '*') add(loop, at)
    else {
      const states = isGlob && char === '?' ? anyChar : (byChar.get(char) ?? none.slice())
      if (states !== anyChar) byChar.set(char, states)
      add(states, at++)
    }
  }
  if (sign === 'prefix') add(loop, size)
  if (anyChar.some((word) => word !== 0))
    for (const states of byChar.values()) for (const [word, any] of anyChar.entries()) states[word]! |= any
  const start = none.slice()
  add(start, 0)
  return {
    start,
    none,
    read(from, text) {
      effort.left -= from === none ? 1 : readSteps
      if (from === none || effort.left < 0) return none
      const states = Array.from(from)
      for (let at = 0; at < text.length; at++) {
        const accepts = byChar.get(text[at]!) ?? anyChar
        let carry = 0
        let isAnywhere = 0
        for (let word = 0; word < words; word++) {
          const read = states[word]! & accepts[word]!
          states[word] = ((read << 1) & 0x7fffffff) | carry | (states[word]! & loop[word]!)
          carry = (read >>> (bits - 1)) & 1
          isAnywhere |= states[word]!
        }
        effort.left -= words
        if (isAnywhere === 0 || effort.left < 0) return none
      }
      return states
    },
    readAnything(from) {
      const first = from.findIndex((word) => word !== 0)
      if (first === -1) return none
      const lowest = from[first]! & -from[first]!
      const all = 0x7fffffff
      return from.map((_, word) => (word < first ? 0 : word > first ? all : all & ~(lowest - 1)))
    },
    either: (a, b) => (a === none ? b : b === none ? a : a.map((word, i) => word | b[i]!)),
    isEnd: (states) => ((states[Math.floor(size / bits)]! >>> (size % bits)) & 1) === 1,
  }
}
