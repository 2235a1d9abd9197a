import type { z } from 'zod'

/** What is wrong with a value, to follow the name of its field: `must be at most 5`, `is required`. Pure. */
export const issueWords = (issue: z.core.$ZodIssue): string =>
  isQuotedNumber(issue) ? `${wordsOf(issue)}: send it as a number, without quotation marks` : wordsOf(issue)

/** Whether a number was sent as a text of its digits, as models do. It is not read as one: what is consented to is what was sent. */
const isQuotedNumber = (issue: z.core.$ZodIssue): boolean =>
  issue.code === 'invalid_type' &&
  ['number', 'int'].includes(issue.expected) &&
  typeof issue.input === 'string' &&
  /^\s*-?\d+(\.\d+)?\s*$/.test(issue.input)

function wordsOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type' && isMissing(issue)) return 'is required'
  // The schema has its own words for this value. Zod's messages begin with one of these.
  if (!/^(?:Invalid|Too|Unrecognized) /.test(issue.message)) return issue.message
  switch (issue.code) {
    case 'invalid_type':
      return `must be ${article(nameOfType(issue.expected))}`
    case 'invalid_value':
      if (isMissing(issue)) return 'is required'
      return issue.values.length === 1
        ? `must be ${JSON.stringify(issue.values[0])}`
        : `must be one of ${issue.values.map(String).join(', ')}`
    case 'too_big':
      return boundWords(issue.origin, issue.inclusive === false ? 'less than' : 'at most', issue.maximum)
    case 'too_small':
      return boundWords(issue.origin, issue.inclusive === false ? 'more than' : 'at least', issue.minimum)
    default:
      return issue.message
  }
}

/** Zod adds `input` only if the caller asks for it. Its message says the same. */
const isMissing = (issue: z.core.$ZodIssue): boolean =>
  'input' in issue ? issue.input === undefined : issue.message.endsWith('received undefined')

function boundWords(origin: string, comparison: string, bound: number | bigint): string {
  const unit = units[origin]
  if (unit === undefined) return `must be ${comparison} ${bound}`
  return `must have ${comparison} ${bound} ${bound === 1 ? unit : `${unit}s`}`
}

const units: Record<string, string> = { string: 'character', array: 'item', set: 'item', file: 'byte' }

const nameOfType = (expected: string): string => (expected === 'int' ? 'whole number' : expected)

const article = (name: string): string => (/^[aeiou]/.test(name) ? `an ${name}` : `a ${name}`)
