import type { JsonObject } from './json-schema.ts'

/**
 * The same schemas in the words that generators of clients read alike: a format stands without the pattern of its library, null is
 * a type beside the other one, the only value of a text is a constant and that of a boolean is left open, other fields of any kind
 * are `true`, a list of values that grows is no bound, and a whole number has 64 bits, because ids and sums outgrow 32. Pure.
 */
export function forGenerators(value: JsonObject): JsonObject
export function forGenerators(value: unknown): unknown
export function forGenerators(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one: unknown) => forGenerators(one))
  if (typeof value !== 'object' || value === null) return value
  const schema = withNullAsType(value as JsonObject)
  const { type, format, pattern, enum: values, const: only } = schema
  const read = Object.fromEntries(
    Object.entries(schema).map(([name, of]) => [name, ofValues.has(name) ? of : forGenerators(of)]),
  )
  if (typeof format === 'string' && typeof pattern === 'string') delete read['pattern']
  if ([type].flat().includes('integer') && values === undefined && format === undefined)
    read['format'] = 'int64'
  delete read['propertyNames']
  const others = read['additionalProperties']
  if (typeof others === 'object' && Object.keys(others!).length === 0) read['additionalProperties'] = true
  if (read['x-grows'] !== undefined) {
    delete read['x-grows']
    delete read['enum']
    read['x-extensible-enum'] = values
  }
  if (typeof only === 'boolean') delete read['const']
  if (Array.isArray(values) && values.length === 1) {
    delete read['enum']
    read['const'] = values[0]
  }
  return read
}

// What stands there is what somebody sends, and no schema.
const ofValues = new Set(['example', 'examples', 'value', 'const', 'default', 'enum', 'x-extensible-enum'])

/** `anyOf: [{ type: T, … }, { type: 'null' }]` → `{ type: [T, 'null'], … }`. */
function withNullAsType(schema: JsonObject): JsonObject {
  const { anyOf, ...others } = schema
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return schema
  const [one, none] = anyOf as JsonObject[]
  if (none!['type'] !== 'null' || typeof one!['type'] !== 'string') return schema
  return { ...others, ...one, type: [one!['type'], 'null'] }
}
