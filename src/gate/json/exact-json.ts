/** Why other readers of a JSON text may read another value than this one. */
export interface JsonProblem {
  /** Where: names, and positions in lists. */
  path: (string | number)[]
  /** As a sentence without a full stop: `the number 1e-400 is rounded when it is read: write 0`. */
  says: string
}

/** JSON that is read otherwise elsewhere. Its message says why. */
export class InexactJson extends SyntaxError {
  readonly problem: JsonProblem

  constructor(problem: JsonProblem) {
    super(problem.says)
    this.name = 'InexactJson'
    this.problem = problem
  }
}

/**
 * Reads a JSON text of which every reader has the same value: what it holds can be kept, shown and digested exactly. A byte order
 * mark before it is ignored. Pure.
 * @throws SyntaxError where it is not JSON; InexactJson where readers differ
 * @source RFC 7493 §2.2 and §2.3
 */
export function parseExactJson(text: string): unknown {
  const value: unknown = JSON.parse(text.startsWith('\u{feff}') ? text.slice(1) : text)
  const problem = jsonProblem(text, value)
  if (problem) throw new InexactJson(problem)
  return value
}

/** The same; undefined where it is not JSON, or readers differ. */
export function exactJsonOrUndefined(text: string): unknown {
  try {
    return parseExactJson(text)
  } catch {
    return undefined
  }
}

/**
 * The first problem of a text that `JSON.parse` reads; undefined: there is none. Pure.
 * @param value  what it was read as, which saves most texts a second reading
 */
export const jsonProblem = (json: string, value?: unknown): JsonProblem | undefined =>
  isWrittenBack(json, value) ? undefined : jsonProblems(json).next().value

/** Whether a value is written as the very text again: then no name stood twice, and no number but a long one was rounded. */
function isWrittenBack(json: string, value: unknown): boolean {
  if (value === undefined || longNumber.test(json)) return false
  try {
    return JSON.stringify(value) === json
  } catch {
    // It reads what is nested deeper than it can write.
    return false
  }
}

/** Each number beyond the safe ones is written like this. */
const longNumber = /\d{16}|\de\+/

/**
 * Every problem of a text that `JSON.parse` reads: a number that is rounded, and a name that stands twice in one object, of which
 * readers take the first or the last. Pure; takes linear time.
 */
export function* jsonProblems(json: string): Generator<JsonProblem, undefined> {
  const open: Place[] = []
  for (let at = 0; at < json.length;) {
    const place = open.at(-1)
    const char = json[at]!
    const end = char === '"' ? endOfText(json, at) : isOfNumber(char) ? endOfNumber(json, at) : at + 1
    if (char === '{') open.push({ names: new Set(), isName: true, name: '' })
    else if (char === '[') open.push({ names: undefined, isName: false, name: 0 })
    else if (char === '}' || char === ']') open.pop()
    else if (char === ',' && place) nextIn(place)
    else if (char === '"' && place?.isName) {
      const name = nameIn(json.slice(at, end))
      Object.assign(place, { isName: false, name })
      if (place.names!.has(name)) yield { path: pathOf(open), says: twice(name) }
      place.names!.add(name)
    } else if (end > at + 1 && char !== '"') {
      const says = numberProblem(json.slice(at, end))
      if (says !== undefined) yield { path: pathOf(open), says }
    }
    at = end
  }
  return undefined
}

/** An object or a list that is open. */
interface Place {
  /** Only an object has it: the names so far. */
  names: Set<string> | undefined
  /** Whether a text would be a name. */
  isName: boolean
  /** The name or index of the value that follows. */
  name: string | number
}

function nextIn(place: Place): void {
  if (place.names) place.isName = true
  else place.name = Number(place.name) + 1
}

const pathOf = (open: Place[]): JsonProblem['path'] => open.map(({ name }) => name)

const twice = (name: string): string => {
  const shown = JSON.stringify(name.slice(0, nameCharsShown)).replace(/[^\x20-\x7e]/g, '?')
  return `the name ${shown} stands twice in one object`
}
const nameCharsShown = 64

const nameIn = (text: string): string =>
  text.includes('\\') ? (JSON.parse(text) as string) : text.slice(1, -1)

function endOfText(json: string, from: number): number {
  let at = from + 1
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1
  return at + 1
}

function endOfNumber(json: string, from: number): number {
  let at = from + 1
  while (at < json.length && (isOfNumber(json[at]!) || 'eE+.'.includes(json[at]!))) at += 1
  return at
}

const isOfNumber = (char: string): boolean => (char >= '0' && char <= '9') || char === '-'

function numberProblem(token: string): string | undefined {
  const number = Number(token)
  if (token === String(number) && Math.abs(number) <= Number.MAX_SAFE_INTEGER) return undefined
  if (token.length > numberCharsMax) return `it has a number of more than ${numberCharsMax} characters`
  if (Math.abs(number) > Number.MAX_SAFE_INTEGER)
    return `the number ${token} is beyond ${Number.MAX_SAFE_INTEGER}, which readers of JSON round`
  if (decimal(token) !== decimal(String(number)))
    return `the number ${token} is rounded when it is read: write ${number}`
  return undefined
}

const numberCharsMax = 64

/** The digits of a number and the power of ten that they are times, in one form for all ways to write it. */
function decimal(number: string): string {
  const [mantissa = '', exponent = '0'] = number.toLowerCase().replace(/^-/, '').split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const digits = (whole + fraction).replace(/^0+/, '')
  const short = digits.replace(/(?<!0)0+$/, '')
  return short && `${short}e${Number(exponent) - fraction.length + digits.length - short.length}`
}
