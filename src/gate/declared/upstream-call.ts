import type { Json } from '../canonical.ts'
import { isCurrency } from '../money.ts'
import { atJsonPointer } from './json-pointer.ts'
import type { KindRule } from '../policy.ts'
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

/**
 * Reads amount and subject of a call from its arguments, where the rule of its tool says. Pure.
 * @returns no amount where the arguments have none in whole cents, of a supported currency: a rule by amount denies that
 */
export function weightOfCall(
  { amount, subject }: Pick<ToolRule, 'amount' | 'subject'>,
  args: { [name: string]: Json | undefined },
): CallWeight {
  const about = subject === undefined ? undefined : atJsonPointer(args, subject)
  return {
    ...(amount ? amountAt(amount, args) : {}),
    ...(about === undefined || about === null ? {} : { subject: textOf(about) }),
  }
}

function amountAt(
  { cents: centsAt, currency: currencyAt }: NonNullable<ToolRule['amount']>,
  args: { [name: string]: Json | undefined },
): CallWeight {
  const cents = atJsonPointer(args, centsAt)
  const named = typeof currencyAt === 'string' ? atJsonPointer(args, currencyAt) : currencyAt.always
  const currency = typeof named === 'string' ? named.toLowerCase() : ''
  const isAmount = typeof cents === 'number' && Number.isSafeInteger(cents) && cents >= 0
  return isAmount && isCurrency(currency) ? { amount_cents: cents, currency } : {}
}

const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value))
