import type { ActionRow } from '../../db/queries/actions/actions.ts'
import { type DoneKind, type DoneRow, doneSentence } from '../../consent/outcome.ts'
import { notDoneWords } from '../../gate/result-words.ts'
import { stateOf } from './member-refusal.ts'

export type { DoneKind }

export type DecidedRow = DoneRow & Pick<ActionRow, 'status' | 'decision' | 'closed_reason' | 'denial_reason'>

/** Tells a member the outcome of their own decision. Pure. */
export function outcomeSentence(kind: DoneKind, row: DecidedRow): string {
  if (row.status === 'executed') return `You approved this. ${doneSentence(kind, row)}`
  if (row.status === 'proposed') return 'You approved this. It is running.'
  if (row.closed_reason === 'member_declined') return 'You declined this. Nothing was executed.'
  if (row.closed_reason === 'refused')
    return `You approved this. ${notDoneWords(row.kind, row.result ?? {})}.`
  return stateOf(row)
}
