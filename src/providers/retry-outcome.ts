import type { DeliveryOutcome } from './ports.ts'

/**
 * The outcomes after the same slice was sent again to an idempotent channel. Pure.
 *
 * Settled outcomes stay. A refusal of the retry says nothing about an earlier call with unknown outcome (its key may
 * have been revoked meanwhile), unless the same answer contains an `ok`: then it is the stored answer for the slice.
 * @param earlier  the outcomes so far, in the slice's order
 * @param answer  the outcomes of the retry, in the same order
 */
export function outcomeAfterRetry(earlier: DeliveryOutcome[], answer: DeliveryOutcome[]): DeliveryOutcome[] {
  const isKeptAnswer = answer.some(({ state }) => state === 'ok')
  return earlier.map((before, index) => {
    const now = answer[index] ?? before
    if (isSettled(before)) return before
    return before.state === 'unknown' && now.state === 'not_done' && !isKeptAnswer ? before : now
  })
}

/** Delivered, or permanently not delivered: nothing more to do. */
export function isSettled(outcome: DeliveryOutcome): boolean {
  return outcome.state === 'ok' || (outcome.state === 'not_done' && outcome.retryAfterMs === undefined)
}
