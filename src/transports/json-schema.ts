import { z } from 'zod'

type JsonObject = Record<string, unknown>

/** The JSON Schema of what goes in or comes out, without noise: no `$schema`, no bounds that only say "safe integer". */
export function jsonSchema(schema: z.ZodType): JsonObject {
  // `input`: answers stay open to fields of later versions, and clients do not reject what they do not know.
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
