import type { VerificationRow, ActionEntry } from '../db/queries/ledger/verification-rows.ts'
import type { Json } from '../gate/canonical.ts'
import { type ParsedEntry, parseEntry } from './checker.ts'

/** The columns of an action that its entries record. An absent column is not recorded. */
export type RecordedColumns = { [C in RecordedColumn]?: VerificationRow[C] }

/** The names of these columns in findings. */
export const columnNames = {
  kind: 'kind',
  kind_version: 'kind version',
  member_id: 'member',
  member: "member's label",
  tier_at_request: 'tier',
  source: 'source',
  recipients: 'recipients',
  created_at: 'time of creation',
  requires_confirmation: 'confirmation requirement',
  reach_slack: 'Slack recipient count',
  reach_email: 'e-mail recipient count',
  reach_unreachable: 'unreachable member count',
  reach_teams: 'count of posts in Teams',
  digest: 'digest',
  expires_at: 'expiry',
  duplicate_of: 'duplicate reference',
  replaces: 'reference to what it answers',
  proposed_key: 'API key of the proposal',
  requested_host: 'host of the app that proposed',
  denial_reason: 'denial reason',
  denial_code: 'denial code',
  denial_needs: 'needs of its denial',
  consent_required: 'required consent',
  approval_rule: 'rule of approvals',
  consented_at: 'time of the consent',
  approvals_given: 'number of approvals',
  decision: 'decision',
  decided_at: 'time of the decision',
  decided_key: 'API key of the decision',
  consent_strength: 'consent strength',
  consent_by: 'name of the consenting person',
  consent_channel: 'consent channel',
  consent_tier: 'tier of the consent',
  consent_policy_version: 'policy version of the consent',
  card: 'card',
  mandate_id: 'mandate',
  consent_passkey: 'evidence of the passkey',
  closed_reason: 'closed reason',
  result: 'result',
  executed_at: 'time of execution',
} as const satisfies Partial<Record<keyof VerificationRow, string>>
export type RecordedColumn = keyof typeof columnNames

/** Milliseconds of a UTC time that is written without a zone. */
export const msOf = (time: string): number => Date.parse(`${time.replace(' ', 'T')}Z`)

/** A parsed entry about an action, with its time. */
export interface TimedEntry extends ParsedEntry {
  at: string
  /** The author, as in RowEntry. */
  by: string | null
  data: { [key: string]: Json }
}

export const timed = (entries: ActionEntry[]): TimedEntry[] =>
  entries.map(({ at, entry, by }) => {
    const { data, ...parsed } = parseEntry(entry) ?? {}
    return { ...parsed, at, by, data: (data ?? {}) as TimedEntry['data'] }
  })

/**
 * The columns of an action as rebuilt from its entries. Pure.
 * @param entries  the entries that change the action, oldest first
 * @param member  the member's label in the row
 */
export function recordedColumns(entries: TimedEntry[], member: string): RecordedColumns {
  const told: RecordedColumns = {}
  // The consent of the member, where others must approve too.
  let own: TimedEntry | undefined
  for (const entry of entries) {
    if (entry.kind === 'approved' && entry.data['by'] === 'member') own = entry
    Object.assign(told, columnsAfter(entry, { before: told, member, own }))
  }
  return told
}

function columnsAfter(
  entry: TimedEntry,
  { before, member, own }: { before: RecordedColumns; member: string; own: TimedEntry | undefined },
): RecordedColumns {
  const { at, data } = entry
  switch (entry.kind) {
    case 'checked':
    case 'proposed':
    case 'preview_started':
    case 'preview_stopped':
    case 'tool_called':
      return initialColumns(entry)
    case 'denied':
      return before.created_at === undefined ? initialColumns(entry) : denied(entry, before)
    case 'edited':
      return {
        ...reachOf(data),
        digest: text(data['digest']),
        duplicate_of: (data['duplicate_of'] as number | undefined) ?? null,
        consented_at: null,
      }
    case 'approved':
      return {
        approvals_given: data['given'] as number,
        ...(data['by'] === 'member' ? { consented_at: at } : {}),
      }
    case 'confirmed':
      return {
        decision: 'confirm',
        decided_at: at,
        consent_strength: text(data['strength']),
        consent_by: consenting(entry, member),
        mandate_id: (data['mandate'] as number | undefined) ?? null,
        consent_channel: text(data['channel']),
        card: text(data['card']),
        consent_passkey: (data['approvals'] === undefined ? data : own?.data)?.['passkey'] ?? null,
        approvals_given: (data['approvals'] as number | undefined) ?? before.approvals_given ?? null,
        decided_key: text(entry.key),
        consent_tier: text(data['tier']),
        consent_policy_version: (data['policy_version'] as number | undefined) ?? null,
      }
    case 'cancelled':
      return before.decision === 'confirm' ? refused(entry) : cancelled(entry, member)
    case 'expired':
      return { decision: 'expire', decided_at: at, closed_reason: 'expired' }
    case 'executed':
      return { result: data, executed_at: at }
    case 'tool_answered':
      return { result: data }
    case 'tool_not_called':
      return { ...refused(entry), executed_at: null }
    default:
      return {}
  }
}

