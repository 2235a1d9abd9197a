import { z } from 'zod'
import { GateError, type InputProblem } from '../errors.ts'
import { issueWords } from '../text/issue-words.ts'
import { limits } from '../limits.ts'

/**
 * An input without what means absent: null in an optional field, and an empty text in an optional field that is a text, or one of a
 * few. Agents under a strict schema must fill in every field. A field that takes the value as it is keeps it, and so does
 * `digest` and `status`: an empty one would check nothing, or list everything. Pure.
 */
export function withoutAbsent(schema: z.ZodType, input: unknown): unknown {
  const shape = shapeOf(schema)
  if (!shape || typeof input !== 'object' || input === null || Array.isArray(input)) return input
  const given = Object.entries(input).flatMap(([name, value]) => {
    const field = Object.hasOwn(shape, name) ? shape[name]! : undefined
    if (!field) return [[name, value] as const]
    return isAbsent(name, field, value) ? [] : [[name, withoutAbsent(field, value)] as const]
  })
  const left = Object.fromEntries(given) as Record<string, unknown>
  // A client that fills in all fields of an actor also sends the provider of an empty id, which says nothing.
  const isHalf =
    'external_id' in input &&
    left['external_id'] === undefined &&
    shape['provider']?.safeParse(left['provider']).success === true
  return isHalf ? { ...left, provider: undefined } : left
}

const mustSay = ['digest', 'status']

function isAbsent(name: string, field: z.ZodType, value: unknown): boolean {
  if ((value !== null && value !== '') || !field.safeParse(undefined).success) return false
  if (field.safeParse(value).success) return false
  return value === null || (!mustSay.includes(name) && isTextual(field))
}

/** The fields of an object, also of an optional or checked one. */
function shapeOf(schema: z.ZodType): Record<string, z.ZodType> | undefined {
  if (schema instanceof z.ZodObject) return schema.shape as Record<string, z.ZodType>
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    return shapeOf(schema.unwrap() as z.ZodType)
  return undefined
}

function isTextual(schema: z.ZodType): boolean {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    return isTextual(schema.unwrap() as z.ZodType)
  if (schema instanceof z.ZodPipe) return isTextual(schema.in as z.ZodType)
  return schema instanceof z.ZodString || schema instanceof z.ZodEnum
}

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
