import type { DeliveryOutcome } from './ports.ts'

/**
 * What is known after the same slice was sent again to an idempotent channel. Pure.
 *
 * What was settled stays. A refusal of the repeat says nothing about an earlier call of unknown fate (its key may have been
 * revoked meanwhile), unless the same answer holds an `ok`: then it is the answer kept for the slice.
 * @param earlier  outcomes known so far, in the slice's order
 * @param answer  outcomes of the repeat, in the same order
 */
export function outcomeAfterRetry(earlier: DeliveryOutcome[], answer: DeliveryOutcome[]): DeliveryOutcome[] {
  const isKeptAnswer = answer.some(({ state }) => state === 'ok')
  return earlier.map((before, index) => {
    const now = answer[index] ?? before
    if (isSettled(before)) return before
    return before.state === 'unknown' && now.state === 'not_done' && !isKeptAnswer ? before : now
  })
}

/** Delivered, or certainly not and for good: nothing more to do. */
export function isSettled(outcome: DeliveryOutcome): boolean {
  return outcome.state === 'ok' || (outcome.state === 'not_done' && outcome.retryAfterMs === undefined)
}
