import type { Schema } from '../../../src/upstreams/schemas/schema-parts.ts'

/** What is wrong with a schema, the schema, and what the gate says. */
export type BrokenSchema = [name: string, schema: Schema, says: RegExp]

export const object = (more: object): Schema => ({ type: 'object', ...more })
export const field = (schema: unknown): Schema => object({ properties: { a: schema } })
/** As JSON text has it: a literal would set the prototype. */
export const asText = (text: string): Schema => JSON.parse(text) as Schema
export const nested = (levels: number, step: (inner: object) => object, innermost: object = {}): object =>
  Array.from({ length: levels }).reduce<object>((inner) => step(inner), innermost)
export const many = (count: number, of: (n: number) => unknown) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`d${n}`, of(n)]))
export const draft07 = 'http://json-schema.org/draft-07/schema#'

export const throws = (act: () => unknown): boolean => {
  try {
    act()
    return false
  } catch {
    return true
  }
}
