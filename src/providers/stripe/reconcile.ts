import type { BillingOutcome } from '../billing.ts'
import { creationOf } from './calls.ts'
import type { StripeSend } from './client.ts'
import type { CreatingCall } from './creation.ts'
import { listShape, parseAnswer } from './shapes.ts'

/** What was found. That nothing was is `unknown`: it may show later, or be of another account. */
export type FoundCall = Exclude<BillingOutcome, { state: 'not_done' }>

/** Clocks differ; what the first attempt made may look older to Stripe. */
const clockSkewMs = 300_000
const pageRows = 100
const pagesMax = 10

/**
 * Looks for what a call made, by the reference in its metadata, in Stripe's lists: unlike its search they hold all that
 * was done before. Throws what the SDK throws, and UnexpectedAnswer where something else was made by that reference.
 */
export async function findCreation(
  send: StripeSend,
  call: CreatingCall,
  attemptedAt: Date,
  signal?: AbortSignal,
): Promise<FoundCall> {
  const creation = creationOf(call)
  const since = Math.floor((attemptedAt.getTime() - clockSkewMs) / 1000)
  let after: { starting_after?: string } = {}
  for (let page = 0; page < pagesMax; page += 1) {
    const answer = await send((stripe) => creation.list(stripe, { limit: pageRows, ...after }, since), signal)
    const { data, has_more } = parseAnswer(listShape, answer)
    const found = data.find(({ metadata }) => metadata?.['action_id'] === call.reference)
    if (found) return creation.readAnswer(found)
    const last = data.at(-1)
    if (!has_more || !last) return { state: 'unknown', code: 'not_found_at_provider' }
    after = { starting_after: last.id }
  }
  return { state: 'unknown', code: 'too_many_to_search' }
}
