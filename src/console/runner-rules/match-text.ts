import type { Pattern } from '../../gate/runner-calls/rules.ts'

// What a rule matches as lines of text, such as `command: git *`, `@cwd: prefix /work/` and `@effect: one of reads, runs`.
// Names and values that could be read otherwise are in double quotes, as JSON writes them.

type Match = Record<string, Pattern>

/** Pure. */
export const matchText = (match: Match = {}): string =>
  Object.entries(match)
    .map(([name, pattern]) => `${isPlainName(name) ? name : quoted(name)}: ${patternText(pattern)}`)
    .join('\n')

function patternText(pattern: Pattern): string {
  if (typeof pattern === 'string') return written(pattern, isPlainPattern)
  if ('prefix' in pattern) return `prefix ${written(pattern.prefix, isPlain)}`
  return `one of ${pattern.one_of.map((value) => written(value, isPlainInList)).join(', ')}`
}

const isPlainName = (name: string): boolean => /^@?[\w.-]+$/.test(name)
const isPlain = (value: string): boolean =>
  value !== '' && value.trim() === value && !value.startsWith('"') && !invisible.test(value)
const isPlainPattern = (value: string): boolean => isPlain(value) && !/^(prefix|one of)\b/.test(value)
const isPlainInList = (value: string): boolean => isPlain(value) && !value.includes(',')

const written = (value: string, isClear: (value: string) => boolean): string =>
  isClear(value) ? value : quoted(value)

const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u
const quoted = (text: string): string =>
  JSON.stringify(text).replaceAll(new RegExp(invisible, 'gu'), (char) =>
    Array.from(
      { length: char.length },
      (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, '0')}`,
    ).join(''),
  )

/** Reads such lines. Empty lines do not count. Pure. */
export function parseMatch(text: string): { match: Match } | { problem: string } {
  const pairs = new Map<string, Pattern>()
  const lines = text.split(/\r?\n/).map((line) => line.trim())
  for (const line of lines.filter((one) => one !== '')) {
    const pair = parseLine(line)
    if (!pair) return { problem: `has a line that cannot be read: “${line.slice(0, echoCharsMax)}”. ${form}` }
    if (pairs.has(pair[0])) return { problem: `names ${pair[0]} in two lines` }
    pairs.set(...pair)
  }
  return { match: Object.fromEntries(pairs) }
}

const echoCharsMax = 60
const form = 'Write one condition a line: “field: pattern”, “field: prefix text” or “field: one of a, b”'

function parseLine(line: string): [string, Pattern] | undefined {
  const [, name, rest] = /^("(?:[^"\\]|\\.)*"|[^\s":]+)\s*:\s*(.+)$/s.exec(line) ?? []
  if (name === undefined || rest === undefined) return undefined
  const field = readValue(name)
  const pattern = readPattern(rest)
  return field === undefined || pattern === undefined ? undefined : [field, pattern]
}

function readPattern(text: string): Pattern | undefined {
  const [, how, rest] = /^(prefix|one of)(?:\s+(.*))?$/s.exec(text) ?? []
  if (how === undefined) return readValue(text)
  if (rest === undefined || rest === '') return undefined
  if (how === 'one of') return readList(rest)
  const prefix = readValue(rest)
  return prefix === undefined ? undefined : { prefix }
}

function readList(text: string): Pattern | undefined {
  const parts = text.match(/(?:^|,)\s*("(?:[^"\\]|\\.)*"\s*|[^\s,"][^,]*)(?=,|$)/g)
  if (!parts || parts.join('').length !== text.length) return undefined
  const values = parts.map((part) => readValue(part.replace(/^,/, '').trim()))
  return values.every((value) => value !== undefined) ? { one_of: values } : undefined
}

/** undefined: it is in quotes and not readable, or empty. */
function readValue(text: string): string | undefined {
  if (!text.startsWith('"')) return text === '' ? undefined : text
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}
