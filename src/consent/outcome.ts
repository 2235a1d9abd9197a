import type { ActionKind, Fields } from '../actions/kind.ts'
import type { ActionRow } from '../db/queries/actions/actions.ts'
import { claimWords, notDoneWords, type RunningCall, runningWords } from '../gate/result-words.ts'
import { escapeInvisible } from '../text/escape-invisible.ts'

export type DoneRow = Pick<ActionRow, 'kind' | 'payload' | 'result' | 'facts'>
/** The kind of an action, by the version that it was proposed with; undefined: this program does not know it. */
export type DoneKind = Pick<ActionKind, 'outcome'> | undefined

/** The outcome of an action: `Approved in the console by Ada, 2026-11-22 14:05 UTC. Message sent to 7 people.` Pure. */
export function closingLine(
  kind: DoneKind,
  row: ClosedRow,
  memberName: string,
  call?: RunningCall | null,
): string {
  const at = row.decided_at ? `, ${row.decided_at.toISOString().slice(0, 16).replace('T', ' ')} UTC` : ''
  if (row.status === 'denied') return `Denied${at}: ${row.denial_reason?.replace(/\.$/, '')}.`
  const through = channelWords[row.consent_channel ?? '']
  const by = through === undefined ? 'by the agent' : `${through} by ${escapeInvisible(memberName)}`
  if (row.decision === 'confirm')
    return `Approved ${row.former ? 'with changes ' : ''}${by}${at}. ${afterApproval(kind, row, call)}`
  const closed =
    row.closed_reason === 'proposer' && through !== undefined ? 'member_declined' : row.closed_reason
  const how: Partial<Record<string, string>> = {
    admin: 'Cancelled by an administrator',
    expired: 'Expired',
    member_declined: `Declined ${by}`,
    approver_declined: 'Declined by an approver',
    proposer: 'Cancelled by the agent',
  }
  return `${how[closed ?? ''] ?? 'Closed'}${at}. Nothing was executed.`
}

export type ClosedRow = DoneRow &
  Pick<
    ActionRow,
    'status' | 'decision' | 'decided_at' | 'closed_reason' | 'denial_reason' | 'consent_channel' | 'former'
  >

/** How a member decided, by the channel of the decision. */
export const channelWords: Partial<Record<string, string>> = {
  slack: 'in Slack',
  teams: 'in Teams',
  email: 'with the link in the e-mail',
  console: 'in the console',
}

function afterApproval(kind: DoneKind, row: ClosedRow, call?: RunningCall | null): string {
  if (row.status === 'proposed') return runningWords(call)
  if (row.status === 'executed') return doneSentence(kind, row)
  return `${notDoneWords(row.kind, row.result ?? {})}.`
}

/** What an executed action did, in one or two sentences: `Refunded 10.00 EUR of payment pi_1.` Pure. */
export function doneSentence(kind: DoneKind, row: DoneRow): string {
  const { result } = row
  const done = doneWords(kind, row)
  const outcome = String(result?.['outcome'])
  if (outcome === 'done') return done === undefined ? 'It was executed.' : `${done}.`
  const claimed = claimWords(result ?? {})
  if (claimed !== undefined) return `${claimed}.`
  if (outcome === 'partial' && done !== undefined) return `${done}. Some recipients were not reached.`
  return outcomes[outcome] ?? 'It was executed.'
}

/**
 * What was done, without a full stop; undefined where the kind has no words for it, or the payload was erased. Pure.
 */
export function doneWords(kind: DoneKind, { payload, result, facts }: DoneRow): string | undefined {
  if (isErased({ payload }) || result === null || !['done', 'partial'].includes(String(result['outcome'])))
    return undefined
  // Its executor says only that a part may be done.
  if (result['reported'] === 'failed') return undefined
  const done = kind?.outcome?.(payload as Fields, result, facts ?? [])
  // A provider wrote some of the facts.
  return done && escapeInvisible(done)
}

/** Whether the payload of an action that people decide about is no longer stored. Pure. */
export const isErased = ({ payload }: Pick<ActionRow, 'payload'>): boolean =>
  Object.keys(payload).length === 0

const outcomes: Partial<Record<string, string>> = {
  partial: 'It was executed in part: some recipients were not reached.',
  refused: 'It reached nobody.',
  unknown: 'Its outcome is unknown. Check at the provider.',
}
