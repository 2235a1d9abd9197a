import { z } from 'zod'
import type { BillingCall, BillingOutcome } from '../billing.ts'
import type { StripeSend } from './client.ts'
import { assertExpected } from './errors.ts'
import { idOf, metadata, parseAnswer, status } from './shapes.ts'

export type Cancellation = Extract<BillingCall, { type: 'cancel_subscription' }>

const stateShape = z.object({
  object: z.literal('subscription'),
  id: idOf('sub'),
  status,
  cancel_at_period_end: z.boolean(),
  metadata,
  cancellation_details: z.object({ comment: z.string().nullish() }).nullish(),
})
/** The part of a subscription that shows whether it ends and who cancelled it. */
export type SubscriptionState = z.output<typeof stateShape>

/** Reads the current state. Throws what the SDK throws, and UnexpectedAnswer. */
export async function readSubscriptionState(
  send: StripeSend,
  call: Cancellation,
  signal?: AbortSignal,
): Promise<SubscriptionState> {
  return parseSubscriptionState(
    call,
    await send((stripe) => stripe.subscriptions.retrieve(call.subscription), signal),
  )
}

/** @throws UnexpectedAnswer unless the answer is about the requested subscription */
export function parseSubscriptionState(call: Cancellation, answer: unknown): SubscriptionState {
  const state = parseAnswer(stateShape, answer)
  assertExpected(state.id === call.subscription)
  return state
}

/** The mark of our cancellation. A DELETE takes no metadata, so its mark is the comment. */
export function markOf(call: Cancellation) {
  return call.atPeriodEnd
    ? { metadata: { action_id: call.reference } }
    : { cancellation_details: { comment: `Cancelled by action ${call.reference}` } }
}

/** Also true after somebody reverted our cancellation: it was executed and must not be repeated. */
export function isOurs(state: SubscriptionState, call: Cancellation): boolean {
  const { metadata, cancellation_details } = markOf(call)
  return metadata
    ? state.metadata?.['action_id'] === metadata.action_id
    : hasEnded(state) && state.cancellation_details?.comment === cancellation_details.comment
}

/** Whether the requested state is reached, by anyone. */
export function isEnded(state: SubscriptionState, { atPeriodEnd }: Cancellation): boolean {
  return hasEnded(state) || (atPeriodEnd && state.cancel_at_period_end)
}

export const hasEnded = ({ status }: SubscriptionState) =>
  status === 'canceled' || status === 'incomplete_expired'

export function okOutcome({ id, status }: SubscriptionState): Extract<BillingOutcome, { state: 'ok' }> {
  return { state: 'ok', id, status }
}
