import { type Json, isReadAlike } from '../canonical.ts'
import { changesBetween, isSame } from './changes.ts'
import { type Pointer, namesOf } from '../declared/declared-kind.ts'
import { atJsonPointer } from '../declared/json-pointer.ts'
import { amountText, formatAmount, parseAmount } from '../money.ts'

type Fields = Record<string, Json | undefined>

/**
 * A field of a frozen payload that a member may change before they approve, and which way. The database holds the same rule
 * (`gate_private.editable_of`); keep both equal.
 */
export type EditableField = {
  /** Leads to a single value of the payload. */
  at: Pointer
  label: string
} & (
  | {
      /** Whole cents, only downwards. */
      way: 'lower'
      currency: string
      /** The label of the fact that says what is left after it. */
      leaves?: string
    }
  /** As the schema of the kind allows. */
  | { way: 'text' | 'number' | 'flag' }
  | { way: 'choice'; values: readonly (string | number)[] }
)

/** A field as a form shows it. */
export interface ShownField {
  name: string
  label: string
  text: string
  hint?: string
  /** Text of several lines where it is absent. */
  as?: 'number' | readonly string[]
}

/** What a member entered that cannot be. */
export interface EditProblem {
  name: string
  label: string
  says: string
}

/** The name of a field in a form. Pure. */
export const nameOf = ({ at }: Pick<EditableField, 'at'>): string => namesOf(at).join('.')

/** An editable field with its text, as its member may change it. Pure. */
export function shownField(field: EditableField, payload: Fields): ShownField {
  const value = atJsonPointer(payload, field.at)
  const shown = { name: nameOf(field), label: field.label, text: value === undefined ? '' : String(value) }
  switch (field.way) {
    case 'lower': {
      const hint = `At most ${formatAmount(Number(value), field.currency)}: you can lower it, not raise it.`
      return { ...shown, text: amountText(Number(value)), hint, as: 'number' }
    }
    case 'choice':
      return { ...shown, as: optionsOf(field.values.map(String), value) }
    case 'flag':
      return { ...shown, as: optionsOf(['true', 'false'], value) }
    case 'number':
      return { ...shown, as: 'number' }
    case 'text':
      return shown
  }
}

// What the payload does not have can stay away.
const optionsOf = (values: readonly string[], value: Json | undefined): readonly string[] =>
  value === undefined ? ['', ...values] : values

/**
 * A payload with what a member entered into the form of its editable fields, by name. What they did not enter stays; a field that
 * they emptied is absent. Pure.
 * @returns the problem of the first field that cannot be like that
 */
export function withEntered(
  payload: Fields,
  fields: readonly EditableField[],
  entered: Record<string, string>,
): { payload: Fields } | { problem: EditProblem } {
  let made = payload
  for (const field of fields) {
    const name = nameOf(field)
    // Browsers send line ends of a form as CR LF.
    const text = Object.hasOwn(entered, name) ? entered[name]!.replaceAll('\r\n', '\n') : undefined
    if (text === undefined || text === shownField(field, payload).text.replaceAll('\r\n', '\n')) continue
    const value = text === '' && field.way !== 'lower' ? undefined : valueOf(field, text, payload)
    if (typeof value === 'object') return { problem: { name, label: field.label, says: value.problem } }
    made = withValue(made, namesOf(field.at), value) as Fields
  }
  return { payload: made }
}

type Entered = string | number | boolean | { problem: string }

function valueOf(field: EditableField, text: string, payload: Fields): Entered {
  switch (field.way) {
    case 'lower': {
      const cents = parseAmount(text)
      const most = Number(atJsonPointer(payload, field.at))
      if (cents === undefined) return { problem: 'must be an amount such as 12.50' }
      if (cents >= 1 && cents <= most) return cents
      return { problem: `must be from 0.01 to ${amountText(most)}: you can only lower it` }
    }
    case 'number':
      return /^-?\d{1,16}(\.\d{1,16})?$/.test(text) && isReadAlike(Number(text))
        ? Number(text)
        : { problem: 'must be a number' }
    case 'choice':
      return field.values.find((one) => String(one) === text) ?? { problem: 'must be one of its values' }
    case 'flag':
      return ['true', 'false'].includes(text) ? text === 'true' : { problem: 'must be true or false' }
    case 'text':
      return forbiddenControls.test(text)
        ? { problem: 'must not contain control characters other than newline and tab' }
        : text
  }
}

// C0 and C1 control characters, except newline and tab; DEL.
// eslint-disable-next-line no-control-regex
const forbiddenControls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/

function withValue(
  value: Json | undefined,
  [name, ...further]: string[],
  to: Json | undefined,
): Json | undefined {
  if (name === undefined) return to
  const { [name]: former, ...others } = (value ?? {}) as Fields
  const made = withValue(former, further, to)
  return made === undefined ? others : { ...(value as Fields), [name]: made }
}

/** What the provider said, where an amount was lowered after that: what is left is more by as much. Pure. */
export function factsAfter(
  facts: [label: string, value: string][] | null,
  fields: readonly EditableField[],
  was: Fields,
  becomes: Fields,
): [label: string, value: string][] | null {
  if (facts === null) return null
  return facts.flatMap(([label, value]) => {
    const field = fields.find((one) => one.way === 'lower' && one.leaves === label)
    if (field?.way !== 'lower') return [[label, value] as [string, string]]
    const left = parseAmount(value.replace(` ${field.currency.toUpperCase()}`, ''))
    if (left === undefined) return []
    const more = Number(atJsonPointer(was, field.at)) - Number(atJsonPointer(becomes, field.at))
    return [[label, formatAmount(left + more, field.currency)] as [string, string]]
  })
}

/** What a member changed, in words for the card: the label, and what an amount was. Pure. */
export const changedWords = (
  fields: readonly EditableField[],
  was: Fields,
  becomes: Fields,
): [label: string, words: string][] =>
  fields.flatMap((field) => {
    const { at, label } = field
    const value = atJsonPointer(was, at)
    if (isSame(value, atJsonPointer(becomes, at))) return []
    const isAmount = field.way === 'lower'
    return [[label, isAmount ? `${label}, which was ${formatAmount(Number(value), field.currency)}` : label]]
  })

type Weight = { amountCents: number; currency: string } | undefined

/**
 * What a proposal has otherwise than one that it answers, in words for the card. Of texts only the names of their fields: an agent
 * wrote both. Pure.
 */
export function differenceWords(
  was: { payload: Fields; weight: Weight },
  becomes: { payload: Fields; weight: Weight },
): string[] {
  // An erased payload says nothing of what it was.
  if (Object.keys(was.payload).length === 0) return []
  const [before, now] = [was.weight, becomes.weight]
  const isAmount = (from: Json | undefined, to: Json | undefined) =>
    before !== undefined && now !== undefined && from === before.amountCents && to === now.amountCents
  const words = changesBetween(was.payload, becomes.payload).map(({ field, from, to }) => {
    if (isAmount(from, to)) return `amount before: ${formatAmount(before!.amountCents, before!.currency)}`
    return typeof from === 'number' || typeof from === 'boolean'
      ? `${field} before: ${from}`
      : `other ${field}`
  })
  return words.length === 0 ? ['nothing changed'] : words
}
