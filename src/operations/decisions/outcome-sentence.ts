import type { ActionRow } from '../../db/queries/actions/actions.ts'
import { stateOf } from './member-refusal.ts'

export type DecidedRow = Pick<
  ActionRow,
  'status' | 'decision' | 'closed_reason' | 'denial_reason' | 'result' | 'kind'
>

/** Tells a member the outcome of their own decision. Pure. */
export function outcomeSentence(row: DecidedRow): string {
  if (row.status === 'executed')
    return `You approved this. ${outcomes[String(row.result?.['outcome'])] ?? 'It was executed.'}`
  if (row.status === 'proposed') return 'You approved this. It is being executed.'
  if (row.closed_reason === 'proposer') return 'You declined this. Nothing was executed.'
  if (row.closed_reason === 'refused')
    return 'You approved this, but the provider refused it. Nothing was executed.'
  return stateOf(row)
}

const outcomes: Partial<Record<string, string>> = {
  done: 'It was executed.',
  partial: 'It was executed in part: some recipients were not reached.',
  refused: 'It reached nobody.',
  unknown: 'Its outcome is unknown. Check at the provider.',
}
