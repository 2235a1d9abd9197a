import type { z } from 'zod'
import { GateError, type InputProblem } from '../errors.ts'
import { escapeInvisible } from '../text/escape-invisible.ts'
import { issueWords } from '../text/issue-words.ts'
import { limits } from '../limits.ts'
import { withoutAbsent } from './absent-fields.ts'

/**
 * Parses an input, or throws an error that names each invalid field. Null means absent in an optional field, and missing in a required
 * field.
 */
export const parseInput = <Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> =>
  parsed(schema, withoutAbsent(schema, input, 'null'))

/** Parses what an agent sends, where an empty text means absent, too: see `withoutAbsent`. */
export const parseSent = <Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> =>
  parsed(schema, withoutAbsent(schema, input, 'null or empty text'))

/** Parses a part of an input, for a schema that has others decide what the part must be. Its issues can be added to those of the whole. */
export const safeParseInput = <Schema extends z.ZodType>(schema: Schema, input: unknown) =>
  schema.safeParse(withoutAbsent(schema, input, 'null'), { reportInput: true })

function parsed<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const read = schema.safeParse(input, { reportInput: true })
  if (read.success) return read.data
  const problems = oneOfType(read.error.issues).slice(0, limits.inputIssuesNamedMax).map(problemOf)
  throw new GateError('invalid', sentenceOf(problems), { param: problems[0]!.param, problems })
}

/** Without what else is wrong with a value of another type: the bounds of a text are none for a list. */
function oneOfType(issues: z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  const ofOtherType = new Set(issues.filter(({ code }) => code === 'invalid_type').map(pathOf))
  return issues.filter((issue) => issue.code === 'invalid_type' || !ofOtherType.has(pathOf(issue)))
}

const pathOf = ({ path }: z.core.$ZodIssue): string => JSON.stringify(path)

const sentenceOf = (problems: InputProblem[]): string => `${problems.map(problemText).join('; ')}.`

/** A problem without a full stop. */
export const problemText = ({ subject, says }: InputProblem): string =>
  subject === undefined ? says : `${subject} ${says}`

/** The field of an issue, as a dotted path; undefined if it concerns the whole input. */
function paramOf(issue: z.core.$ZodIssue): string | undefined {
  const path = issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0]!] : issue.path
  return path.length === 0 ? undefined : path.join('.').slice(0, 100)
}

function problemOf(issue: z.core.$ZodIssue): InputProblem {
  const param = paramOf(issue)
  if (issue.code === 'unrecognized_keys') {
    const names = issue.keys
      .slice(0, limits.inputIssuesNamedMax)
      .map((key) => escapeInvisible([...issue.path, key].join('.').slice(0, 100)))
    return { param, subject: undefined, says: `unknown field ${names.join(', ')}` }
  }
  return {
    param,
    subject: escapeInvisible(issue.path.join('.').slice(0, 100)) || 'the input',
    says: issueWords(issue),
  }
}
