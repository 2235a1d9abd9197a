import type { Json } from '../canonical.ts'
import { type Denial, denial } from '../denial.ts'
import { currencies, isCurrency } from '../money.ts'
import { atJsonPointer, hasLookalike } from './json-pointer.ts'
import type { Pointer } from './declared-kind.ts'
import type { KindRule } from '../policy.ts'
import { whyNoSubject } from '../subject.ts'
import { type ToolRule, defaultToolRule } from './tool-rule.ts'

/** The kind of the ledger's rows about calls of tools of MCP servers behind the gate. */
export const upstreamKind = 'upstream_tool'

/** What the rule of a tool requires of a call that needs consent. */
export const requiredBy = ({ requires }: ToolRule): KindRule => requires ?? defaultToolRule.requires

/** What a call is weighed and counted by. */
export interface CallWeight {
  /** Whole cents ≥ 0. */
  amount_cents?: number
  currency?: string
  subject?: string
}

type Weighing = Pick<ToolRule, 'amount' | 'subject'>
interface Arguments {
  [name: string]: Json | undefined
}

/**
 * Reads amount and subject of a call from its arguments, where the rule of its tool says. Pure.
 * @returns without what the arguments do not have, or not as whole cents of a supported currency, a text or a whole number
 */
export function weightOfCall({ amount, subject }: Weighing, args: Arguments): CallWeight {
  const about = subject === undefined ? undefined : subjectAt(subject, args)
  return { ...(amount ? amountAt(amount, args) : {}), ...(about === undefined ? {} : { subject: about }) }
}

/**
 * Why a call cannot be weighed as the rule of its tool says; undefined where it can. Without it, such a call would count towards
 * no limit. Pure.
 * @param subjectCharsMax  the longest subject
 */
export function whyUnweighed(
  { amount, subject }: Weighing,
  args: Arguments,
  subjectCharsMax: number,
): Denial | undefined {
  if (amount) {
    const currencyAt = typeof amount.currency === 'string' ? amount.currency : undefined
    if (amountAt(amount, args).amount_cents === undefined) return whyNoAmount(amount.cents, currencyAt, args)
    const twice = [amount.cents, currencyAt].find((at) => at !== undefined && hasLookalike(args, at))
    if (twice !== undefined) return denial('amount_unknown', lookalike(twice))
  }
  if (subject === undefined) return undefined
  const about = subjectAt(subject, args)
  if (about === undefined || about.length > subjectCharsMax)
    return denial(
      'subject_unknown',
      `The rule of this tool adds up amounts by ${subject}: the arguments need a text of at most ${subjectCharsMax} characters there, or a whole number.`,
    )
  const fault = whyNoSubject(about)
  if (fault !== undefined)
    return denial(
      'subject_unknown',
      `The rule of this tool adds up amounts by ${subject}: the text there ${fault}.`,
    )
  return hasLookalike(args, subject) ? denial('subject_unknown', lookalike(subject)) : undefined
}

function whyNoAmount(centsAt: Pointer, currencyAt: Pointer | undefined, args: Arguments): Denial {
  const cents = centsOf(atJsonPointer(args, centsAt))
  const named = currencyAt === undefined ? undefined : atJsonPointer(args, currencyAt)
  const supported = `one of ${currencies.join(', ')}`
  if (cents !== undefined && typeof named === 'string')
    return denial(
      'currency_unsupported',
      `The currency at ${currencyAt} is not supported: it must be ${supported}.`,
    )
  const currency = currencyAt === undefined ? '' : `, and ${currencyAt} to the currency, ${supported}`
  return denial(
    'amount_unknown',
    `Set ${centsAt} to the amount in whole cents${currency}. The rule of this tool decides by amount.`,
  )
}

// The server may read the other one: Go's encoding/json matches names without case, and the last one wins.
const lookalike = (pointer: Pointer): string =>
  `The arguments have another field that differs from ${pointer} only in its capitals. Send one of them.`

function amountAt(
  { cents: centsAt, currency: currencyAt }: NonNullable<ToolRule['amount']>,
  args: Arguments,
): CallWeight {
  const cents = centsOf(atJsonPointer(args, centsAt))
  const named = typeof currencyAt === 'string' ? atJsonPointer(args, currencyAt) : currencyAt.always
  const currency = typeof named === 'string' ? named.toLowerCase() : ''
  return cents !== undefined && isCurrency(currency) ? { amount_cents: cents, currency } : {}
}

const centsOf = (value: Json | undefined): number | undefined =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined

// A list or an object could name one subject in many ways, and each would have a sum of its own.
function subjectAt(pointer: Pointer, args: Arguments): string | undefined {
  const value = atJsonPointer(args, pointer)
  if (typeof value === 'string') return value
  return typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : undefined
}
