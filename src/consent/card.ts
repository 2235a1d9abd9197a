import type { ActionKind, Fields, Summary } from '../actions/kind.ts'
import type { ActionRow } from '../db/queries/actions/actions.ts'
import { canonical } from '../gate/canonical.ts'
import { formatAmount } from '../gate/money.ts'
import { spentWords } from '../gate/subject.ts'
import { sha256 } from '../ledger/digest.ts'
import { quoteLines } from '../text/quote-lines.ts'
import { type SameRow, sameBefore } from './same-as.ts'
import { escapeInvisible } from '../text/escape-invisible.ts'

/** What a member is shown before they decide: the same in Slack, in an e-mail and on a page. */
export interface Card {
  /** In the gate's own words. */
  title: string
  facts: { label: string; value: string }[]
  /** What the agent wrote, line by line, each behind a bar: it cannot pass for a word of the gate. */
  quotes: { label: string; lines: string[] }[]
}

/** An open row, and what it does not say itself. */
export interface CardSource {
  row: ActionRow
  kind: Pick<ActionKind, 'reaches' | 'summary' | 'weigh'>
  accountName: string
  memberName: string
  /** What was confirmed of the same subject in the last 24 hours, in the row's currency: the bands weigh it together. */
  subjectCents?: number
  /** The row that this one repeats. */
  same?: SameRow | undefined
}

/**
 * The decision card of a row, from its frozen payload and recipients. Every text of others is made visible as it is, none is
 * cut. Pure.
 */
export function cardOf({ row, kind, accountName, memberName, subjectCents = 0, same }: CardSource): Card {
  const payload = row.payload as Fields
  const { title, facts, written } = kind.summary?.(payload) ?? listed(row.kind, payload)
  const weight = kind.weigh?.(payload)
  const all: [string, string][] = [
    ['Kind', row.kind],
    ...(weight ? [['Amount', amountWith(row.kind, weight, subjectCents)] as [string, string]] : []),
    ...facts,
    ['Reaches', reachOf(row, kind)],
    ['Decided by', `${memberName} (${row.member})`],
    ['Account', accountName],
    ['Action', `${row.id}, proposed through ${row.source}`],
    ...sameAs(row, same),
    ['Open until', `${row.expires_at!.toISOString().slice(0, 16).replace('T', ' ')} UTC`],
    ['Digest', row.digest!.slice(0, 16).replaceAll(/(.{4})(?=.)/g, '$1 ')],
  ]
  return {
    title: escapeInvisible(title),
    facts: all.map(([label, value]) => ({ label: escapeInvisible(label), value: escapeInvisible(value) })),
    quotes: written.map(([label, text]) => ({
      label: `${escapeInvisible(label)}, written by the agent (${[...text].length} characters):`,
      lines: quoteLines(text),
    })),
  }
}

/** The text of a card: what is decided about, whatever it is shown as. Pure. */
export function cardText({ title, facts, quotes: written }: Card): string {
  return [
    title,
    '',
    ...facts.map(({ label, value }) => `${label}: ${value}`),
    ...written.flatMap(({ label, lines }) => ['', label, ...lines]),
  ].join('\n')
}

/** The hash by which a decision says which card it was made on. Pure. */
export const cardHash = (card: Card): Buffer => sha256(cardText(card))

/** Of a kind that does not summarise its payload: every field, as the agent's words. */
function listed(kind: string, payload: Fields): Summary {
  const fields = Object.entries(payload).filter(([, value]) => value !== undefined)
  return {
    title: kind.replaceAll('_', ' '),
    facts: [],
    written: fields.map(([name, value]) => [name, typeof value === 'string' ? value : canonical(value!)]),
  }
}

function amountWith(
  kind: string,
  { amountCents, currency }: { amountCents: number; currency: string },
  subjectCents: number,
): string {
  const before = spentWords(kind, subjectCents, currency)
  return [formatAmount(amountCents, currency), ...(before === '' ? [] : [before])].join(', ')
}

function sameAs(row: ActionRow, same: SameRow | undefined): [string, string][] {
  const id = row.duplicate_of
  if (id === null) return []
  const before = sameBefore(row, same)
  return before === undefined
    ? [['Same as', `action ${id}, another proposal, open when this one was made`]]
    : [['Same as', `#${id}, which ${before}. Approving runs it again.`]]
}

function reachOf(row: ActionRow, { reaches }: Pick<ActionKind, 'reaches'>): string {
  if (reaches === 'nobody') return 'nobody but the provider that is asked to do it'
  const { reach_slack: slack, reach_email: email, reach_unreachable: unreachable } = row
  return `${slack} in Slack, ${email} by e-mail; ${unreachable} cannot be reached`
}
