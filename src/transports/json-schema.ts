import { z } from 'zod'

export type JsonObject = Record<string, unknown>

/** The JSON Schema of an input or output, without `$schema` and without bounds that only mean "safe integer". */
export function jsonSchema(schema: z.ZodType): JsonObject {
  // `input`: answers may get more fields in later versions, and clients must not reject unknown fields.
  const made = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as JsonObject
  delete made['$schema']
  return tidy(made) as JsonObject
}

function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(
    ([name, v]) =>
      !((name === 'maximum' || name === 'minimum') && Math.abs(v as number) === Number.MAX_SAFE_INTEGER),
  )
  return Object.fromEntries(kept.map(([name, v]) => [name, tidy(v)]))
}
