import { z } from 'zod'
import type { FieldSchema, ObjectSchema } from '../../actions/declared/payload-schema.ts'
import { actionKinds } from '../../actions/registry.ts'
import { executorUrlFault } from '../../executors/checked-url.ts'
import {
  type KindDocument,
  type Pointer,
  cardFormats,
  isNameOfEveryObject,
} from '../../gate/declared/declared-kind.ts'
import { currencies, isCurrency } from '../../gate/money.ts'
import { unconfirmedKinds } from '../../gate/policy.ts'
import { whyNoSubject } from '../../gate/subject.ts'
import { limits } from '../../limits.ts'
import { safeParseInput } from '../parse.ts'
import { ruleOf } from '../policy/policy-document.ts'
import { labelFault } from './card-label.ts'
import { fieldAt, payloadSubset } from './payload-subset.ts'

/** The names of kinds that accounts cannot declare. */
export const kindNamesOfGate: readonly string[] = [
  ...actionKinds.map(({ kind }) => kind),
  ...unconfirmedKinds,
  'capability_check',
  // The name of every other kind in the description of the interface.
  'other',
  'upstream_tool',
]

/** The form of a declared kind's name. */
export const declaredKindName = z
  .string()
  .regex(
    /^[a-z][a-z0-9_]{2,39}$/,
    'must be 3 to 40 lower-case letters, digits and _, beginning with a letter',
  )
  .refine((name) => !kindNamesOfGate.includes(name), 'is a kind of the gate: choose another name')
  .refine(
    (name) => !isNameOfEveryObject(name),
    'is a name that every object in JavaScript has: choose another name',
  )

const written = (charsMax: number) =>
  z.string().superRefine((value, context) => {
    const fault = labelFault(value, charsMax)
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault })
  })

const pointer = z
  .string()
  .max(limits.pointerCharsMax)
  .regex(
    /^(?:\/[A-Za-z][A-Za-z0-9_]*)+$/,
    'must be a JSON Pointer through fields of the payload, such as /customer/id',
  )

const address = z.string().superRefine((given, context) => {
  const fault = executorUrlFault(given)
  if (fault !== undefined) context.addIssue({ code: 'custom', message: fault })
})

const webhook = z.strictObject({ type: z.literal('webhook'), url: address, status_url: address.optional() })
const claim = z.strictObject({
  type: z.literal('claim'),
  lease_minutes: z.int('must be a whole number').min(1).max(limits.claimLeaseMinutesMax),
})

const fields = z.strictObject({
  kind: declaredKindName,
  title: written(limits.declaredTitleCharsMax),
  description: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(limits.declaredDescriptionCharsMax)
    .refine((value) => value.isWellFormed(), 'must be valid Unicode'),
  payload: payloadSubset,
  amount: z
    .strictObject({
      cents: pointer,
      currency: z.union(
        [pointer, z.strictObject({ always: z.enum(currencies) })],
        'must be a JSON Pointer, or {"always": "eur"}',
      ),
    })
    .optional(),
  subject: pointer.optional(),
  card: z
    .array(
      z.strictObject({
        label: written(limits.cardLabelCharsMax),
        value: pointer,
        format: z.enum(cardFormats),
      }),
    )
    .max(limits.cardLinesMax)
    .refine(
      (lines) => new Set(lines.map(({ label }) => label)).size === lines.length,
      'must not have the same label twice',
    ),
  editable: z
    .array(pointer)
    .max(limits.cardLinesMax)
    .refine((pointers) => new Set(pointers).size === pointers.length, 'must not name a field twice')
    .optional(),
  default_rule: z.unknown(),
  expires_after_hours: z
    .number()
    .gt(0, 'must be above 0')
    .max(limits.expiresAfterHoursMax, `must be at most ${limits.expiresAfterHoursMax}`)
    .optional(),
  executor: z.discriminatedUnion('type', [webhook, claim], 'must have a type: webhook or claim'),
})

