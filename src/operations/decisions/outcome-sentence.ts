import type { ActionRow } from '../../db/queries/actions/actions.ts'
import { type DoneKind, type DoneRow, doneSentence } from '../../consent/outcome.ts'
import { notDoneWords, type RunningCall, runningWords } from '../../gate/result-words.ts'
import { stateOf } from './member-refusal.ts'

export type { DoneKind }

export type DecidedRow = DoneRow & Pick<ActionRow, 'status' | 'decision' | 'closed_reason' | 'denial_reason'>

/** Tells a member the outcome of their own decision, or how far its call is. Pure. */
export function outcomeSentence(kind: DoneKind, row: DecidedRow, call?: RunningCall | null): string {
  if (row.status === 'executed') return `You approved this. ${doneSentence(kind, row)}`
  if (row.status === 'proposed') return `You approved this. ${runningWords(call)}`
  if (row.closed_reason === 'approver_declined') return 'An approver declined this. Nothing was executed.'
  if (row.closed_reason === 'member_declined') return 'You declined this. Nothing was executed.'
  if (row.closed_reason === 'refused')
    return `You approved this. ${notDoneWords(row.kind, row.result ?? {})}.`
  return stateOf(row)
}
