import type { ActionKind, Fields, Summary } from '../actions/kind.ts'
import type { ActionRow } from '../db/queries/actions/actions.ts'
import { canonical } from '../gate/canonical.ts'
import { formatAmount } from '../gate/money.ts'
import { spentText } from '../gate/subject.ts'
import { providerName } from '../gate/integration-provider.ts'
import { sha256 } from '../ledger/digest.ts'
import { quoteLines } from '../text/quote-lines.ts'
import { type SameRow, sameBefore } from './same-as.ts'
import { escapeInvisible } from '../text/escape-invisible.ts'

/** What a member sees before they decide: the same in Slack, in e-mail and on a page. */
export interface Card {
  /** Written by the gate. */
  title: string
  facts: { label: string; value: string }[]
  /** What the agent wrote. Each line is quoted behind a bar, so it cannot be taken for text of the gate. */
  quotes: { label: string; lines: string[] }[]
}

/** An open proposal, and what its row does not contain. */
export interface CardSource {
  row: ActionRow
  kind: Pick<ActionKind, 'reaches' | 'movesMoneyAt' | 'summary' | 'weigh'>
  accountName: string
  memberName: string
  /** Confirmed for the same subject in the last 24 hours, in the row's currency: the bands add it to the amount. */
  subjectCents?: number
  /** The action that this one repeats. */
  same?: SameRow | undefined
}

/**
 * The decision card of a proposal, from its frozen payload and recipients. Invisible characters in foreign text are
 * escaped, and no text is cut. Pure.
 */
export function cardOf({ row, kind, accountName, memberName, subjectCents = 0, same }: CardSource): Card {
  const payload = row.payload as Fields
  const { title, facts, written } = kind.summary?.(payload) ?? listed(row.kind, payload)
  const weight = kind.weigh?.(payload)
  const all: [string, string][] = [
    ['Kind', row.kind],
    ...(weight ? [['Amount', amountWith(row.kind, weight, subjectCents)] as [string, string]] : []),
    ...facts,
    ...effectOf(row, kind),
    ['Decided by', `${memberName} (${row.member})`],
    ['Account', accountName],
    ['Requested by', requesterOf(row)],
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

/** The text of a card, independent of how it is displayed. Pure. */
export function cardText({ title, facts, quotes: written }: Card): string {
  return [
    title,
    '',
    ...facts.map(({ label, value }) => `${label}: ${value}`),
    ...written.flatMap(({ label, lines }) => ['', label, ...lines]),
  ].join('\n')
}

/** The hash that ties a decision to the card that was shown. Pure. */
export const cardHash = (card: Card): Buffer => sha256(cardText(card))

/** For kinds without a summary: every field of the payload, quoted as the agent's text. */
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
  const before = spentText(kind, subjectCents, currency)
  return [formatAmount(amountCents, currency), ...(before === '' ? [] : [before])].join(', ')
}

function sameAs(row: ActionRow, same: SameRow | undefined): [string, string][] {
  const id = row.duplicate_of
  if (id === null) return []
  const before = sameBefore(row, same)
  return before === undefined
    ? [['Same as', `#${id}, which was open when this was proposed`]]
    : [['Same as', `#${id}, which ${before}. Approving runs it again.`]]
}

/** The recipients of an action, or the provider that runs it. */
function effectOf(
  row: ActionRow,
  { reaches, movesMoneyAt }: Pick<ActionKind, 'reaches' | 'movesMoneyAt'>,
): [string, string][] {
  if (movesMoneyAt) return [['Runs at', providerName[movesMoneyAt]]]
  if (reaches === 'nobody') return [['Recipients', 'none']]
  const { reach_slack: slack, reach_email: email, reach_unreachable: unreachable } = row
  return [['Recipients', `${slack} in Slack, ${email} by e-mail; ${unreachable} unreachable`]]
}

/** The API key that proposed the action, by the name an administrator gave it, and the number of the action. */
function requesterOf({ requested_by: key, source, id }: ActionRow): string {
  const agent = key === null ? 'agent' : `agent "${key}"`
  return `${agent} (${sourceNames[source] ?? source}), #${id}`
}

const sourceNames: Record<string, string> = { api: 'REST', mcp: 'MCP' }
