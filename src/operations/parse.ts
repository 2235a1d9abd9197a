import type { z } from 'zod'
import { GateError, type InputProblem } from '../errors.ts'
import { issueWords } from '../issue-words.ts'
import { limits } from '../limits.ts'

/** Parses an input, or throws an error that names each invalid field. */
export function parseInput<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed = schema.safeParse(input, { reportInput: true })
  if (parsed.success) return parsed.data
  const problems = parsed.error.issues.slice(0, limits.inputIssuesNamedMax).map(problemOf)
  throw new GateError('invalid', sentenceOf(problems), { param: problems[0]!.param, problems })
}

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
      .map((key) => [...issue.path, key].join('.').slice(0, 100))
    return { param, subject: undefined, says: `unknown field ${names.join(', ')}` }
  }
  return { param, subject: issue.path.join('.') || 'the input', says: issueWords(issue) }
}
