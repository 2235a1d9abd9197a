import fc from 'fast-check'
import type { JsonObject } from '../../src/transports/json-schema.ts'
import { hostile, hostileTexts, hostileTimes } from './runs.ts'

/** Values that exist, by the name of the field: a fuzzer that never meets a real id stops at "not found". */
export type Known = Record<string, unknown[]>

/** What fits a JSON Schema, at least nearly: with known values where a field has some. */
export function fitting(schema: JsonObject, known: Known, name = ''): fc.Arbitrary<unknown> {
  const values = known[name]
  const plain = ofSchema(schema, known)
  return values ? fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...values) }, plain) : plain
}

function ofSchema(schema: JsonObject, known: Known): fc.Arbitrary<unknown> {
  const alternatives = (schema['anyOf'] ?? schema['oneOf']) as JsonObject[] | undefined
  if (alternatives) return fc.oneof(...alternatives.map((one) => fitting(one, known)))
  if ('const' in schema) return fc.constant(schema['const'])
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...(schema['enum'] as unknown[]))
  switch (schema['type']) {
    case 'string':
      return texts(schema)
    case 'integer':
      return fc.integer(range(schema, 1_000_000))
    case 'number':
      return fc.double({ noNaN: true, noDefaultInfinity: true })
    case 'boolean':
      return fc.boolean()
    case 'array':
      return fc.array(fitting((schema['items'] ?? {}) as JsonObject, known), { maxLength: 5 })
    case 'object':
      return objects(schema, known)
    default:
      return hostile
  }
}

const range = ({ minimum, maximum }: JsonObject, most: number) => ({
  min: typeof minimum === 'number' ? minimum : -most,
  max: typeof maximum === 'number' ? maximum : most,
})

function texts({ maxLength, pattern, format }: JsonObject): fc.Arbitrary<string> {
  const most = typeof maxLength === 'number' ? maxLength : 200
  const plain = fc.string({ unit: 'grapheme', maxLength: Math.min(most, 200) })
  const hard = fc.constantFrom(...hostileTexts, 'a'.repeat(most), 'a'.repeat(most + 1), '€'.repeat(most))
  const shaped = typeof pattern === 'string' ? [fc.stringMatching(new RegExp(pattern))] : []
  const times = format === 'date-time' ? [fc.constantFrom(...hostileTimes), anyTime] : []
  return fc.oneof({ weight: 3, arbitrary: plain }, hard, ...shaped, ...times)
}

const anyTime = fc.date({ noInvalidDate: true }).map((date) => date.toISOString())

function objects({ properties = {}, required = [] }: JsonObject, known: Known): fc.Arbitrary<unknown> {
  const fields = Object.fromEntries(
    Object.entries(properties as Record<string, JsonObject>).map(([name, schema]) => [
      name,
      fitting(schema, known, name),
    ]),
  )
  const optional = Object.keys(fields).filter((name) => !(required as string[]).includes(name))
  // A few at a time: with all of them, one that is refused hides what the others do.
  return fc.subarray(optional, { maxLength: Math.min(3, optional.length) }).chain((chosen) => {
    const names = [...(required as string[]), ...chosen].filter((name) => name in fields)
    return fc.record(Object.fromEntries(names.map((name) => [name, fields[name]!])))
  })
}

/** An input that fits, with some of its fields spoilt: another value, none, one more. */
export const nearlyFitting = (schema: JsonObject, known: Known): fc.Arbitrary<unknown> =>
  fc
    .tuple(
      fitting(schema, known),
      fc.oneof(
        fc.constant([]),
        fc.array(fc.tuple(fc.nat(20), fc.constantFrom('set', 'drop', 'add', 'inside'), hostile), {
          maxLength: 2,
        }),
      ),
    )
    .map(([value, spoils]) => spoils.reduce(spoil, value))

function spoil(value: unknown, [at, how, by]: [number, string, unknown]): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return how === 'set' ? by : value
  const names = Object.keys(value)
  const name = names[at % Math.max(1, names.length)]
  if (how === 'add' || name === undefined) return { ...value, [typeof by === 'string' ? by : 'extra']: by }
  if (how === 'drop') return Object.fromEntries(Object.entries(value).filter(([key]) => key !== name))
  const inner = (value as Record<string, unknown>)[name]
  return { ...value, [name]: how === 'inside' ? spoil(inner, [at, 'set', by]) : by }
}
