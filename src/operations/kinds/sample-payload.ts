import type {
  FieldSchema,
  NumberSchema,
  ObjectSchema,
  StringFormat,
  StringSchema,
} from '../../actions/declared/payload-schema.ts'
import type { Json } from '../../gate/canonical.ts'
import type { KindDocument } from '../../gate/declared/declared-kind.ts'
import { limits } from '../../limits.ts'

/** A payload with made-up values in every field, such as an agent could propose. Pure. */
export const samplePayload = ({ payload }: KindDocument): { [name: string]: Json } =>
  objectOf(payload as unknown as ObjectSchema)

const objectOf = ({ properties }: ObjectSchema): { [name: string]: Json } =>
  Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, valueOf(name, field)]))

function valueOf(name: string, field: FieldSchema): Json {
  switch (field.type) {
    case 'object':
      return objectOf(field)
    case 'array': {
      const { minItems = 0, maxItems = limits.declaredListDefault } = field
      const count = Math.min(Math.max(1, minItems), maxItems)
      return Array.from({ length: count }, () => valueOf(name, field.items))
    }
    case 'string':
      return textOf(name, field)
    case 'boolean':
      return field.const ?? true
    default:
      return numberOf(field)
  }
}

function textOf(name: string, { enum: values, const: always, format, ...bounds }: StringSchema): string {
  const fixed = always ?? values?.[0] ?? (format && samples[format])
  if (fixed !== undefined) return fixed
  const { minLength = 1, maxLength = limits.declaredTextDefault } = bounds
  const text = `Example ${name.replaceAll('_', ' ')}`
  return text.padEnd(minLength, '.').slice(0, maxLength)
}

const samples: Record<StringFormat, string> = {
  date: '2026-01-31',
  'date-time': '2026-01-31T12:00:00Z',
  email: 'someone@example.com',
  uri: 'https://example.com/',
  uuid: '01234567-89ab-4def-8123-456789abcdef',
}

/** A number that people read at once, if the bounds allow it. */
const usual = 12_500

function numberOf({ enum: values, const: always, minimum, maximum }: NumberSchema): number {
  return always ?? values?.[0] ?? Math.min(Math.max(usual, minimum ?? -Infinity), maximum ?? Infinity)
}
