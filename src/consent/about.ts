import type { ActionKind, Fields } from '../actions/kind.ts'
import type { ActionRow } from '../db/queries/actions/actions.ts'
import { formatAmount } from '../gate/money.ts'
import { limits } from '../limits.ts'
import { escapeInvisible } from '../text/escape-invisible.ts'
import { type CardFact, agentOf, minuteOf } from './card.ts'
import { channelWords, isErased } from './outcome.ts'

/** What an action was about, for a page that no longer shows its card. */
export interface About {
  title: string
  facts: CardFact[]
}

/**
 * Title, amount, number, who requested it, and when and by what it was decided, as far as it was. Pure.
 * @param isTheirs  for who has just decided: also how the first text that the agent wrote begins
 */
export function aboutAction(
  kind: Pick<ActionKind, 'summary' | 'weigh'> | undefined,
  row: ActionRow,
  isTheirs = false,
): About {
  const payload = isErased(row) ? undefined : (row.payload as Fields)
  const weight = payload && kind?.weigh?.(payload)
  const summary = payload && kind?.summary?.(payload, row)
  const title = summary?.title ?? row.kind.replaceAll('_', ' ')
  const by = row.requested_by === null ? 'an agent' : agentOf(row)
  const [written] = isTheirs ? (summary?.written ?? []) : []
  const facts: [string, string][] = [
    ...(written ? [[written[0], beginningOf(written[1])] as [string, string]] : []),
    ...(weight ? [['Amount', formatAmount(weight.amountCents, weight.currency)] as [string, string]] : []),
    ['Number', `#${row.id}`],
    ['Proposed', `${minuteOf(row.created_at)}, by ${by}`],
    ...(row.decided_at
      ? [['Decided', `${minuteOf(row.decided_at)}, ${wayOf(row)}`] as [string, string]]
      : []),
  ]
  return {
    title: escapeInvisible(title),
    facts: facts.map(([label, value]) => ({ label, value: escapeInvisible(value) })),
  }
}

function beginningOf(text: string): string {
  const characters = Array.from(text.replace(/\s+/g, ' ').trim())
  const { aboutTextCharsMax: most } = limits
  return characters.length > most
    ? `“${characters.slice(0, most - 1).join('')}…”`
    : `“${characters.join('')}”`
}

function wayOf({ consent_channel: channel, closed_reason: closed, mandate_id: mandate }: ActionRow): string {
  if (mandate !== null) return `by mandate #${mandate}`
  if (closed === 'admin') return 'by an administrator'
  if (closed === 'expired') return 'by its expiry'
  return channelWords[channel ?? ''] ?? 'by the agent'
}
