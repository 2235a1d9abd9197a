import { z } from 'zod'
import {
  type FieldSchema,
  type ObjectSchema,
  hasFormat,
  stringFormats,
  valuesOf,
} from '../../actions/declared/payload-schema.ts'
import { type Pointer, isNameOfEveryObject, namesOf } from '../../gate/declared/declared-kind.ts'
import { limits } from '../../limits.ts'

const fieldName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_]{0,63}$/, 'must be a name of letters, digits and _ that begins with a letter')
const description = z.string().max(limits.declaredDescriptionCharsMax).optional()

const among = <Value extends string | number>(value: z.ZodType<Value>) =>
  z.array(value).min(1, 'must have a value').max(limits.declaredValuesMax).optional()

/** JSON Schema takes null for a value, and without its `const` a field would take every one. */
const constant = (value: z.ZodType) => value.optional().meta({ refusesNull: true })

const text = z.string().min(1).max(limits.declaredTextMax)
const chars = z.int('must be a whole number').min(0).max(limits.declaredTextMax).optional()
const stringField = z.strictObject({
  type: z.literal('string'),
  minLength: chars,
  maxLength: chars,
  enum: among(text),
  const: constant(text),
  format: z.enum(stringFormats, `must be one of ${stringFormats.join(', ')}`).optional(),
  description,
})

const safe = z.number().min(Number.MIN_SAFE_INTEGER).max(Number.MAX_SAFE_INTEGER)
// Beyond what is safe, a number may well be whole.
const whole = z.int({ error: ({ code }) => (code === 'invalid_type' ? 'must be a whole number' : undefined) })
const numberField = (type: 'integer' | 'number') => {
  const value = type === 'integer' ? whole : safe
  return z.strictObject({
    type: z.literal(type),
    minimum: value.optional(),
    maximum: value.optional(),
    enum: among(value),
    const: constant(value),
    description,
  })
}

const items = z.int('must be a whole number').min(0).max(limits.declaredListMax).optional()
const field: z.ZodType<FieldSchema> = z.lazy(() =>
  z.discriminatedUnion(
    'type',
    [
      stringField,
      numberField('integer'),
      numberField('number'),
      z.strictObject({ type: z.literal('boolean'), const: constant(z.boolean()), description }),
      z.strictObject({
        type: z.literal('array'),
        items: field,
        minItems: items,
        maxItems: items,
        description,
      }),
      objectField,
    ] as never,
    'must have a type: object, array, string, integer, number or boolean',
  ),
)

const objectField = z.strictObject({
  type: z.literal('object', 'must be object'),
  get properties() {
    return z.record(fieldName, field)
  },
  required: z.array(z.string()).max(limits.declaredFieldsMax).optional(),
  additionalProperties: z
    .literal(false, 'must be false: fields that are not described are refused')
    .optional(),
  description,
})

/** The keywords that a payload can be described with: no references, patterns or alternatives, and everything has a bound. */
export const payloadSubset = objectField
  .extend({
    $schema: z.literal('https://json-schema.org/draft/2020-12/schema').optional(),
    title: z.string().max(limits.declaredTitleCharsMax).optional(),
  })
  .superRefine((schema, context) => {
    for (const message of faultsOf(schema as ObjectSchema))
      context.addIssue({ code: 'custom', message, path: [] })
  })

function faultsOf(schema: ObjectSchema): string[] {
  const taken = Object.keys(schema.properties).filter((name) => ofTools.includes(name))
  const all = [...fieldsIn(schema, '', 1)]
  return [
    ...taken.map((name) => `has a field ${name}, which tools use for something else: choose another name`),
    // A payload without the field would be read as if it had it.
    ...all.flatMap(({ path }) =>
      isNameOfEveryObject(path.slice(path.lastIndexOf('/') + 1))
        ? [`has a field ${path}, a name that every object in JavaScript has: choose another name`]
        : [],
    ),
    ...(all.length > limits.declaredFieldsMax
      ? [`must have at most ${limits.declaredFieldsMax} fields`]
      : []),
    ...(all.some(({ depth }) => depth > limits.declaredDepthMax)
      ? [`must be at most ${limits.declaredDepthMax} levels deep`]
      : []),
    ...all.flatMap(({ path, schema: of }) => {
      const fault = boundsFault(of)
      return fault === undefined ? [] : [`${fault} at ${path || '/'}`]
    }),
  ].slice(0, limits.inputIssuesNamedMax)
}

// Arguments of every tool that proposes, beside the payload's.
const ofTools = ['actor', 'rationale', 'idempotency_key']

function* fieldsIn(
  schema: FieldSchema,
  path: string,
  depth: number,
): Generator<{ schema: FieldSchema; path: string; depth: number }> {
  yield { schema, path, depth }
  if (schema.type === 'array') yield* fieldsIn(schema.items, `${path}/*`, depth + 1)
  if (schema.type !== 'object') return
  for (const [name, inner] of Object.entries(schema.properties))
    yield* fieldsIn(inner, `${path}/${name}`, depth + 1)
}

function boundsFault(schema: FieldSchema): string | undefined {
  switch (schema.type) {
    case 'object': {
      const missing = schema.required?.find((name) => !Object.hasOwn(schema.properties, name))
      return missing === undefined ? undefined : `requires ${missing}, which has no properties`
    }
    case 'string':
      if (schema.format && valuesOf(schema)?.some((value) => !hasFormat(value, schema.format!)))
        return 'has a value that is not in its format'
      return isAbove(schema.minLength, schema.maxLength ?? limits.declaredTextDefault)
        ? 'has minLength above maxLength'
        : undefined
    case 'array':
      return isAbove(schema.minItems, schema.maxItems ?? limits.declaredListDefault)
        ? 'has minItems above maxItems'
        : undefined
    case 'boolean':
      return undefined
    default:
      return isAbove(schema.minimum, schema.maximum) ? 'has minimum above maximum' : undefined
  }
}

const isAbove = (low: number | undefined, high: number | undefined): boolean =>
  low !== undefined && high !== undefined && low > high

/** The field that a pointer leads to, and whether every payload has it; undefined where it leads out of the payload. Pure. */
export function fieldAt(
  payload: ObjectSchema,
  pointer: Pointer,
): { field: FieldSchema; isAlways: boolean } | undefined {
  let at: FieldSchema = payload
  let isAlways = true
  for (const name of namesOf(pointer)) {
    if (at.type !== 'object' || !Object.hasOwn(at.properties, name)) return undefined
    isAlways &&= at.required?.includes(name) ?? false
    at = at.properties[name]!
  }
  return { field: at, isAlways }
}
