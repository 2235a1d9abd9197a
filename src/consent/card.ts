import type { ActionKind, Fields, Summary } from '../actions/kind.ts'
import type { ActionRow } from '../db/queries/actions/actions.ts'
import { canonical } from '../gate/canonical.ts'
import type { Executor } from '../gate/declared/declared-kind.ts'
import { formatAmount } from '../gate/money.ts'
import { type SubjectSums, countedCents, sinceText, spentText } from '../gate/subject.ts'
import { providerName } from '../gate/integration-provider.ts'
import { sha256 } from '../ledger/digest.ts'
import { quoteLines } from '../text/quote-lines.ts'
import { type SameRow, sameBefore } from './same-as.ts'
import { escapeInvisible } from '../text/escape-invisible.ts'
import { lookAlikeHosts } from '../text/look-alike-hosts.ts'

/** Hosts of a card that look like others, of which each is told. */
const lookAlikesTold = 5

/** The labels that the gate itself writes on decision cards. A declared kind cannot use them: its lines must not pass for these. */
export const cardLabels = {
  account: 'Account',
  amount: 'Amount',
  changed: 'Changed by the member',
  decidedBy: 'Decided by',
  digest: 'Digest',
  kind: 'Kind',
  lookAlike: 'Look-alike address',
  openUntil: 'Open until',
  outsideMandate: 'Outside mandate',
  otherFields: 'Other fields',
  proposed: 'Proposed',
  reason: 'Reason',
  recipients: 'Recipients',
  replaces: 'Replaces',
  requestedBy: 'Requested by',
  readAt: 'As of',
  runsAt: 'Runs at',
  sameAs: 'Same as',
  since: 'Since then',
} as const

/**
 * What a member sees before they decide: the same in Slack, in e-mail and on a page, in the order of these fields. What
 * they decide by comes first.
 */
export interface Card {
  /** Written by the gate. */
  title: string
  /** What the agent wrote, and text of files. Each line is quoted behind a bar, so it cannot be taken for text of the gate. */
  quotes: { label: string; lines: string[] }[]
  /** What people decide by. Labels are the gate's. */
  facts: CardFact[]
  /** What proves the decision, and other details. */
  details: CardFact[]
}

export interface CardFact {
  label: string
  value: string
}

/** An open proposal, and what its row does not contain. */
export interface CardSource {
  row: ActionRow
  kind: Pick<
    ActionKind,
    'reaches' | 'movesMoneyAt' | 'summary' | 'weigh' | 'executor' | 'declared' | 'runsAt'
  >
  accountName: string
  memberName: string
  /** Confirmed for the same subject and customer. The bands add what the last 24 hours hold to the amount. */
  spent?: SpentOnSubject
  /** The action that this one repeats. */
  same?: SameRow | undefined
  /** The action that this one answers, which its member declined. */
  replaced?: (Pick<ActionRow, 'id' | 'decline_reason'> & { difference: string[] }) | undefined
  /** Why no mandate of the member covered it when they were asked. */
  outsideMandate?: string | null | undefined
  /** What its member changed: labels, and words for the card. The text that an agent had written is in no card of it. */
  changes?: [label: string, words: string][]
}

export interface SpentOnSubject {
  /** Sums of the 24 hours before the action was proposed, which the provider's facts of that time rest on too. */
  before: SubjectSums
  /** After it was proposed. */
  since: SubjectSums
}

/**
 * The decision card of a proposal, from its frozen payload and recipients. Invisible characters in foreign text are
 * escaped, and no text is cut. Pure.
 */
