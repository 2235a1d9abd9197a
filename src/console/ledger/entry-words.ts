import { formatAmount } from '../../gate/money.ts'
import type { TimelineEntry } from '../../operations/admin/action-timeline.ts'

/** An entry in words. Every kind of entry about an action has its own sentence. */
export function entryWords({ kind, content }: Pick<TimelineEntry, 'kind' | 'content'>): string {
  const data = content.data ?? {}
  const text = (name: string) => (typeof data[name] === 'string' ? data[name] : undefined)
  switch (kind) {
    case 'checked':
      return 'Capability checked.'
    case 'proposed':
      return `Proposed under policy version ${String(data['policy_version'] ?? '?')}: ${text('rule') ?? 'rule not recorded'}.`
    case 'denied':
      return `Denied: ${text('rule') ?? text('reason') ?? 'reason not recorded'}.`
    case 'consent_requested':
      return `${data['is_reminder'] ? 'Consent reminder' : 'Consent request'} sent to the member${text('via') === undefined ? '' : ` (${text('via')})`}.`
    case 'confirmed':
      return `Confirmed with ${text('strength') ?? 'unknown'} consent (channel: ${text('channel') ?? 'unknown'}).`
    case 'decision_refused':
      return `Refused to ${text('decision') ?? 'decide'}: ${reasonWords[text('reason') ?? ''] ?? text('reason') ?? 'reason not recorded'}.`
    case 'cancelled':
      return text('reason') === undefined ? 'Cancelled.' : `Cancelled: ${text('reason')}`
    case 'expired':
      return 'Expired without a decision.'
    case 'delivered':
      return deliveredWords(data)
    case 'executed':
      return `Executed. Outcome: ${text('outcome') ?? 'not recorded'}.`
    case 'preview_started':
      return 'Preview started.'
    case 'preview_stopped':
      return 'Preview stopped.'
    case 'preview_ended':
      return `Preview ended: ${text('state') ?? 'state not recorded'}${text('error') === undefined ? '' : `, ${text('error')}`}.`
    case 'payload_erased':
      return `Payload erased: ${text('reason') ?? 'reason not recorded'}`
    default:
      return kind
  }
}

function deliveredWords({ step, ...counts }: Record<string, unknown>): string {
  const counted = Object.entries(counts).filter(([, count]) => typeof count === 'number')
  return `Delivered${typeof step === 'string' ? ` (${step})` : ''}: ${counted.map(([state, count]) => `${String(count)} ${state}`).join(', ')}.`
}

const reasonWords: Record<string, string> = {
  not_proposer: 'only the member the proposal was made for can decide',
  not_open: 'the proposal was already decided',
  expired: 'the proposal had expired',
  digest: 'the digest did not match the proposal',
  suspended: 'the account was suspended',
  by_link: 'this must be decided on the page of its link',
  inactive: 'the member was deactivated',
  identity: 'the consent request was sent to a former address of the member',
  card: 'the card had changed since it was shown',
  too_weak: 'the policy requires stronger consent',
  unsettled_identity: 'the member’s e-mail or Slack identity was changed recently',
  foreign_form: 'the form was sent from another site',
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