/** Who consented: a mandate of the member, an administrator, or the member. */
function consenting({ actor, by, data }: TimedEntry, member: string): string {
  if (data['mandate'] !== undefined) return 'mandate'
  return isAdmin(actor) ? (by ?? 'an administrator') : member
}

/** The columns after the first entry. Columns of later events are null. */
function initialColumns(entry: TimedEntry): RecordedColumns {
  const { at, kind, actor, data } = entry
  const isMadeExecuted = kind !== 'proposed' && kind !== 'denied'
  return {
    decision: null,
    decided_at: null,
    consent_strength: null,
    consent_by: null,
    consent_channel: null,
    consent_tier: null,
    consent_policy_version: null,
    card: null,
    mandate_id: null,
    consent_passkey: null,
    closed_reason: null,
    decided_key: null,
    result: null,
    executed_at: null,
    kind: kind === 'checked' ? 'capability_check' : String(data['kind']),
    kind_version: (data['kind_version'] as number | undefined) ?? null,
    // An administrator's action on a member's preview names that member in its data.
    member_id: String(isAdmin(actor) ? data['member'] : actor),
    tier_at_request: String(data['tier']),
    source: String(data['source']),
    ...reachOf(data),
    created_at: at,
    requires_confirmation: kind === 'proposed',
    ...(isMadeExecuted ? { executed_at: at, result: resultOf(entry) } : {}),
    denial_reason: text(data['reason']),
    ...denialColumns(entry),
    consent_required: text(data['consent_required']),
    approval_rule: (data['approvals'] ?? null) as VerificationRow['approval_rule'],
    consented_at: null,
    approvals_given: null,
    digest: text(data['digest']),
    expires_at: text(data['expires_at']),
    duplicate_of: (data['duplicate_of'] as number | undefined) ?? null,
    replaces: (data['replaces'] as number | undefined) ?? null,
    proposed_key: text(entry.key),
    requested_host: text(data['requested_host']),
  }
}

function reachOf(data: TimedEntry['data']): RecordedColumns {
  const [slack, email, unreachable, teams = 0] = (data['reach'] ?? [0, 0, 0]) as number[]
  return {
    recipients: text(data['recipients']),
    reach_slack: slack!,
    reach_email: email!,
    reach_unreachable: unreachable!,
    reach_teams: teams,
  }
}

const denialColumns = ({ data }: TimedEntry): RecordedColumns => ({
  denial_code: text(data['denial_code']),
  denial_needs: (data['denial_needs'] ?? null) as VerificationRow['denial_needs'],
})

/** The result, if the entry that created the action also executed it. */
function resultOf({ kind, data }: TimedEntry): VerificationRow['result'] {
  if (kind !== 'checked') return (data['result'] ?? null) as VerificationRow['result']
  const { tier = null, tier_source = null, certified = null } = data
  return { tier, tier_source, certified }
}

function denied(entry: TimedEntry, before: RecordedColumns): RecordedColumns {
  return {
    decision: 'deny',
    // The time of an earlier confirm stays.
    decided_at: before.decided_at ?? entry.at,
    denial_reason: text(entry.data['reason']),
    ...denialColumns(entry),
    consent_strength: null,
    consent_by: null,
    consent_channel: null,
    consent_passkey: null,
    consent_tier: null,
    consent_policy_version: null,
  }
}

function cancelled(entry: TimedEntry, member: string): RecordedColumns {
  const { at, data, actor } = entry
  const closed = { decided_at: at, closed_reason: text(data['closed_reason']) }
  // A member's own decline was `proposer`, too, before it had a name of its own.
  const isApprovers = data['closed_reason'] === 'approver_declined'
  const isMembers = isApprovers || ['proposer', 'member_declined'].includes(String(data['closed_reason']))
  if (!isMembers) return { ...closed, decision: 'admin_cancel' }
  return {
    ...closed,
    decision: 'cancel',
    consent_strength: text(data['strength']),
    consent_by: isApprovers ? text(actor) : member,
    consent_channel: text(data['source']),
    card: text(data['card']),
    consent_passkey: data['passkey'] ?? null,
    decided_key: text(entry.key),
  }
}

/** The provider refused and did nothing. */
function refused({ data: { closed_reason, ...result } }: TimedEntry): RecordedColumns {
  return { closed_reason: text(closed_reason), result }
}

const isAdmin = (actor: unknown): boolean => typeof actor === 'string' && /^admin(:|$)/.test(actor)
const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)
