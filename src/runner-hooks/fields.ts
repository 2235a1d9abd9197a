import { z } from 'zod'
import { exactJsonOrUndefined } from '../gate/json/exact-json.ts'
import { issueWords } from '../text/issue-words.ts'
import { limits } from '../limits.ts'
import type { Problem } from './dialect.ts'

// C0 and C1 control characters and DEL: the ledger does not store them in names.
// eslint-disable-next-line no-control-regex
const controls = /[\u0000-\u001f\u007f-\u009f]/

const line = (charsMax: number) =>
  z
    .string()
    .max(charsMax, `must have at most ${charsMax} characters`)
    .refine(
      (text) => text.isWellFormed() && !controls.test(text),
      'must be one line of valid Unicode without control characters',
    )

/** A field that may be missing, null or empty. */
const optional = (field: ReturnType<typeof line>) => field.nullish().transform((text) => text || null)

export const id = optional(line(limits.runnerIdCharsMax))
export const cwd = optional(line(limits.runnerCwdCharsMax))
export const version = optional(line(limits.runnerVersionCharsMax))
export const tool = line(limits.runnerToolCharsMax).min(1, 'must not be empty')

/** What is known of a call beside its body. */
export const Given = z.object({ version })

/** Parses a hook's body. @returns what the schema reads, or the first problem as a sentence */
export function read<Output>(schema: z.ZodType<Output>, body: unknown): Output | Problem {
  const result = schema.safeParse(typeof body === 'string' ? exactJsonOrUndefined(body) : body, {
    reportInput: true,
  })
  if (result.success) return result.data
  const [issue] = result.error.issues
  const field = issue?.path.join('.')
  return {
    problem: field
      ? `The field ${field} of the hook's body ${issueWords(issue!)}.`
      : "The hook's body is not an object of the form that this runner sends.",
  }
}
