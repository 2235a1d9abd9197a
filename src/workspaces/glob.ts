import { charClass } from './char-class.ts'

/** Limits the work of matching, because patterns come from untrusted workspace files. */
export interface Steps {
  /** The number of comparisons left; below zero matching stops. */
  left: number
}

/** Whether one part of a path matches a pattern. */
export type Glob = (name: string, steps: Steps) => boolean

/**
 * Compiles one part of a gitignore pattern: `*`, `?`, `[a-z]`, `[!a]`, `[[:digit:]]`, and `\` for a literal character.
 * Matching needs at most pattern × name comparisons, unlike a regular expression.
 * @returns undefined if the pattern can never match in git
 */
export function compileGlob(pattern: string): Glob | undefined {
  const tokens = tokenize(pattern)
  if (!tokens) return undefined
  return plainGlob(tokens) ?? ((name, steps) => matches(tokens, name, steps))
}

const star = Symbol('any run of characters')
type Token = string | typeof star | ((char: string) => boolean)

/** A fast path: most patterns are a plain name or have one star, such as `*.log` and `build-*`. */
function plainGlob(tokens: Token[]): Glob | undefined {
  if (tokens.some((token) => typeof token === 'function')) return undefined
  const at = tokens.indexOf(star)
  if (at !== tokens.lastIndexOf(star)) return undefined
  const [before, after] = [tokens.slice(0, at < 0 ? undefined : at).join(''), tokens.slice(at + 1).join('')]
  return (name, steps) => {
    steps.left--
    if (at < 0) return name === before
    return name.length >= before.length + after.length && name.startsWith(before) && name.endsWith(after)
  }
}

// On a mismatch after a star, only the last star needs backtracking.
function matches(tokens: Token[], name: string, steps: Steps): boolean {
  let [at, token, resumeAt, resumeToken] = [0, 0, -1, -1]
  while (at < name.length) {
    if (--steps.left < 0) return false
    if (tokens[token] === star) {
      resumeToken = ++token
      resumeAt = at
    } else if (fits(tokens[token], name[at]!)) {
      token++
      at++
    } else if (resumeToken >= 0) {
      token = resumeToken
      at = ++resumeAt
    } else {
      return false
    }
  }
  while (tokens[token] === star) token++
  return token === tokens.length
}

function fits(token: Token | undefined, char: string): boolean {
  return typeof token === 'function' ? token(char) : token === char
}

function tokenize(pattern: string): Token[] | undefined {
  const tokens: Token[] = []
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i]!
    if (char === '*') {
      if (tokens.at(-1) !== star) tokens.push(star)
    } else if (char === '?') {
      tokens.push(() => true)
    } else if (char === '[') {
      const found = charClass(pattern, i + 1)
      if (!found) return undefined
      tokens.push(found.accepts)
      i = found.end
    } else if (char === '\\') {
      if (++i === pattern.length) return undefined
      tokens.push(pattern[i]!)
    } else {
      tokens.push(char)
    }
  }
  return tokens
}
