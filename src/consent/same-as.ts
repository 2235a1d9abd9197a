import type { ActionRow } from '../db/queries/actions/actions.ts'

/** The action that a proposal repeats. */
export type SameRow = Pick<ActionRow, 'id' | 'decision' | 'decided_at' | 'executed_at'>

/**
 * The state of the repeated action at the time of the proposal. It does not depend on the current time or state, so the
 * card that was shown does not change. Pure.
 * @returns undefined where it was still open
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
