import { z } from 'zod'
import { type Json, canonical } from '../../gate/canonical.ts'
import { type CardLine, type KindDocument, type Pointer, namesOf } from '../../gate/declared/declared-kind.ts'
import { atJsonPointer } from '../../gate/declared/json-pointer.ts'
import type { EditableField } from '../../gate/edits/editable-fields.ts'
import { formatAmount } from '../../gate/money.ts'
import { whyNoSubject } from '../../gate/subject.ts'
import { limits } from '../../limits.ts'
import { type ActionKind, type Fields, type Performer, type Summary, outcomes } from '../kind.ts'
import { type FieldSchema, type ObjectSchema, payloadOf, valuesOf } from './payload-schema.ts'

/**
 * The governed kind that a version of a document describes. The document was checked when it was stored. Its schemas are made
 * when they are used: an account may have many kinds. Pure.
 */
export function kindOfDocument(
  document: KindDocument,
  version: number,
  performer: Performer,
  isRetired = false,
): ActionKind {
  const { kind, title, description, subject, expires_after_hours: hours } = document
  const weigh = weighs(document)
  const fields = once(() => payloadOf(document.payload as unknown as ObjectSchema))
  const payload = once(() => bounded(fields(), subject))
  return {
    kind,
    get payload() {
      return payload()
    },
    defaultRule: document.default_rule,
    isHttpProposable: true,
    reaches: 'nobody',
    ...(hours === undefined ? {} : { expiresAfterMs: Math.round(hours * msPerHour) }),
    ...(weigh ? { weigh } : {}),
    ...(subject === undefined ? {} : { subject: (given: Fields) => textAt(given, subject) }),
    get shows() {
      // What the executor answers is its own.
      return { payload: fields(), result: z.looseObject({ outcome: z.enum(outcomes) }) }
    },
    summary: (given) => summaryOf(document, given),
    ...(document.editable ? { editable: (given: Fields) => editableOf(document, given) } : {}),
    get tool() {
      return { name: `propose_${kind}`, title, description, group: 'kinds' as const, arguments: fields() }
    },
    // The amount of a field at the top level has limits of its own.
    argumentsOf: (given) =>
      Object.fromEntries(Object.entries(given).filter(([name]) => !weighedAt(document).includes(`/${name}`))),
    outcome: () => `Done: ${title}`,
    executor: document.executor,
    declared: { version, document },
    isRetired,
    performer,
  }
}

// Also called with values that were refused: nothing here may throw.
const bounded = (fields: z.ZodObject, subject: Pointer | undefined): ActionKind['payload'] =>
  fields
    .refine(
      (given) => JSON.stringify(given).length <= limits.declaredPayloadCharsMax,
      `must have at most ${limits.declaredPayloadCharsMax} characters in all`,
    )
    .superRefine((given, context) => {
      const about = subject === undefined ? undefined : atJsonPointer(given as Fields, subject)
      const fault = typeof about === 'string' ? whyNoSubject(about) : undefined
      if (fault !== undefined)
        context.addIssue({ code: 'custom', path: namesOf(subject!), message: fault, input: about })
    }) as unknown as ActionKind['payload']

function once<Value>(make: () => Value): () => Value {
  let made: { value: Value } | undefined
  return () => (made ??= { value: make() }).value
}

const msPerHour = 3_600_000

function weighs({ amount }: KindDocument): ActionKind['weigh'] {
  if (!amount) return undefined
  const { cents, currency } = amount
  return (payload) => ({
    amountCents: atJsonPointer(payload, cents) as number,
    currency: typeof currency === 'string' ? (atJsonPointer(payload, currency) as string) : currency.always,
  })
}

const textAt = (payload: Fields, pointer: Pointer): string | undefined => {
  const value = atJsonPointer(payload, pointer)
  return value === undefined ? undefined : String(value)
}

