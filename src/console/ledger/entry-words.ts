import type { EntryKind } from '../../gate/lifecycle.ts'
import { formatAmount } from '../../gate/money.ts'
import { type Tone, resultTone, resultWords } from '../../gate/result-words.ts'
import { type Names, idOf } from '../../operations/names-of-ids.ts'
import type { RefusalReason } from '../../operations/clearance/refusal.ts'
import { accountWords } from './account-entry-words.ts'
import { companyWords } from './company-entry-words.ts'
import { runnerWords } from './runner-entry-words.ts'
import { withoutStop } from './without-stop.ts'
import { upstreamKind } from '../../gate/declared/upstream-call.ts'

export type EntryData = Record<string, unknown>

/** What the words of an entry are made of. */
export interface WordedEntry {
  kind: string
  content: { data?: EntryData }
}

/** What else the words may use. */
export interface WordsContext {
  /** Names of the ids in the entry. */
  names: Names
  /** The kind of the action that the entry is about. */
  actionKind: string | undefined
}

/**
 * An entry in words, without a full stop. Every kind of entry has its own sentence. It may hold names and an agent's text:
 * escape it.
 */
export function entryWords({ kind, content }: WordedEntry, context: WordsContext): string {
  const words: Words | undefined = Object.hasOwn(wordsOf, kind) ? wordsOf[kind as EntryKind] : undefined
  return words?.(fieldsOf(content.data ?? {}, context)) ?? kind
}

/** Whether an entry is good or bad news; undefined for most. */
export function entryTone({ kind, content }: WordedEntry): Tone | undefined {
  if (kind === 'executed' || kind === 'tool_answered' || kind === 'tool_not_called')
    return resultTone(content.data ?? {})
  if (kind === 'denied' || kind === 'decision_refused' || kind === 'write_refused') return 'bad'
  if (kind === 'cancelled') return content.data?.['outcome'] === 'refused' ? 'bad' : 'warn'
  if (kind === 'outcome_reported') return reportTone[String(content.data?.['outcome'])]
  if (kind === 'tool_reported') return content.data?.['outcome'] === 'failed' ? 'warn' : 'good'
  return kind === 'expired' ? 'warn' : undefined
}

const reportTone: Record<string, Tone> = { done: 'good', refused: 'bad', failed: 'warn', unknown: 'warn' }

/** The fields of an entry, as its words read them. */
export interface EntryFields extends WordsContext {
  data: EntryData
  /** A field that is text. */
  text(name: string): string | undefined
  /** A field with an id, by its current name. */
  named(name: string): string
}

export type Words = (fields: EntryFields) => string

function fieldsOf(data: EntryData, context: WordsContext): EntryFields {
  const text = (name: string) => (typeof data[name] === 'string' ? data[name] : undefined)
  return {
    ...context,
    data,
    text,
    named: (name) => {
      const id = text(name)
      return id === undefined ? 'not recorded' : (context.names.get(idOf(id)) ?? id)
    },
  }
}

type UpstreamEntryKind = Extract<EntryKind, 'tool_called' | 'tool_answered' | 'tool_not_called'>

/** The words of entries about calls of tools of MCP servers that were passed on without consent. */
const upstreamWords: Record<UpstreamEntryKind, Words> = {
  tool_called: ({ text }) => `Passed on: ${withoutStop(text('rule') ?? 'rule not recorded')}`,
  tool_answered: ({ data }) => resultWords(upstreamKind, data),
  tool_not_called: ({ data }) => resultWords(upstreamKind, data),
}

const wordsOf: Record<EntryKind, Words> = {
  ...accountWords,
  ...companyWords,
  checked: ({ text }) => `Capability checked: tier ${text('tier') ?? 'not recorded'}`,
  proposed: ({ data, text }) =>
    `Proposed under policy version ${String(data['policy_version'] ?? '?')}: ${withoutStop(text('rule') ?? 'rule not recorded')}`,
  denied: ({ text }) => `Denied: ${withoutStop(text('rule') ?? text('reason') ?? 'reason not recorded')}`,
  consent_requested: ({ data, text, named }) => {
    const via = text('via')
    return `${data['is_reminder'] ? 'Consent reminder' : 'Consent request'} sent to ${data['approver'] === undefined ? 'the member' : named('approver')}${via === undefined ? '' : ` ${viaWords[via] ?? `(${via})`}`}`
  },
  approved: ({ data, text, named }) =>
    `${data['by'] === 'member' ? 'Consent of its member' : data['for'] === undefined ? 'Approved' : `Approved for ${named('for')}`} with ${text('strength') ?? 'unknown'} strength ${viaWords[text('channel') ?? ''] ?? '(channel not recorded)'}: ${String(data['given'] ?? '?')} of ${String(data['needed'] ?? '?')} approvals`,
  glass_broken: ({ data, text }) =>
    `Executed alone with passkey strength ${viaWords[text('channel') ?? ''] ?? '(channel not recorded)'}, with ${String(data['given'] ?? '?')} of ${String(data['needed'] ?? '?')} approvals`,
  glass_reviewed: ({ data }) =>
    `Execution without approvals reviewed: ${data['is_justified'] === true ? 'justified' : 'not justified'}`,
  consent_message_frozen: () => 'Consent request bound to one workspace of a chat',
  edited: ({ data }) => `Changed by the member: ${changedFields(data)}`,
  confirmed: ({ text, data }) =>
    `Confirmed ${data['mandate'] === undefined ? '' : `by mandate ${String(data['mandate'])}, `}with ${text('strength') ?? 'unknown'} consent ${viaWords[text('channel') ?? ''] ?? '(channel not recorded)'}`,
  decision_refused: ({ text }) =>
    `Refused to ${text('decision') ?? 'decide'}: ${wordsOfReason(text('reason'))}`,
  cancelled: ({ data, text, actionKind }) => {
    if (data['outcome'] === 'refused') return resultWords(actionKind ?? '', data)
    const by = closers[text('closed_reason') ?? '']
    const reason = text('reason')
    return `Cancelled${by === undefined ? '' : ` by ${by}`}${reason === undefined ? '' : `: ${withoutStop(reason)}`}`
  },
  expired: () => 'Expired without a decision',
  action_claimed: ({ text }) =>
    `Claimed to be executed${text('lease_expires_at') === undefined ? '' : `, until ${minuteOf(text('lease_expires_at')!)}`}`,
  outcome_reported: ({ text }) => `Outcome reported: ${text('outcome') ?? 'not recorded'}`,
  delivered: ({ data }) => deliveredWords(data),
  executed: ({ data, actionKind }) => `Executed: ${resultWords(actionKind ?? '', data)}`,
  preview_started: () => 'Preview started',
  preview_stopped: () => 'Preview stopped',
  preview_ended: ({ text }) =>
    `Preview ended: ${[text('state') ?? 'state not recorded', text('error')].filter(Boolean).join(', ')}`,
  ...runnerWords,
  ...upstreamWords,
  payload_erased: ({ text }) => `Payload erased: ${withoutStop(text('reason') ?? 'reason not recorded')}`,
}

