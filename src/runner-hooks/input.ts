import { z } from 'zod'
import { type Json, isReadAlike } from '../gate/canonical.ts'
import { InexactJson, parseExactJson } from '../gate/json/exact-json.ts'
import { limits } from '../limits.ts'

type Input = Record<string, Json>

/** The input of a tool call: an object that the ledger can store and that RFC 8785 gives a form of its own. Absent: empty. */
export const toolInput = z
  .unknown()
  .optional()
  .transform((value, context) => {
    if (value === undefined || value === null) return {}
    const problem = problemOf(value)
    if (problem === null) return value as Input
    context.addIssue({ code: 'custom', message: problem })
    return z.NEVER
  })

/** The same, where the runner may send it as JSON text. */
export const toolInputOrText = z
  .unknown()
  .optional()
  .transform((value, context) => {
    if (typeof value !== 'string' || value.trim() === '') return value === '' ? undefined : value
    try {
      return parseExactJson(value)
    } catch (error) {
      const why =
        error instanceof InexactJson ? `is read otherwise elsewhere: ${error.message}` : 'must be JSON'
      context.addIssue({ code: 'custom', message: why })
      return z.NEVER
    }
  })
  .pipe(toolInput)

const isText = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

/** Walks the value without recursion, because its depth comes from outside. */
function problemOf(value: unknown): string | null {
  if (typeof value !== 'object' || Array.isArray(value)) return 'must be an object'
  const open: { value: unknown; depth: number }[] = [{ value, depth: 0 }]
  let bytes = 0
  let values = 0
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    values += 1
    const problem =
      problemOfLeaf(next.value) ?? (next.depth > limits.runnerInputDepthMax ? 'is nested too deep' : null)
    if (problem !== null) return problem
    bytes += typeof next.value === 'string' ? Buffer.byteLength(next.value) : 8
    if (typeof next.value === 'object' && next.value !== null) {
      for (const [name, member] of Object.entries(next.value)) {
        if (!isText(name)) return 'must be valid Unicode without NUL'
        if (!Array.isArray(next.value)) bytes += Buffer.byteLength(name)
        open.push({ value: member, depth: next.depth + 1 })
      }
    }
    if (bytes > limits.runnerInputBytesMax) return `must have at most ${limits.runnerInputBytesMax} bytes`
    if (values + open.length > limits.runnerInputValuesMax)
      return `must have at most ${limits.runnerInputValuesMax} values`
  }
  return null
}

function problemOfLeaf(value: unknown): string | null {
  if (typeof value === 'string') return isText(value) ? null : 'must be valid Unicode without NUL'
  return typeof value === 'number' && !isReadAlike(value)
    ? `has a number beyond ${Number.MAX_SAFE_INTEGER}, which readers of JSON round: send it as text`
    : null
}
