import type { ActionRow } from '../../db/queries/actions/actions.ts'
import { stateOf } from './member-refusal.ts'

export type DecidedRow = Pick<
  ActionRow,
  'status' | 'decision' | 'closed_reason' | 'denial_reason' | 'result' | 'kind'
>

/** What became of a row by the member's own decision, for them. Pure. */
export function outcomeSentence(row: DecidedRow): string {
  if (row.status === 'executed')
    return `You approved this. ${outcomes[String(row.result?.['outcome'])] ?? 'It was carried out.'}`
  if (row.status === 'proposed') return 'You approved this. It is being carried out.'
  if (row.closed_reason === 'proposer') return 'You declined this. Nothing was done.'
  if (row.closed_reason === 'refused')
    return 'You approved this, and the provider refused it. Nothing was done.'
  return stateOf(row)
}

const outcomes: Partial<Record<string, string>> = {
  done: 'It was carried out.',
  partial: 'It was carried out in part: not everybody was reached.',
  refused: 'It reached nobody.',
  unknown: 'It was sent on its way, and it is not known whether it was done: look at the provider.',
}
