import { runnerMandateKind, runnerKind } from '../../gate/runner-calls/tool-call.ts'
import { customerLabel, quoted } from '../../actions/billing/facts.ts'
import type { ActionKind, Fields, ProviderFact } from '../../actions/kind.ts'
import { type IntegrationProvider, providerName } from '../../gate/integration-provider.ts'
import { upstreamKind } from '../../gate/declared/upstream-call.ts'
import { formatAmount, isCurrency } from '../../gate/money.ts'
import { toolCallLine } from './tool-call-line.ts'

interface WeighedRow {
  kind: string
  payload: Record<string, unknown>
  kind_version?: number | null
  amount_cents?: number | null
  amount_currency?: string | null
}

/**
 * The money that an action moves; null where it moves none, or its payload no longer says. Pure.
 * @param kind  of the action; undefined: this program does not know it
 */
export function amountOf(
  kind: Pick<ActionKind, 'weigh'> | undefined,
  { payload, ...declared }: Omit<WeighedRow, 'kind'>,
): { amountCents: number; currency: string } | null {
  // The database has read the amount of a declared kind, by the document that the action was proposed with.
  if ((declared.kind_version ?? null) !== null) {
    const { amount_cents: amountCents = null, amount_currency: currency = null } = declared
    return amountCents !== null && currency !== null ? { amountCents, currency } : null
  }
  const weighed = kind?.weigh?.(payload as Fields) as { amountCents: unknown; currency: unknown } | undefined
  if (!weighed) return null
  const { amountCents, currency } = weighed
  // An action that was denied before its provider was asked has no amount, and neither has an erased payload.
  return typeof amountCents === 'number' && typeof currency === 'string' && isCurrency(currency)
    ? { amountCents, currency }
    : null
}

/** What a line about an action is made of. */
interface LineRow extends WeighedRow {
  result: Record<string, unknown> | null
  reach_slack: number
  reach_email: number
  reach_teams: number
  /** Only a tool call has it, as JSON; null also where it is not read. */
  input?: string | null
  /** What the provider said; null also where it is not read. */
  facts?: ProviderFact[] | null
}

/** The kind of an action, by the version that it was proposed with; undefined: this program does not know it. */
type LineKind = Pick<ActionKind, 'weigh' | 'summary' | 'subject' | 'customer' | 'declared'> | undefined

/**
 * What an action does, and to whom, in one line: `Message to 7 people: Lunch is at noon`, `Refund 10.00 EUR of 90.00 EUR to “Ada”: pi_123`.
 * It may hold an agent's text: escape it. Pure.
 */
export function actionLine(kind: LineKind, row: LineRow): string {
  const message = messageOf(row)
  if (message !== undefined) return `Message to ${peopleOf(row)}: ${beginningOf(message)}`
  if (row.kind === 'capability_check' && row.result) return `Tier ${String(row.result['tier'])}`
  if (row.kind === runnerKind) {
    const { line, subject } = toolCallLine(row.payload, row.input ?? null)
    return subject === undefined ? line : `${line}: ${beginningOf(subject)}`
  }
  if (row.kind === runnerMandateKind) return mandateLine(row.payload)
  const subject = kind?.subject?.(row.payload as Fields)
  // A subject that stands in no field is a name of the gate's own.
  const isInField = kind?.declared || Object.values(row.payload).includes(subject)
  const named = isInField ? nameOf(subject) : undefined
  const title = titleOf(kind, row)
  if (named === undefined) return title
  // An administrator's title is a sentence of its own: "Delete a customer of cus_41" would be another one.
  return `${title}${kind?.declared || / (of|to) /.test(title) ? ': ' : ' of '}${named}`
}

/** An id or an address as it is; other text of the agent in quotation marks, and bounded. */
const nameOf = (subject: string | undefined): string | undefined =>
  subject === undefined || /^[\w.@+:/-]{1,64}$/.test(subject) ? subject : quoted(subject, beginningCharsMax)

const beginningCharsMax = 80

/** `Allow in advance: npm test, npx tsc`. An erased payload has no commands. */
function mandateLine({ commands }: Record<string, unknown>): string {
  const named = Array.isArray(commands) ? `: ${beginningOf(commands.join(', '))}` : ''
  return `Allow in advance${named}`
}

function titleOf(kind: LineKind, row: LineRow): string {
  const { provider, operation, conversation_id: conversation, upstream, tool } = row.payload
  const amount = amountOf(kind, row)
  if (kind?.declared) {
    const { title } = kind.declared.document
    return amount ? `${title} (${formatAmount(amount.amountCents, amount.currency)})` : title
  }
  if (amount && kind)
    return kind.summary!(row.payload as Fields, { input: null, facts: factsOf(kind, row) }).title
  if (typeof provider === 'string') return `Connect ${nameOfProvider(provider)}`
  if (row.kind === 'preview')
    return `${operation === 'stop' ? 'Stop' : 'Start'} a preview of ${String(conversation)}`
  if (row.kind === upstreamKind && typeof tool === 'string') return `Call ${tool} of ${String(upstream)}`
  const name = row.kind.replaceAll('_', ' ')
  return name.charAt(0).toUpperCase() + name.slice(1)
}

/** Where the provider's words are not read, a customer is their id. */
function factsOf(kind: LineKind, { facts, payload }: LineRow): ProviderFact[] {
  const customer = kind?.customer?.(payload as Fields)
  return facts ?? (customer === undefined ? [] : [[customerLabel, customer]])
}

const nameOfProvider = (provider: string): string =>
  Object.hasOwn(providerName, provider) ? providerName[provider as IntegrationProvider] : provider

function peopleOf({ reach_slack: slack, reach_email: email, reach_teams: teams }: LineRow): string {
  const people = slack + email
  return `${people} ${people === 1 ? 'person' : 'people'}${teams > 0 ? ' and Microsoft Teams' : ''}`
}

/** What people call a kind of action: the title of a version of a declared one. Pure. */
export const kindTitle = (kind: Pick<ActionKind, 'declared'> | undefined, name: string): string =>
  kind?.declared?.document.title ?? name.replaceAll('_', ' ')

/** The headline of an action: what it does, and to whom. Of a message its first line, in quotation marks. Pure. */
export function actionHeadline(kind: LineKind, row: LineRow): string {
  const beginning = quoted(messageOf(row)?.trim().split('\n')[0], beginningCharsMax)
  return beginning === undefined ? actionLine(kind, row) : `Message to ${peopleOf(row)}: ${beginning}`
}

/** What a broadcast sends. A declared kind may have a field of that name, which nobody is sent. */
function messageOf({ kind, payload: { message } }: LineRow): string | undefined {
  return kind === 'broadcast' && typeof message === 'string' ? message : undefined
}

function beginningOf(text: string): string {
  const characters = Array.from(text.slice(0, 400))
  const isCut = text.length > 400 || characters.length > beginningCharsMax
  return isCut ? `${characters.slice(0, beginningCharsMax).join('')}…` : text
}
