import type { ActionKind, Fields } from '../actions/kind.ts'
import type { ActionRow } from '../db/queries/actions/actions.ts'
import { escapeInvisible } from '../text/escape-invisible.ts'

export type DoneRow = Pick<ActionRow, 'kind' | 'payload' | 'result' | 'facts'>
export type DoneKinds = Map<string, Pick<ActionKind, 'outcome'>>

/** What an executed action did, in one or two sentences: `Refunded 10.00 EUR of payment pi_1.` Pure. */
export function doneSentence(kinds: DoneKinds, row: DoneRow): string {
  const { result } = row
  const done = doneWords(kinds, row)
  const outcome = String(result?.['outcome'])
  if (outcome === 'done') return done === undefined ? 'It was executed.' : `${done}.`
  if (outcome === 'partial' && done !== undefined) return `${done}. Some recipients were not reached.`
  return outcomes[outcome] ?? 'It was executed.'
}

/**
 * What was done, without a full stop; undefined where the kind has no words for it, or the payload was erased. Pure.
 */
export function doneWords(kinds: DoneKinds, { kind, payload, result, facts }: DoneRow): string | undefined {
  const isErased = Object.keys(payload).length === 0
  if (isErased || result === null || !['done', 'partial'].includes(String(result['outcome'])))
    return undefined
  const done = kinds.get(kind)?.outcome?.(payload as Fields, result, facts ?? [])
  // A provider wrote some of the facts.
  return done && escapeInvisible(done)
}

const outcomes: Partial<Record<string, string>> = {
  partial: 'It was executed in part: some recipients were not reached.',
  refused: 'It reached nobody.',
  unknown: 'Its outcome is unknown. Check at the provider.',
}
