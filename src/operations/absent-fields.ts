import { z } from 'zod'

/** What counts as absent in an optional field. */
export type Absence = 'null' | 'null or empty text'

/**
 * An input without what means absent: null in an optional field and, of agents, an empty text in an optional field that is a text, or
 * one of a few. Agents under a strict schema must fill in every field. A field that takes the value as it is keeps it, and so does
 * `digest` and `status`: an empty one would check nothing, or list everything. Names that a schema does not list keep what they have,
 * too: a rule without one of its patterns would match more. Pure.
 */
export function withoutAbsent(schema: z.ZodType, input: unknown, absence: Absence): unknown {
  const read = innermost(schema)
  if (Array.isArray(input))
    return read instanceof z.ZodArray
      ? input.map((value) => withoutAbsent(read.element as z.ZodType, value, absence))
      : input
  if (typeof input !== 'object' || input === null) return input
  if (read instanceof z.ZodRecord) {
    const values = read.valueType as z.ZodType
    return Object.fromEntries(
      Object.entries(input).map(([name, value]) => [name, withoutAbsent(values, value, absence)]),
    )
  }
  const shape = shapeFor(read, input)
  return shape ? withoutAbsentFields(shape, input, absence) : input
}

function withoutAbsentFields(shape: Shape, input: object, absence: Absence): Record<string, unknown> {
  const given = Object.entries(input).flatMap(([name, value]) => {
    const field = Object.hasOwn(shape, name) ? shape[name]! : undefined
    if (!field) return [[name, value] as const]
    return isAbsent(name, field, value, absence)
      ? []
      : [[name, withoutAbsent(field, value, absence)] as const]
  })
  const left = Object.fromEntries(given) as Record<string, unknown>
  // A client that fills in all fields of an actor also sends the provider of an empty id, which says nothing.
  const isHalf =
    absence === 'null or empty text' &&
    'external_id' in input &&
    left['external_id'] === undefined &&
    shape['provider']?.safeParse(left['provider']).success === true
  return isHalf ? { ...left, provider: undefined } : left
}

type Shape = Record<string, z.ZodType>

const mustSay = ['digest', 'status']

function isAbsent(name: string, field: z.ZodType, value: unknown, absence: Absence): boolean {
  if ((value !== null && value !== '') || !field.safeParse(undefined).success) return false
  if (field.safeParse(value).success) return false
  if (value === null) return field.meta()?.['refusesNull'] !== true
  return absence === 'null or empty text' && !mustSay.includes(name) && isTextual(field)
}

/** The fields of an object, or of that one of several that the object says it is. */
function shapeFor(schema: z.ZodType, input: object): Shape | undefined {
  if (schema instanceof z.ZodObject) return schema.shape as Shape
  if (!(schema instanceof z.ZodDiscriminatedUnion)) return undefined
  const { discriminator } = schema.def
  const said = (input as Record<string, unknown>)[discriminator]
  const shapes = schema.options.map((option) => shapeFor(innermost(option as z.ZodType), {}))
  return shapes.find((shape) => shape?.[discriminator]?.safeParse(said).success)
}

/** What an optional, later checked or transformed schema reads first. */
function innermost(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    return innermost(schema.unwrap() as z.ZodType)
  if (schema instanceof z.ZodLazy) return innermost(schema.unwrap() as z.ZodType)
  if (!(schema instanceof z.ZodPipe)) return schema
  const from = schema.in as z.ZodType
  return innermost(from instanceof z.ZodTransform ? (schema.out as z.ZodType) : from)
}

function isTextual(schema: z.ZodType): boolean {
  const of = innermost(schema)
  return of instanceof z.ZodString || of instanceof z.ZodEnum
}
