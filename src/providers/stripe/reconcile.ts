import type { BillingOutcome } from '../billing.ts'
import { creationOf } from './calls.ts'
import type { StripeSend } from './client.ts'
import type { CreatingCall } from './creation.ts'
import { listShape, parseAnswer } from './shapes.ts'
import { limits } from '../../limits.ts'

/** Clocks differ: how much older an object may be at Stripe. */
const stripeClockSkewMs = 300_000
const stripeSearchPagesMax = 10

/** The outcome of a search. Finding nothing is `unknown`: the object may appear later or belong to another account. */
export type FoundCall = Exclude<BillingOutcome, { state: 'not_done' }>

/**
 * Searches Stripe's lists for the object of a call, by the reference in its metadata. Unlike Stripe's search, the lists
 * are complete. Throws what the SDK throws, and UnexpectedAnswer where the object of the reference does not match.
 */
export async function findCreation(
  send: StripeSend,
  call: CreatingCall,
  attemptedAt: Date,
  signal?: AbortSignal,
): Promise<FoundCall> {
  const creation = creationOf(call)
  const since = Math.floor((attemptedAt.getTime() - stripeClockSkewMs) / 1000)
  let after: { starting_after?: string } = {}
  for (let page = 0; page < stripeSearchPagesMax; page += 1) {
    const answer = await send(
      (stripe) => creation.list(stripe, { limit: limits.stripePageRowsMax, ...after }, since),
      signal,
    )
    const { data, has_more } = parseAnswer(listShape, answer)
    const found = data.find(({ metadata }) => metadata?.['action_id'] === call.reference)
    if (found) return creation.readAnswer(found)
    const last = data.at(-1)
    if (!has_more || !last) return { state: 'unknown', code: 'not_found_at_provider' }
    after = { starting_after: last.id }
  }
  return { state: 'unknown', code: 'too_many_to_search' }
}