export function cardOf(source: CardSource): Card {
  const { row, kind } = source
  const payload = row.payload as Fields
  const {
    title,
    facts,
    written,
    files = [],
    others,
    details = [],
  } = kind.summary?.(payload, row) ?? listed(row.kind, payload)
  const quotes = [
    ...written,
    ...optional(cardLabels.otherFields, others),
    ...optional(cardLabels.reason, row.rationale),
  ]
  const { changes = [] } = source
  const changed = new Map(changes)
  return {
    title: escapeInvisible(title),
    quotes: [
      ...optional('What you asked for', source.replaced?.decline_reason).map((quote) =>
        quoteOf(quote, ', written by the member'),
      ),
      ...quotes.map((quote) => quoteOf(quote, changed.has(quote[0]) ? changedBy : ', written by the agent')),
      ...files.map((file) => quoteOf(file, '')),
    ],
    facts: shown([
      ...lookAlikes([
        title,
        ...quotes.flat(),
        ...[...facts, ...details, ...provided(row)].flat(),
        row.requested_by ?? '',
      ]),
      ...amountOf(source, payload),
      ...replacedBy(source),
      ...optional(cardLabels.outsideMandate, source.outsideMandate),
      ...changes.map(([, words]): [string, string] => [cardLabels.changed, words]),
      ...facts,
      ...provided(row),
      ...changedSince(source, payload),
      ...circumstances(source),
    ]),
    details: shown([...details, ...proofOf(source)]),
  }
}

/** Hosts in texts from outside that are not what they look like, as browsers name them: what was written stands behind its bar alone. */
function lookAlikes(texts: string[]): [string, string][] {
  const found = new Map(texts.flatMap(lookAlikeHosts).map((alike) => [alike.host, alike]))
  const told = [...found.values()].slice(0, lookAlikesTold)
  const others = found.size - told.length
  return [
    ...told.map(({ ascii, like, scripts }): [string, string] => [
      cardLabels.lookAlike,
      `${ascii}${like === undefined ? '' : `, not ${like}`} (letters of ${scripts.join(' and ')})`,
    ]),
    ...(others > 0 ? [[cardLabels.lookAlike, `${others} more`] satisfies [string, string]] : []),
  ]
}

const quoteOf = ([label, text]: [string, string], by: string): Card['quotes'][number] => ({
  label: `${escapeInvisible(label)}${by} (${[...text].length} characters):`,
  lines: quoteLines(text),
})

const optional = (label: string, text: string | null | undefined): [string, string][] =>
  text ? [[label, text]] : []

/** What a proposal answers, and what it has otherwise. */
function replacedBy({ replaced }: CardSource): [string, string][] {
  if (!replaced) return []
  return [[cardLabels.replaces, [`#${replaced.id}, which was declined`, ...replaced.difference].join('; ')]]
}

const changedBy = ', changed by the member'

/** The text of a card, independent of how it is displayed. Pure. */
export function cardText({ title, facts, quotes: written, details }: Card): string {
  return [
    title,
    ...written.flatMap(({ label, lines }) => ['', label, ...lines]),
    '',
    factText(facts),
    '',
    factText(details),
  ].join('\n')
}

/** A line for each fact. Pure. */
export const factText = (facts: CardFact[]): string =>
  facts.map(({ label, value }) => `${label}: ${value}`).join('\n')

const shown = (pairs: [string, string][]): CardFact[] =>
  pairs.map(([label, value]) => ({ label: escapeInvisible(label), value: escapeInvisible(value) }))

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

function amountOf({ row, kind, spent }: CardSource, payload: Fields): [string, string][] {
  const weight = kind.weigh?.(payload)
  if (!weight) return []
  const { amountCents, currency } = weight
  const before = spent ? spentText(row.kind, spent.before, currency, 'in the 24 hours before') : ''
  return [
    [cardLabels.amount, [formatAmount(amountCents, currency), ...(before === '' ? [] : [before])].join(', ')],
  ]
}

/**
 * What the provider said when it was proposed. The label says so, because the gate did not check it, and so does the time: the
 * provider may say something else by the time of the decision.
 */
function provided({ facts, created_at: at }: ActionRow): [string, string][] {
  if (!facts || facts.length === 0) return []
  return [
    ...facts.map(([label, value]): [string, string] => [`${label} (Stripe)`, value]),
    [cardLabels.readAt, `${minuteOf(at)}, when this was proposed`],
  ]
}

