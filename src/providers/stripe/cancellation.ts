import type { BillingOutcome } from '../billing.ts'
import type { StripeSend } from './client.ts'
import { assertExpected } from './errors.ts'
import { stripeFailure } from './outcome.ts'
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

interface Attempt {
  key: string
  isRepeat: boolean
  signal?: AbortSignal | undefined
}

/**
 * Ends a subscription, at once or with its period. It looks first, and each change carries our mark in the same request,
 * so that a cancellation of ours is known again and one of another's is not claimed.
 *
 * At once is a DELETE, which Stripe does not replay: it answers the second one with 404. A mark set beforehand would be
 * there without the cancellation, and would be written over the mark of whoever had cancelled it.
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
    // Refused because it is over: by an earlier attempt that was only now done, or by another.
    const after = await readSubscriptionState(send, call, signal).catch(() => undefined)
    return (after && knownOutcome(after, call, isRepeat)) ?? { state: 'not_done', code: failure.code }
  }
}

/** After an unknown outcome: whether the subscription carries our mark. Throws what the SDK throws. */
export async function findCancellation(
  send: StripeSend,
  call: Cancellation,
  signal?: AbortSignal,
): Promise<FoundCall> {
  const standing = await readSubscriptionState(send, call, signal)
  if (isOurs(standing, call)) return okOutcome(standing)
  const code = isEnded(standing, call) ? 'canceled_by_another' : 'not_found_at_provider'
  return { state: 'unknown', code }
}

/**
 * What is known without doing anything. Ended by another, a first attempt has done nothing; a repeat cannot be sure that
 * nobody wrote over our mark.
 * @returns undefined where it has yet to be ended
 */
function knownOutcome(
  standing: SubscriptionState,
  call: Cancellation,
  isRepeat: boolean,
): BillingOutcome | undefined {
  if (isOurs(standing, call)) return okOutcome(standing)
  if (!isEnded(standing, call)) return undefined
  if (isRepeat) return { state: 'unknown', code: 'canceled_by_another' }
  const code = hasEnded(standing) ? 'already_canceled' : 'already_ending'
  return { state: 'not_done', code, isConsidered: true }
}

async function endAtOnce(send: StripeSend, call: Cancellation, signal?: AbortSignal): Promise<FoundCall> {
  const answer = await send((stripe) => stripe.subscriptions.cancel(call.subscription, markOf(call)), signal)
  const standing = parseSubscriptionState(call, answer)
  assertExpected(hasEnded(standing))
  return okOutcome(standing)
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
  const standing = parseSubscriptionState(call, answer)
  assertExpected(isEnded(standing, call))
  return okOutcome(standing)
}

/** Looking changed nothing, whatever became of it. */
function lookFailure(error: unknown): BillingOutcome {
  const { code, ...failure } = stripeFailure(error)
  if (failure.state === 'unknown') return { state: 'not_done', code, retryAfterMs: lookAgainMs }
  const { retryAfterMs } = failure
  return { state: 'not_done', code, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) }
}

const lookAgainMs = 5_000
