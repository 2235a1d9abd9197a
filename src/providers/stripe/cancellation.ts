import type { BillingOutcome } from '../billing.ts'
import type { StripeSend } from './client.ts'
import { assertExpected } from './errors.ts'
import { type StripeFailure, stripeFailure } from './outcome.ts'
import type { FoundCall } from './reconcile.ts'
import {
  type Cancellation,
  okOutcome,
  isEnded,
  isOurs,
  hasEnded,
  readSubscriptionState,
  markOf,
  type SubscriptionState,
  parseSubscriptionState,
} from './subscription-state.ts'
import { limits } from '../../limits.ts'

interface Attempt {
  key: string
  isRepeat: boolean
  signal?: AbortSignal | undefined
}

/**
 * Cancels a subscription, immediately or at the end of its period. It reads the subscription first, and each change
 * carries our mark in the same request: so our own cancellation is recognized and a foreign one is not claimed.
 *
 * An immediate cancellation is a DELETE, which Stripe does not replay: it answers the second one with 404. A mark set
 * in a separate request could exist without the cancellation, and could overwrite the mark of another one.
 * @source stripe/stripe-go#1887: a cancelled subscription is `resource_missing` to a further cancellation
 */
export async function cancelSubscription(
  send: StripeSend,
  call: Cancellation,
  attempt: Attempt,
): Promise<BillingOutcome> {
  const { isRepeat, signal } = attempt
  let before: SubscriptionState
  try {
    before = await readSubscriptionState(send, call, signal)
  } catch (error) {
    return lookFailure(error)
  }
  const known = knownOutcome(before, call, isRepeat)
  if (known) return known
  if (call.atPeriodEnd) return endWithPeriod(send, call, attempt)
  try {
    return await endAtOnce(send, call, signal)
  } catch (error) {
    const failure = stripeFailure(error)
    if (failure.state === 'unknown' || failure.retryAfterMs !== undefined) return failure
    // Refused because it has ended: by an earlier attempt that was executed only now, or by another person.
    const after = await readSubscriptionState(send, call, signal).catch(() => undefined)
    return (after && knownOutcome(after, call, isRepeat)) ?? refusedNow(failure)
  }
}

/** After an unknown outcome: checks whether the subscription carries our mark. Throws what the SDK throws. */
export async function findCancellation(
  send: StripeSend,
  call: Cancellation,
  signal?: AbortSignal,
): Promise<FoundCall> {
  const state = await readSubscriptionState(send, call, signal)
  if (isOurs(state, call)) return okOutcome(state)
  const code = isEnded(state, call) ? 'canceled_by_another' : 'not_found_at_provider'
  return { state: 'unknown', code }
}

/**
 * The outcome that is known without a further call. If somebody else cancelled it, a first attempt has done nothing;
 * for a retry, our mark may have been overwritten.
 * @returns undefined where it must still be cancelled
 */
function knownOutcome(
  state: SubscriptionState,
  call: Cancellation,
  isRepeat: boolean,
): BillingOutcome | undefined {
  if (isOurs(state, call)) return okOutcome(state)
  if (!isEnded(state, call)) return undefined
  if (isRepeat) return { state: 'unknown', code: 'canceled_by_another' }
  const code = hasEnded(state) ? 'already_canceled' : 'already_ending'
  return { state: 'not_done', code, isConsidered: true }
}

async function endAtOnce(send: StripeSend, call: Cancellation, signal?: AbortSignal): Promise<FoundCall> {
  const answer = await send((stripe) => stripe.subscriptions.cancel(call.subscription, markOf(call)), signal)
  const state = parseSubscriptionState(call, answer)
  assertExpected(hasEnded(state))
  return okOutcome(state)
}

async function endWithPeriod(
  send: StripeSend,
  call: Cancellation,
  { key, signal }: Attempt,
): Promise<FoundCall> {
  const parameters = { cancel_at_period_end: true, ...markOf(call) }
  const answer = await send(
    (stripe) => stripe.subscriptions.update(call.subscription, parameters, { idempotencyKey: key }),
    signal,
  )
  const state = parseSubscriptionState(call, answer)
  assertExpected(isEnded(state, call))
  return okOutcome(state)
}

/** The outcome of a failed read, which certainly changed nothing. */
function lookFailure(error: unknown): BillingOutcome {
  const { code, ...failure } = stripeFailure(error)
  if (failure.state === 'unknown')
    return { state: 'not_done', code, retryAfterMs: limits.providerConnectRetryMs }
  return refusedNow({ code, ...failure })
}

/** A refusal that says nothing about an earlier attempt. */
const refusedNow = (failure: Extract<StripeFailure, { state: 'not_done' }>): BillingOutcome => {
  const { isConsidered: _considered, ...refusal } = failure
  return refusal
}
