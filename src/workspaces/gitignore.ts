import { limits } from '../limits.ts'
import { type Glob, type Steps, compileGlob } from './glob.ts'

/** The rules of one .gitignore, last rule first: the first match decides. */
export interface IgnoreRules {
  /** The number of parts in the path of its folder. */
  depth: number
  rules: Rule[]
}

interface Rule {
  isNegated: boolean
  /** Applies to folders only. */
  isOfFolders: boolean
  fits(parts: string[], depth: number, steps: Steps): boolean
}

/**
 * Parses a .gitignore as git does, within limits. Pure.
 * @param depth  the number of parts in the path of its folder: 0 for the workspace itself
 * @param rulesMax  the maximum number of rules
 * @source gitignore(5), PATTERN FORMAT
 */
export function parseIgnoreFile(text: string, depth: number, rulesMax: number): IgnoreRules {
  const lines = text.replace(/^\ufeff/, '').split('\n')
  const rules: Rule[] = []
  for (const line of lines) {
    if (rules.length >= rulesMax) break
    const rule = parseLine(line.endsWith('\r') ? line.slice(0, -1) : line)
    if (rule) rules.push(rule)
  }
  return { depth, rules: rules.toReversed() }
}

/**
 * Whether a file or folder is ignored, given that the folders above it are not.
 * @param chain  the rules of the folders above it, innermost first
 * @param parts  its path
 * @returns also true if the steps are used up
 */
export function isIgnored(chain: IgnoreRules[], parts: string[], isFolder: boolean, steps: Steps): boolean {
  for (const { depth, rules } of chain) {
    for (const rule of rules) {
      if (rule.isOfFolders && !isFolder) continue
      const isFitting = rule.fits(parts, depth, steps)
      if (steps.left < 0) return true
      if (isFitting) return !rule.isNegated
    }
  }
  return false
}

function parseLine(line: string): Rule | undefined {
  if (line === '' || line.startsWith('#') || line.length > limits.ignoreRuleCharsMax) return undefined
  const isNegated = line.startsWith('!')
  const trimmed = withoutTrailingSpaces(isNegated ? line.slice(1) : line)
  const isOfFolders = trimmed.endsWith('/')
  const pattern = isOfFolders ? trimmed.slice(0, -1) : trimmed
  if (pattern === '') return undefined
  const fits = pattern.includes('/') ? fitsWhole(pattern) : fitsLast(pattern)
  return fits && { isNegated, isOfFolders, fits }
}

/** A pattern without an inner slash matches the last part of a path, at any depth. */
function fitsLast(pattern: string): Rule['fits'] | undefined {
  const name = compileGlob(pattern)
  return name && ((parts, _depth, steps) => name(parts.at(-1)!, steps))
}

/** A pattern with an inner slash matches the path relative to the folder of its .gitignore. */
function fitsWhole(pattern: string): Rule['fits'] | undefined {
  const compiled = (pattern.startsWith('/') ? pattern.slice(1) : pattern)
    .split('/')
    .map((part) => (/^\*\*+$/.test(part) ? anyParts : compileGlob(part)))
  const known = compiled.filter((part) => part !== undefined)
  if (known.length < compiled.length) return undefined
  return (parts, depth, steps) => fitsParts(known, parts, depth, steps)
}

const anyParts = Symbol('any number of parts')
type Part = Glob | typeof anyParts

// Trailing spaces count only after a backslash.
function withoutTrailingSpaces(pattern: string): string {
  const kept = pattern.trimEnd().length
  let end = pattern.length
  while (end > kept && pattern[end - 1] === ' ' && !/(^|[^\\])(\\\\)*\\$/.test(pattern.slice(0, end - 1)))
    end--
  return pattern.slice(0, end)
}

// Only the last `**` needs backtracking, as in matching one part.
function fitsParts(pattern: Part[], path: string[], from: number, steps: Steps): boolean {
  let [at, token, resumeAt, resumeToken] = [from, 0, -1, -1]
  while (at < path.length) {
    if (--steps.left < 0) return false
    const wanted = pattern[token]
    if (wanted === anyParts) {
      // At the end `**` matches at least one part: the content of the folder, not the folder itself.
      if (token === pattern.length - 1) return true
      resumeToken = ++token
      resumeAt = at
    } else if (wanted?.(path[at]!, steps)) {
      token++
      at++
    } else if (resumeToken >= 0) {
      token = resumeToken
      at = ++resumeAt
    } else {
      return false
    }
  }
  return token === pattern.length
}
