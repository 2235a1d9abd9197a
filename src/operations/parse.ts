import type { z } from 'zod'
import { GateError } from '../errors.ts'
import { limits } from '../limits.ts'

/** Parses an input, or throws an error that names each invalid field. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed = schema.safeParse(input, { reportInput: true })
  if (parsed.success) return parsed.data
  const { issues } = parsed.error
  throw new GateError('invalid', sentenceOf(issues), { param: paramOf(issues[0]!) })
}

function sentenceOf(issues: z.core.$ZodIssue[]): string {
  const named = issues.slice(0, limits.inputIssuesNamedMax).map(nameIssue)
  return `${named.join('; ')}.`
}

/** The field of an issue, as a dotted path; undefined if it concerns the whole input. */
function paramOf(issue: z.core.$ZodIssue): string | undefined {
  const path = issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0]!] : issue.path
  return path.length === 0 ? undefined : path.join('.').slice(0, 100)
}

function nameIssue(issue: z.core.$ZodIssue): string {
  const field = issue.path.join('.')
  if (issue.code === 'unrecognized_keys') {
    const names = issue.keys
      .slice(0, limits.inputIssuesNamedMax)
      .map((key) => [...issue.path, key].join('.').slice(0, 100))
    return `unknown field ${names.join(', ')}`
  }
  if (issue.code === 'invalid_type' && issue.input === undefined) return `${field || 'the input'} is required`
  if (issue.code === 'invalid_type' && issue.message.startsWith('Invalid input')) {
    return `${field || 'the input'} must be ${article(issue.expected)}`
  }
  return `${field || 'the input'} ${issue.message}`
}

function article(expected: string): string {
  return /^[aeiou]/.test(expected) ? `an ${expected}` : `a ${expected}`
}
