import { formatAmount } from '../../gate/money.ts'
import type { TimelineEntry } from '../../operations/admin/action-timeline.ts'

/** What an entry says happened, in words. Every kind of entry about a row has its own. */
export function entryWords({ kind, content }: Pick<TimelineEntry, 'kind' | 'content'>): string {
  const data = content.data ?? {}
  const text = (name: string) => (typeof data[name] === 'string' ? data[name] : undefined)
  switch (kind) {
    case 'checked':
      return 'The tier of the member was read.'
    case 'proposed':
      return `Proposed, under version ${String(data['policy_version'] ?? '?')} of the policy: ${text('rule') ?? 'no rule was noted'}.`
    case 'denied':
      return `Denied: ${text('rule') ?? text('reason') ?? 'no reason was noted'}.`
    case 'consent_requested':
      return `The member was ${data['is_reminder'] ? 'reminded of' : 'asked for'} their own consent${text('via') === undefined ? '' : ` by ${text('via')}`}.`
    case 'confirmed':
      return `Confirmed, with ${text('strength') ?? 'unknown'} consent by ${text('channel') ?? 'an unknown way'}.`
    case 'decision_refused':
      return `A ${text('decision') ?? 'decision'} was refused: ${reasonWords[text('reason') ?? ''] ?? text('reason') ?? 'no reason was noted'}.`
    case 'cancelled':
      return text('reason') === undefined ? 'Cancelled.' : `Cancelled: ${text('reason')}`
    case 'expired':
      return 'Expired: nobody decided in time.'
    case 'delivered':
      return deliveredWords(data)
    case 'executed':
      return `Executed: ${text('outcome') ?? 'it is over'}.`
    case 'preview_started':
      return 'A preview was started.'
    case 'preview_stopped':
      return 'A preview was stopped.'
    case 'preview_ended':
      return `The preview ended: ${text('state') ?? 'over'}${text('error') === undefined ? '' : `, ${text('error')}`}.`
    case 'payload_erased':
      return `The payload was erased: ${text('reason') ?? 'no reason was noted'}`
    default:
      return kind
  }
}

function deliveredWords({ step, ...counts }: Record<string, unknown>): string {
  const counted = Object.entries(counts).filter(([, count]) => typeof count === 'number')
  return `Delivered${typeof step === 'string' ? ` (${step})` : ''}: ${counted.map(([state, count]) => `${String(count)} ${state}`).join(', ')}.`
}

const reasonWords: Record<string, string> = {
  not_proposer: 'only the proposer decides',
  not_open: 'it was decided already',
  expired: 'it had expired',
  digest: 'it was not what was shown',
  suspended: 'the account was suspended',
  by_link: 'a person decides it on the page of its link',
  inactive: 'whoever decided is no longer a member',
  identity: 'it had been sent to an address that is not the member’s any more',
  card: 'what was shown had changed',
  too_weak: 'the policy asks for a stronger consent by now',
  unsettled_identity: 'the e-mail or Slack identity of the member had just been changed',
  foreign_form: 'the form came from another site',
  not_signed_in_member: 'nobody was signed in who may connect a provider',
}

/** How long something took, by its largest unit. Pure. */
export function durationWords(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`
  const seconds = ms / 1_000
  if (seconds < 60) return `${oneDecimal(seconds)} s`
  if (seconds < 3_600) return `${oneDecimal(seconds / 60)} min`
  if (seconds < 86_400) return `${oneDecimal(seconds / 3_600)} h`
  return `${oneDecimal(seconds / 86_400)} days`
}

const oneDecimal = (value: number): string => String(Math.floor(value * 10) / 10)

/** An amount as people read it; a dash where there is none. Pure. */
export const amountWords = (amount: { amountCents: number; currency: string } | null): string =>
  amount === null ? '–' : formatAmount(amount.amountCents, amount.currency)