/** The card: its lines in their order. What no line names follows, so that nobody consents to what they were not shown. */
function summaryOf(document: KindDocument, payload: Fields): Summary {
  const lines = document.card.flatMap((line) => {
    const value = atJsonPointer(payload, line.value)
    return value === undefined ? [] : [{ line, shown: shownAs(document, line, payload) }]
  })
  const pairs = (isFact: boolean): [string, string][] =>
    lines
      .filter(({ line: { format } }) => (format === 'money' || format === 'time') === isFact)
      .map(({ line: { label }, shown }) => [label, shown])
  const others = without(payload, [...document.card.map(({ value }) => value), ...weighedAt(document)])
  return {
    title: titleOf(document, payload),
    facts: pairs(true),
    written: pairs(false),
    ...(Object.keys(others).length === 0 ? {} : { others: canonical(others) }),
  }
}

/** What a member may change: an amount downwards, the rest as its schema allows. */
function editableOf(document: KindDocument, payload: Fields): EditableField[] {
  return document.editable!.map((at): EditableField => {
    const label = document.card.find(({ value }) => value === at)!.label
    if (at === document.amount?.cents)
      return { at, label, way: 'lower', currency: weighs(document)!(payload)!.currency }
    const schema = fieldSchemaAt(document.payload as unknown as ObjectSchema, at)
    const values =
      'enum' in schema || 'const' in schema ? valuesOf<string | number | boolean>(schema) : undefined
    if (values) return { at, label, way: 'choice', values: values as (string | number)[] }
    if (schema.type === 'string') return { at, label, way: 'text' }
    return { at, label, way: schema.type === 'boolean' ? 'flag' : 'number' }
  })
}

/** The schema of a field that a pointer of a document leads to. */
const fieldSchemaAt = (schema: ObjectSchema, at: Pointer): FieldSchema =>
  namesOf(at).reduce<FieldSchema>((of, name) => (of as ObjectSchema).properties[name]!, schema)

/** The title with its subject, where that is an id or an address: other text of the agent is not to stand in a title. */
function titleOf({ title, subject }: KindDocument, payload: Fields): string {
  const about = subject === undefined ? undefined : textAt(payload, subject)
  return about !== undefined && /^[\w.@+:/-]{1,64}$/.test(about) ? `${title}: ${about}` : title
}

function shownAs(document: KindDocument, { value: pointer, format }: CardLine, payload: Fields): string {
  const value = atJsonPointer(payload, pointer)!
  if (format === 'money') return formatAmount(value as number, weighs(document)!(payload)!.currency)
  if (format === 'time') return timeOf(value as string)
  return typeof value === 'string' ? value : canonical(value)
}

/** A time in UTC, with its seconds and their fraction where there are any: an offset changes neither. */
function timeOf(written: string): string {
  const minute = new Date(written).toISOString().slice(0, 16).replace('T', ' ')
  const [, seconds, digits = ''] = /:(\d\d)(?:\.(\d+))?(?:Z|[+-][\d:]*)$/.exec(written)!
  const fraction = digits.replace(/(?<!0)0+$/, '')
  const precise = fraction === '' ? seconds : `${seconds}.${fraction}`
  return `${minute}${precise === '00' ? '' : `:${precise}`} UTC`
}

/** The card shows the amount of every kind that has one. */
const weighedAt = ({ amount }: KindDocument): Pointer[] =>
  amount ? [amount.cents, ...(typeof amount.currency === 'string' ? [amount.currency] : [])] : []

/** The fields of a payload that no pointer leads to. Objects whose fields are all shown are left out. */
function without(payload: Fields, pointers: Pointer[], path = ''): Fields {
  const left = Object.entries(payload).flatMap(([name, value]): [string, Json][] => {
    const at = `${path}/${name}`
    if (value === undefined || pointers.includes(at)) return []
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [[name, value]]
    const inner = without(value, pointers, at)
    const isShown = Object.keys(inner).length === 0 && Object.keys(value).length > 0
    return isShown ? [] : [[name, inner]]
  })
  return Object.fromEntries(left)
}
