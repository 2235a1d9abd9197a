import { GateError } from '../../errors.ts'
import { exactJsonOrUndefined } from '../../gate/json/exact-json.ts'

const filterCharsMax = 1_000

/** One condition of a filter, such as `userName eq "ada"`, with what may follow it. */
const condition =
  /([a-z][\w.:]{0,60}|emails\[type eq "work"\]\.value) eq ("(?:[^"\\]|\\.)*"|true|false)( and |$)/iy

/**
 * The conditions of a filter, all of which must hold: attributes are compared by `eq`, as directories ask.
 * @param attributes  what can be asked for, in lower case, with its name here
 * @throws GateError `invalid` at `filter`
 * @source RFC 7644, section 3.4.2.2
 */
export function conditionsIn<Name extends string>(
  filter: unknown,
  attributes: Partial<Record<string, Name>>,
): Partial<Record<Name, string | boolean>> {
  const found: Partial<Record<Name, string | boolean>> = {}
  if (filter === undefined) return found
  if (typeof filter !== 'string' || filter.length > filterCharsMax) throw unknownFilter()
  const text = filter.trim()
  for (let at = 0, isMore = true; isMore;) {
    condition.lastIndex = at
    const match: RegExpExecArray | null = condition.exec(text)
    const name = attributes[match?.[1]!.toLowerCase() ?? '']
    if (match === null || name === undefined || found[name] !== undefined) throw unknownFilter()
    found[name] = valueOf(match[2]!)
    at += match[0].length
    isMore = match[3] !== ''
  }
  return found
}

function valueOf(text: string): string | boolean {
  if (!text.startsWith('"')) return text.toLowerCase() === 'true'
  const value = exactJsonOrUndefined(text)
  if (typeof value !== 'string') throw unknownFilter()
  return value
}

const unknownFilter = () =>
  new GateError(
    'invalid',
    'filter must compare known attributes by eq, such as userName eq "ada@example.com", joined by and.',
    { param: 'filter' },
  )
