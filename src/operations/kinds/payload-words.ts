import type {
  FieldSchema,
  NumberSchema,
  ObjectSchema,
  StringSchema,
} from '../../actions/declared/payload-schema.ts'
import type { KindDocument, Pointer } from '../../gate/declared/declared-kind.ts'
import { limits } from '../../limits.ts'

/** A field that the payload of a declared kind can have. */
export interface PayloadField {
  /** `/*` stands for every item of a list. */
  pointer: Pointer
  isRequired: boolean
  /** What it can hold: `text, 1 to 40 characters`. */
  holds: string
  description: string | undefined
}

/** The fields of a payload with what bounds them, by their pointers, in the order of the schema. Pure. */
export const payloadFields = ({ payload }: KindDocument): PayloadField[] =>
  fieldsOf(payload as unknown as ObjectSchema, '')

const fieldsOf = ({ properties, required }: ObjectSchema, path: Pointer): PayloadField[] =>
  Object.entries(properties).flatMap(([name, field]) => [
    fieldAt(field, `${path}/${name}`, required?.includes(name) ?? false),
    ...innerFields(field, `${path}/${name}`),
  ])

const fieldAt = (field: FieldSchema, pointer: Pointer, isRequired: boolean): PayloadField => ({
  pointer,
  isRequired,
  holds: holds(field),
  description: field.description,
})

function innerFields(field: FieldSchema, pointer: Pointer): PayloadField[] {
  if (field.type === 'object') return fieldsOf(field, pointer)
  if (field.type !== 'array') return []
  const path = `${pointer}/*`
  return [fieldAt(field.items, path, true), ...innerFields(field.items, path)]
}

function holds(field: FieldSchema): string {
  switch (field.type) {
    case 'object':
      return 'object'
    case 'array':
      return `list, ${range(field.minItems ?? 0, field.maxItems ?? limits.declaredListDefault)} items`
    case 'string':
      return textWords(field)
    case 'boolean':
      return field.const === undefined ? 'true or false' : `always ${field.const}`
    default:
      return numberWords(field)
  }
}

function textWords(field: StringSchema): string {
  const { format, minLength = 1, maxLength = limits.declaredTextDefault } = field
  const word = format === undefined ? 'text' : formatWords[format]
  const bounds =
    format !== undefined && ofOneForm.has(format) ? '' : `, ${range(minLength, maxLength)} characters`
  return valuesOf(field) ?? `${word}${bounds}`
}

const formatWords: Record<NonNullable<StringSchema['format']>, string> = {
  date: 'date',
  'date-time': 'time with a time zone',
  email: 'e-mail address',
  uri: 'web address',
  uuid: 'UUID',
}

/** Their length says nothing. */
const ofOneForm: ReadonlySet<string> = new Set(['date', 'date-time', 'uuid'])

function numberWords(field: NumberSchema): string {
  const { type, minimum, maximum } = field
  const word = type === 'integer' ? 'whole number' : 'number'
  const values = valuesOf(field)
  if (values !== undefined) return values
  if (minimum !== undefined && maximum !== undefined) return `${word}, ${range(minimum, maximum)}`
  if (minimum !== undefined) return `${word}, at least ${minimum}`
  return maximum === undefined ? word : `${word}, at most ${maximum}`
}

const range = (low: number, high: number): string => (low === high ? String(low) : `${low} to ${high}`)

function valuesOf({
  enum: values,
  const: always,
}: {
  enum?: (string | number)[]
  const?: string | number
}): string | undefined {
  if (always !== undefined) return `always ${always}`
  return values && `one of: ${values.join(', ')}`
}
