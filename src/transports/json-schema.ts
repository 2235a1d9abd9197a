import { z } from 'zod'

export type JsonObject = Record<string, unknown>

// `input`: answers may get more fields in later versions, and clients must not reject unknown fields.
const options = { io: 'input', unrepresentable: 'any', reused: 'inline' } as const

/** The JSON Schema of an input or output, without `$schema` and without bounds that only mean "safe integer". */
export const jsonSchema = (schema: z.ZodType): JsonObject =>
  tidy(z.toJSONSchema(schema, options)) as JsonObject

/** JSON Schemas that refer to each other by name. `uri` makes the reference. */
export function namedJsonSchemas(
  named: Record<string, z.ZodType>,
  uri: (name: string) => string,
): Record<string, JsonObject> {
  const registry = z.registry<{ id: string }>()
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id })
  const { schemas } = z.toJSONSchema(registry, { ...options, uri })
  return tidy(schemas) as Record<string, JsonObject>
}

function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy)
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(
    ([name, v]) =>
      name !== '$schema' &&
      name !== '$id' &&
      !((name === 'maximum' || name === 'minimum') && Math.abs(v as number) === Number.MAX_SAFE_INTEGER),
  )
  return Object.fromEntries(kept.map(([name, v]) => [name, tidy(v)]))
}