/** What the gate had done for the same subject since. */
function changedSince({ row, kind, spent }: CardSource, payload: Fields): [string, string][] {
  const weight = kind.weigh?.(payload)
  const cents = spent ? countedCents(spent.since) : 0
  if (!weight || !spent || cents === 0) return []
  const { amountCents, currency } = weight
  const all = formatAmount(amountCents + cents, currency)
  return [[cardLabels.since, `${sinceText(row.kind, spent.since, currency)}; ${all} together with this`]]
}

function circumstances({ row, kind, memberName, same }: CardSource): [string, string][] {
  return [
    ...effectOf(row, kind),
    [
      cardLabels.requestedBy,
      row.source === 'console' ? `${memberName}, in the console` : requesterOf(row, memberName),
    ],
    ...sameAs(row, same),
  ]
}

function proofOf({ row, kind, accountName, memberName }: CardSource): [string, string][] {
  return [
    [cardLabels.kind, kind.declared ? `${row.kind}, version ${kind.declared.version}` : row.kind],
    [cardLabels.decidedBy, `${memberName} (${row.member})`],
    [cardLabels.account, accountName],
    [cardLabels.proposed, `#${row.id}, by ${sourceNames[row.source] ?? row.source}`],
    [cardLabels.openUntil, minuteOf(row.expires_at!)],
    [cardLabels.digest, row.digest!.slice(0, 16).replaceAll(/(.{4})(?=.)/g, '$1 ')],
  ]
}

function sameAs(row: ActionRow, same: SameRow | undefined): [string, string][] {
  const id = row.duplicate_of
  if (id === null) return []
  const before = sameBefore(row, same)
  return before === undefined
    ? [[cardLabels.sameAs, `#${id}, which was open when this was proposed`]]
    : [[cardLabels.sameAs, `#${id}, which ${before}. Approving runs it again.`]]
}

type EffectOfKind = Pick<ActionKind, 'reaches' | 'movesMoneyAt' | 'executor' | 'runsAt'>

const placeOf = (executor: Executor): string =>
  executor.type === 'webhook' ? new URL(executor.url).host : 'a service of the account that claims it'

/** The recipients of an action, or the provider or service that runs it. */
function effectOf(
  row: ActionRow,
  { reaches, movesMoneyAt, executor, runsAt }: EffectOfKind,
): [string, string][] {
  if (movesMoneyAt) return [[cardLabels.runsAt, providerName[movesMoneyAt]]]
  if (executor) return [[cardLabels.runsAt, placeOf(executor)]]
  const place = runsAt?.(row.payload as Fields)
  if (place !== undefined) return [[cardLabels.runsAt, place]]
  if (reaches === 'nobody') return [[cardLabels.recipients, 'none']]
  const { reach_slack: slack, reach_email: email, reach_unreachable: unreachable } = row
  const people = `${slack} in Slack, ${email} by e-mail; ${unreachable} unreachable`
  return [[cardLabels.recipients, row.reach_teams > 0 ? `${people}; 1 post in Microsoft Teams` : people]]
}

/**
 * Who asks and for whom: `agent "support agent" for Grace Hopper`, by the name an administrator gave the API key. A connected app chose
 * its name itself: `app of chat.example, "Chat", for …`.
 */
export const requesterOf = (row: Pick<ActionRow, 'requested_by' | 'requested_host'>, memberName: string) =>
  `${agentOf(row)}${row.requested_host ? ',' : ''} for ${memberName}`

/** Who asks, in one line. Pure. */
export function agentOf({
  requested_by: key,
  requested_host: host,
}: Pick<ActionRow, 'requested_by' | 'requested_host'>) {
  if (host) return `app of ${host}, "${key}"`
  return key === null ? 'agent' : `agent "${key}"`
}

const sourceNames: Record<string, string> = {
  api: 'REST',
  mcp: 'MCP',
  runner: 'the hook of an agent runner',
  console: 'the console',
}

/** `2026-11-22 10:30 UTC`. Pure. */
export const minuteOf = (at: Date): string => `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
