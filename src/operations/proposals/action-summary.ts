import type { ActionKind, Fields } from '../../actions/kind.ts'
import { formatAmount, isCurrency } from '../../gate/money.ts'

/** The money that an action moves; null where it moves none, or its payload no longer says. Pure. */
export function amountOf(
  kinds: Map<string, Pick<ActionKind, 'weigh'>>,
  { kind, payload }: { kind: string; payload: Record<string, unknown> },
): { amountCents: number; currency: string } | null {
  const weighed = kinds.get(kind)?.weigh?.(payload as Fields) as
    | { amountCents: unknown; currency: unknown }
    | undefined
  if (!weighed) return null
  const { amountCents, currency } = weighed
  // An action that was denied before its provider was asked has no amount, and neither has an erased payload.
  return typeof amountCents === 'number' && typeof currency === 'string' && isCurrency(currency)
    ? { amountCents, currency }
    : null
}

/** An action in one line: its amount, or the beginning of its message. Pure. */
export function actionSummary(
  kinds: Map<string, Pick<ActionKind, 'weigh'>>,
  row: { kind: string; payload: Record<string, unknown> },
): string {
  const amount = amountOf(kinds, row)
  if (amount) return formatAmount(amount.amountCents, amount.currency)
  const { message, provider } = row.payload
  if (typeof message === 'string') return beginningOf(message)
  return typeof provider === 'string' ? provider : ''
}

function beginningOf(text: string): string {
  const characters = Array.from(text.slice(0, 400))
  const isCut = text.length > 400 || characters.length > 80
  return isCut ? `${characters.slice(0, 80).join('')}…` : text
}
