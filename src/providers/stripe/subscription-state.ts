import { z } from 'zod'
import type { BillingCall, BillingOutcome } from '../billing.ts'
import type { StripeSend } from './client.ts'
import { assertExpected } from './errors.ts'
import { idOf, metadata, parseAnswer, status } from './shapes.ts'

export type Cancellation = Extract<BillingCall, { type: 'cancel_subscription' }>

const standingShape = z.object({
  object: z.literal('subscription'),
  id: idOf('sub'),
  status,
  cancel_at_period_end: z.boolean(),
  metadata,
  cancellation_details: z.object({ comment: z.string().nullish() }).nullish(),
})
/** Of a subscription, what says whether it ends and who had it end. */
export type SubscriptionState = z.output<typeof standingShape>

/** How the subscription stands now. Throws what the SDK throws, and UnexpectedAnswer. */
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

/** @throws UnexpectedAnswer unless the answer is about the subscription that was asked for */
export function parseSubscriptionState(call: Cancellation, answer: unknown): SubscriptionState {
  const standing = parseAnswer(standingShape, answer)
  assertExpected(standing.id === call.subscription)
  return standing
}

/** What tells our cancellation from another's. A DELETE takes no metadata: its mark is the comment. */
export function markOf(call: Cancellation) {
  return call.atPeriodEnd
    ? { metadata: { action_id: call.reference } }
    : { cancellation_details: { comment: `Cancelled by action ${call.reference}` } }
}

/** True also after somebody took our cancellation back: it was done, and must not be done again. */
export function isOurs(standing: SubscriptionState, call: Cancellation): boolean {
  const { metadata, cancellation_details } = markOf(call)
  return metadata
    ? standing.metadata?.['action_id'] === metadata.action_id
    : hasEnded(standing) && standing.cancellation_details?.comment === cancellation_details.comment
}

/** Whether what the call asks for holds, whoever did it. */
export function isEnded(standing: SubscriptionState, { atPeriodEnd }: Cancellation): boolean {
  return hasEnded(standing) || (atPeriodEnd && standing.cancel_at_period_end)
}

export const hasEnded = ({ status }: SubscriptionState) =>
  status === 'canceled' || status === 'incomplete_expired'

export function okOutcome({ id, status }: SubscriptionState): Extract<BillingOutcome, { state: 'ok' }> {
  return { state: 'ok', id, status }
}