/** The document of a declared kind: its form, and that everything it points to is in every payload. */
export const kindDocument = fields.transform((given, context): KindDocument => {
  const rule = safeParseInput(ruleOf(given.amount !== undefined), given.default_rule)
  for (const issue of rule.error?.issues ?? [])
    context.issues.push({ ...issue, path: ['default_rule', ...issue.path] } as never)
  for (const { path, message } of pointerFaults(given as unknown as KindDocument))
    context.issues.push({ code: 'custom', path, message, input: given })
  return { ...given, default_rule: rule.data } as unknown as KindDocument
})

interface Fault {
  path: (string | number)[]
  message: string
}

function pointerFaults({ payload, amount, subject, card, editable = [] }: KindDocument): Fault[] {
  const schema = payload as unknown as ObjectSchema
  const faultAt = (
    path: Fault['path'],
    at: Pointer,
    fault: (found: Found) => string | undefined,
  ): Fault[] => {
    const found = fieldAt(schema, at)
    const message = found ? fault(found) : 'must lead to a field of the payload'
    return message === undefined ? [] : [{ path, message }]
  }
  const currency = amount?.currency
  return [
    ...(amount ? faultAt(['amount', 'cents'], amount.cents, centsFault) : []),
    ...(typeof currency === 'string' ? faultAt(['amount', 'currency'], currency, currencyFault) : []),
    ...(subject === undefined ? [] : faultAt(['subject'], subject, subjectFault)),
    ...card.flatMap(({ value, format }, n) =>
      faultAt(['card', n, 'value'], value, ({ field }) => formatFault(field, format, amount !== undefined)),
    ),
    ...editable.flatMap((at, n) =>
      faultAt(['editable', n], at, ({ field }) => {
        if (at === subject || at === currency) return 'must not lead to the subject or the currency'
        if (field.type === 'object' || field.type === 'array') return 'must lead to a single value'
        // A member sees each change on the card, under its own label.
        return card.some(({ value }) => value === at)
          ? undefined
          : 'must lead to a field that the card has a line for'
      }),
    ),
  ]
}

type Found = NonNullable<ReturnType<typeof fieldAt>>

function centsFault({ field, isAlways }: Found): string | undefined {
  const isBounded =
    field.type === 'integer' &&
    (field.minimum ?? -1) >= 0 &&
    (field.maximum ?? Infinity) <= limits.amountCentsMax
  return isBounded && isAlways
    ? undefined
    : `must lead to a required integer with a minimum of 0 or more and a maximum of at most ${limits.amountCentsMax}`
}

function currencyFault({ field, isAlways }: Found): string | undefined {
  const values =
    field.type === 'string' ? (field.enum ?? (field.const === undefined ? [] : [field.const])) : []
  return isAlways && values.length > 0 && values.every(isCurrency)
    ? undefined
    : `must lead to a required string whose enum is some of ${currencies.join(', ')}`
}

function subjectFault({ field, isAlways }: Found): string | undefined {
  const { declaredSubjectCharsMax: charsMax } = limits
  if (!isAlways || field.type !== 'string') return 'must lead to a required string'
  const values = field.enum ?? (field.const === undefined ? undefined : [field.const])
  const noSubject = values?.map(whyNoSubject).find((fault) => fault !== undefined)
  if (noSubject !== undefined) return `must lead to a string with other values: each ${noSubject}`
  const isShort = values
    ? values.every((value) => value.length <= charsMax)
    : (field.maxLength ?? limits.declaredTextDefault) <= charsMax
  return isShort ? undefined : `must lead to a string with a maxLength of at most ${charsMax}`
}

function formatFault(
  field: FieldSchema,
  format: (typeof cardFormats)[number],
  hasAmount: boolean,
): string | undefined {
  if (field.type === 'object' || field.type === 'array') return 'must lead to a single value'
  switch (format) {
    case 'money':
      return field.type === 'integer' && (field.minimum ?? -1) >= 0 && hasAmount
        ? undefined
        : 'has the format money: it must lead to an integer with a minimum of 0 or more, in a kind with an amount'
    case 'time':
      return field.type === 'string' && field.format === 'date-time'
        ? undefined
        : 'has the format time: it must lead to a string with the format date-time'
    default:
      return field.type === 'string' || format === 'text'
        ? undefined
        : 'has the format url: it must lead to a string'
  }
}