const changedFields = ({ changes }: EntryData): string =>
  Array.isArray(changes) ? changes.map(({ field }) => String(field)).join(', ') : 'fields not recorded'

const minuteOf = (iso: string): string => `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`

const viaWords: Record<string, string> = {
  runner: 'by the hook of an agent runner',
  api: 'through their agent (REST)',
  mcp: 'through their agent (MCP)',
  slack: 'in Slack',
  teams: 'in Teams',
  email: 'by e-mail',
  console: 'in the console',
}

const closers: Record<string, string> = {
  admin: 'an administrator',
  proposer: 'the agent',
  member_declined: 'the member',
  approver_declined: 'an approver',
}

/** `Slack: 4 delivered, 1 failed`. A step names its channel and its part of the recipients: `slack:0-1`. */
function deliveredWords({ step, ...counts }: EntryData): string {
  const channel = channelNames[String(step).split(':')[0]!] ?? 'Delivery'
  const counted = Object.entries(counts).filter(([, count]) => typeof count === 'number')
  const words = counted.map(([state, count]) => `${String(count)} ${state === 'ok' ? 'delivered' : state}`)
  return words.length === 0 ? `${channel}: recorded` : `${channel}: ${words.join(', ')}`
}

const channelNames: Record<string, string> = { slack: 'Slack', email: 'E-mail' }

const wordsOfReason = (reason: string | undefined): string =>
  reason !== undefined && Object.hasOwn(reasonWords, reason)
    ? reasonWords[reason as RefusalReason]
    : (reason ?? 'reason not recorded')

const reasonWords: Record<RefusalReason, string> = {
  not_proposer: 'only the member the proposal was made for can decide',
  not_open: 'the proposal was already decided',
  expired: 'the proposal had expired',
  digest: 'the digest did not match the proposal',
  suspended: 'the account was suspended',
  by_link: 'this must be decided on the page of its link',
  no_power: 'the API key lacked the power to do so',
  other_kind: 'the API key was limited to other kinds of action',
  inactive: 'the member was deactivated',
  identity: 'the consent request was sent to a former address of the member',
  card: 'the card had changed since it was shown',
  question: 'the answer of a client was to another question, or came too late',
  edit: 'the policy does not allow it with the member’s changes',
  too_weak: 'the policy requires stronger consent',
  unsettled_identity: 'an identity of the member was changed recently',
  not_approver: 'they cannot approve it',
  not_consented: 'its member had not consented to it as it is',
  too_early: 'nobody could approve it yet',
  no_reason: 'the approval had no reason',
  others_needed: 'others must approve it after what was confirmed meanwhile',
  passkey_unknown: 'the passkey was not one of the member’s',
  passkey_invalid: 'what the passkey signed was not this decision',
  passkey_used: 'what the passkey signed was sent before, or too late',
  passkey_counter: 'the counter of the passkey went back',
  passkey_not_accepted: 'the policy did not accept this passkey, or not yet',
  foreign_form: 'the form was sent from another site',
  no_button: 'the press named no button that is known',
  other_workspace: 'the button was pressed in another workspace',
  not_personal: 'the button was pressed where others can read',
  several_buttons: 'the press named several buttons',
  not_exact: 'what the chat sent can be read in two ways',
  other_claim: 'it came with the claim of another action',
  lease_ended: 'the lease of the claim had ended',
  other_report: 'another outcome or result was already reported',
  not_signed_in_member: 'no user who can connect a provider was signed in',
}

/** A duration in its largest unit. Pure. */
export function durationWords(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  const seconds = ms / 1_000
  if (seconds < 60) return `${oneDecimal(seconds)} s`
  if (seconds < 3_600) return `${oneDecimal(seconds / 60)} min`
  if (seconds < 86_400) return `${oneDecimal(seconds / 3_600)} h`
  return `${oneDecimal(seconds / 86_400)} days`
}

const oneDecimal = (value: number): string => String(Math.floor(value * 10) / 10)

/** An amount for people; a dash without an amount. Pure. */
export const amountWords = (amount: { amountCents: number; currency: string } | null): string =>
  amount === null ? '–' : formatAmount(amount.amountCents, amount.currency)
