import type { z } from 'zod'

type Issue = z.core.$ZodIssue
type IssueOf<Code extends Issue['code']> = Extract<Issue, { code: Code }>

/**
 * What is wrong with a value, to follow the name of its field: `must be at most 5`, `is required`. Never a word of the validator.
 * Needs issues with their `input` (`reportInput`). Pure.
 */
export const issueWords = (issue: Issue): string =>
  isMissing(issue) ? 'is required' : `${isOwn(issue) ? issue.message : plainWords(issue)}${advice(issue)}`

const ofAbsent: Issue['code'][] = ['invalid_type', 'invalid_value', 'invalid_union']

/** Zod adds `input` only if the caller asks for it. Its message says the same. */
function isMissing(issue: Issue): boolean {
  if (!ofAbsent.includes(issue.code)) return false
  if ('note' in issue && issue.code === 'invalid_union') return isUnsaid(issue)
  if ('input' in issue) return issue.input === undefined || issue.input === null
  return /received (?:undefined|null)$/.test(issue.message)
}

/** Whether the field that says which of several forms an object has is missing. */
function isUnsaid({ input, path, discriminator }: IssueOf<'invalid_union'>): boolean {
  const said = (input as Record<string, unknown> | undefined)?.[String(discriminator ?? path.at(-1))]
  return said === undefined || said === null
}

/** Whether the schema has its own words for a value. Zod's messages begin with one of these. */
const isOwn = ({ message }: Issue): boolean => !/^(?:Invalid|Too|Unrecognized) /.test(message)

function plainWords<Code extends Issue['code']>(issue: IssueOf<Code>): string {
  const words = sentences[issue.code as Code] as ((of: IssueOf<Code>) => string) | undefined
  return words?.(issue) ?? unnamed
}

/** Says least, so a schema whose refusals end here needs words of its own: a test looks for them. */
export const unnamed = 'is not accepted'

/** One sentence for each kind of issue. */
export const sentences: { [Code in Issue['code']]: (issue: IssueOf<Code>) => string } = {
  invalid_type: ({ expected }) => (types[expected] ? `must be ${types[expected]}` : unnamed),
  invalid_value: ({ values }) =>
    values.length === 1
      ? `must be ${JSON.stringify(values[0])}`
      : `must be one of ${values.map(String).join(', ')}`,
  invalid_format: ({ format }) => forms[format] ?? unnamed,
  invalid_union: ({ errors, ...issue }) =>
    'options' in issue && Array.isArray(issue.options)
      ? `must be one of ${issue.options.map(String).join(', ')}`
      : alternatives(errors),
  invalid_key: ({ issues }) => `has a name that ${issues[0] ? issueWords(issues[0]) : unnamed}`,
  invalid_element: ({ issues }) => `has an entry that ${issues[0] ? issueWords(issues[0]) : unnamed}`,
  unrecognized_keys: ({ keys }) => `has the unknown field ${keys.join(', ')}`,
  not_multiple_of: ({ divisor }) => `must be a multiple of ${divisor}`,
  too_big: ({ origin, maximum, inclusive, exact }) =>
    boundWords(origin, comparison(exact, inclusive, 'at most', 'less than'), maximum),
  too_small: ({ origin, minimum, inclusive, exact }) =>
    boundWords(origin, comparison(exact, inclusive, 'at least', 'more than'), minimum),
  custom: () => unnamed,
}

/** What JSON calls each type. */
const types: Record<string, string> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  tuple: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
  never: 'left out',
  undefined: 'left out',
}

const forms: Record<string, string> = {
  email: 'must be an e-mail address',
  url: 'must be an absolute URL',
  uuid: 'must be a UUID',
  date: 'must be a date, such as 2026-01-31',
  datetime: 'must be a time, such as 2026-01-31T12:00:00Z',
  json_string: 'must be JSON',
}

/** What a value must be, where it may be one of several: each once. */
function alternatives(errors: Issue[][]): string {
  const words = errors.map(([first]) => (first?.path.length === 0 ? issueWords(first) : undefined))
  const must = words.flatMap((one) => (one?.startsWith('must be ') ? [one.slice('must be '.length)] : []))
  return must.length === words.length && must.length > 0
    ? `must be ${[...new Set(must)].join(' or ')}`
    : unnamed
}

const comparison = (exact = false, inclusive = true, with_: string, without: string): string =>
  exact ? 'exactly' : inclusive ? with_ : without

function boundWords(origin: string, compared: string, bound: number | bigint): string {
  const unit = units[origin]
  if (unit === undefined) return `must be ${compared} ${bound}`
  return `must have ${compared} ${bound} ${bound === 1 ? unit : `${unit}s`}`
}

const units: Record<string, string> = {
  string: 'character',
  array: 'item',
  set: 'item',
  map: 'field',
  object: 'field',
  record: 'field',
  file: 'byte',
}

/**
 * What to send instead of a text that has what was wanted in it, as models send it. It is not read as that: what is consented to is what
 * was sent.
 */
function advice(issue: Issue): string {
  const { input } = issue
  if (typeof input !== 'string') return ''
  const text = input.trim()
  const found = quoted.find(({ types: wanted, isLike }) => wanted.includes(wantedType(issue)) && isLike(text))
  return found ? `: ${found.send}` : ''
}

const quoted = [
  {
    types: ['number', 'int'],
    isLike: (text: string) => /^-?\d+(\.\d+)?$/.test(text),
    send: 'send it as a number, without quotation marks',
  },
  {
    types: ['boolean'],
    isLike: (text: string) => /^(?:true|false)$/i.test(text),
    send: 'send it without quotation marks',
  },
  {
    types: ['object', 'record'],
    isLike: (text: string) => text.startsWith('{'),
    send: 'send it as an object, not as text',
  },
  {
    types: ['array', 'tuple'],
    isLike: (text: string) => text.startsWith('['),
    send: 'send it as an array, not as text',
  },
]

/** The type that a field takes: of one that takes a few values, theirs. */
function wantedType(issue: Issue): string {
  if (issue.code === 'invalid_type') return issue.expected
  if (issue.code !== 'invalid_value') return ''
  const ofValues = new Set(issue.values.map((value) => typeof value))
  return ofValues.size === 1 ? [...ofValues][0]! : ''
}
