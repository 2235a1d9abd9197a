import type { ActionRow } from '../db/queries/actions/actions.ts'

/** The row that a proposal repeats. */
export type SameRow = Pick<ActionRow, 'id' | 'decision' | 'decided_at' | 'executed_at'>

/**
 * How the row that a proposal repeats stood when the proposal was made. It does not move with the clock, nor with what
 * becomes of that row: a card that was shown stays the one that is decided on. Pure.
 * @returns undefined where it was open then
 */
export function sameBefore(
  row: Pick<ActionRow, 'created_at'>,
  same: SameRow | undefined,
): string | undefined {
  const { decision, decided_at: decidedAt, executed_at: executedAt } = same ?? {}
  if (decision !== 'confirm' || !decidedAt || decidedAt > row.created_at) return undefined
  const isExecuted = executedAt && executedAt <= row.created_at
  const [what, at] = isExecuted ? ['executed', executedAt] : ['confirmed', decidedAt]
  return `was ${what} ${span(row.created_at.getTime() - at.getTime())} before this was proposed`
}

/** `2 hours`, by the largest unit that fits. Pure. */
function span(ms: number): string {
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 1) return 'less than a minute'
  const [count, unit] = minutes < 60 ? [minutes, 'minute'] : [Math.floor(minutes / 60), 'hour']
  return `${count} ${unit}${count === 1 ? '' : 's'}`
}
