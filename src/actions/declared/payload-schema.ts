import { z } from 'zod'
import { type Json, isReadAlike } from '../../gate/canonical.ts'
import { addressProblem } from '../../text/mail-address.ts'
import { limits } from '../../limits.ts'
import { agentText } from '../agent-text.ts'

/** The subset of JSON Schema 2020-12 in which a declared kind describes its payload. */
export type FieldSchema =
  | ObjectSchema
  | StringSchema
  | NumberSchema
  | { type: 'boolean'; const?: boolean; description?: string }
  | { type: 'array'; items: FieldSchema; minItems?: number; maxItems?: number; description?: string }

export interface ObjectSchema {
  type: 'object'
  properties: Record<string, FieldSchema>
  required?: string[]
  additionalProperties?: false
  description?: string
}

export interface StringSchema {
  type: 'string'
  minLength?: number
  maxLength?: number
  enum?: string[]
  const?: string
  format?: StringFormat
  description?: string
}

export interface NumberSchema {
  type: 'integer' | 'number'
  minimum?: number
  maximum?: number
  enum?: number[]
  const?: number
  description?: string
}

export const stringFormats = ['date', 'date-time', 'email', 'uri', 'uuid'] as const
export type StringFormat = (typeof stringFormats)[number]

/** The payload of a declared kind, as it is parsed. The schema was checked when the kind was declared. */
export function payloadOf(schema: ObjectSchema): z.ZodObject {
  const required = new Set(schema.required)
  const fields = Object.entries(schema.properties).map(([name, field]) => {
    const parsed = fieldOf(field)
    return [name, required.has(name) ? parsed : parsed.optional()] as const
  })
  return z.strictObject(Object.fromEntries(fields))
}

function fieldOf(schema: FieldSchema): z.ZodType<Json> {
  switch (schema.type) {
    case 'object':
      return payloadOf(schema) as unknown as z.ZodType<Json>
    case 'array':
      return listOf(schema)
    case 'string':
      return textOf(schema)
    case 'boolean':
      return schema.const === undefined ? z.boolean() : z.literal(schema.const)
    default:
      return numberOf(schema)
  }
}

function listOf({
  items,
  minItems = 0,
  maxItems = limits.declaredListDefault,
}: FieldSchema & { type: 'array' }) {
  return z
    .array(fieldOf(items))
    .min(minItems, `must have at least ${minItems} item${minItems === 1 ? '' : 's'}`)
    .max(maxItems, `must have at most ${maxItems} item${maxItems === 1 ? '' : 's'}`)
}

/** Text under the same rules as every text that an agent writes. */
function textOf({ minLength = 1, maxLength = limits.declaredTextDefault, ...schema }: StringSchema) {
  const values = valuesOf(schema)
  if (values) return z.enum(values, `must be one of: ${values.join(', ')}`)
  const text = agentText(maxLength, schema.description ?? '').refine(
    (value) => [...value].length >= minLength,
    `must have at least ${minLength} character${minLength === 1 ? '' : 's'}`,
  )
  return schema.format ? text.pipe(formats[schema.format]) : text
}

const formats: Record<StringFormat, z.ZodType<string, string>> = {
  date: z.iso.date('must be a date, such as 2026-01-31'),
  'date-time': z.iso
    .datetime({ offset: true, error: 'must be a time with a time zone, such as 2026-01-31T12:00:00Z' })
    // An offset leads out of them, too: such a time is written in another form.
    .refine((value) => !isOutsideYears(Date.parse(value)), 'must be between the years 1 and 9999'),
  email: z.email({ error: ({ input }) => addressProblem(String(input)) }),
  uri: z.url({ protocol: /^https?$/, error: 'must be an address that begins with https:// or http://' }),
  uuid: z.uuid('must be a UUID'),
}

const isOutsideYears = (ms: number): boolean => ms < limits.instantMsMin || ms > limits.instantMsMax

/** Whether a text has a format. Pure. */
export const hasFormat = (text: string, format: StringFormat): boolean =>
  formats[format].safeParse(text).success

function numberOf({ type, minimum, maximum, ...schema }: NumberSchema) {
  const values = valuesOf(schema)
  if (values) return z.literal(values, `must be one of: ${values.join(', ')}`)
  const number = type === 'integer' ? wholeNumber : exactNumber
  const from = minimum === undefined ? number : number.min(minimum, `must be at least ${minimum}`)
  return maximum === undefined ? from : from.max(maximum, `must be at most ${maximum}`)
}

const tooLarge = `must not be beyond ${Number.MAX_SAFE_INTEGER}, because readers of JSON round such numbers`
const wholeNumber = z.int({
  error: ({ code }) => (code === 'invalid_type' ? 'must be a whole number' : tooLarge),
})
const exactNumber = z.number('must be a number').refine(isReadAlike, tooLarge)

/** The values that a field is limited to; undefined: it is not. Pure. */
export const valuesOf = <Value>(schema: { enum?: Value[]; const?: Value }): Value[] | undefined =>
  schema.const === undefined ? schema.enum : [schema.const]
