import type { BegunCall, ProviderCallRow } from '../../db/queries/actions/provider-calls.ts'
import { limits } from '../../limits.ts'
import type { BillingAccess, BillingCall, BillingOutcome } from '../../providers/billing.ts'

/** What a try came to, as it is recorded; `againMs` until the next one, null where there is none. */
export interface Tried extends Pick<ProviderCallRow, 'state' | 'code' | 'answer'> {
  againMs: number | null
}

/**
 * Makes a frozen call once, or finds out what an earlier try did. A try whose fate is unknown is repeated under its key
 * alone, as long as the provider is sure to know that key; after that it is only looked for.
 */
export async function attemptCall(
  access: BillingAccess | undefined,
  { call, wasSending, isSuspended }: Omit<BegunCall, 'outcome'>,
  signal: AbortSignal,
): Promise<Tried> {
  const request = call.request as unknown as BillingCall
  const isLast = call.attempt >= limits.billingTriesMax
  if (!access) return wasSending ? unknown('not_connected') : notDone('not_connected')
  const { provider } = access
  if (!wasSending) {
    const isOurs = request.credential === undefined || request.credential === access.fingerprint
    if (!isOurs) return notDone('credential_changed')
    return after(await provider.perform(request, call.key, { isRepeat: false, signal }))
  }
  const keyAgeMs = Date.now() - call.first_attempted_at!.getTime()
  const isKeyKnown = access.fingerprint === call.credential && keyAgeMs < limits.billingKeyAgeMsMax
  if (isKeyKnown && !isSuspended) {
    const outcome = await provider.perform(request, call.key, { isRepeat: true, signal })
    // A refusal of the repeat by its credential, or by a limit, says nothing about the try before it.
    if (outcome.state === 'ok' || (outcome.state === 'not_done' && outcome.isConsidered))
      return after(outcome)
    if (!isLast) return again('sending', outcome)
  }
  const found = await provider.reconcile(request, call.first_attempted_at!, signal)
  if (found.state === 'ok') return after(found)
  // That nothing was found proves nothing: it may be of another account, or show later.
  const isAnswered = lookedThrough.has(found.code) || call.attempt >= limits.billingLooksMax
  return isAnswered ? unknown(found.code) : again('sending', found)

  function after(outcome: BillingOutcome): Tried {
    if (outcome.state === 'ok') {
      const { state: _, ...answer } = outcome
      return { state: 'ok', code: null, answer, againMs: null }
    }
    if (outcome.state === 'unknown') return again('sending', outcome)
    if (outcome.retryAfterMs === undefined || isLast) return notDone(outcome.code)
    return again('pending', outcome)
  }

  function again(state: 'sending' | 'pending', outcome: Exclude<BillingOutcome, { state: 'ok' }>): Tried {
    const asked = outcome.state === 'not_done' ? (outcome.retryAfterMs ?? 0) : 0
    const backoffMs = access!.retryDelayMs * Math.min(2 ** (call.attempt - 1), limits.billingBackoffMax)
    const againMs = Math.max(Math.min(asked, limits.billingRetryAfterMsMax), backoffMs)
    return { state, code: outcome.code, answer: null, againMs }
  }
}

/** What a look at the provider can end with; any other code is of a look that failed. */
const lookedThrough = new Set([
  'not_found_at_provider',
  'canceled_by_another',
  'too_many_to_search',
  'unexpected_answer',
])

const notDone = (code: string): Tried => ({ state: 'not_done', code, answer: null, againMs: null })
const unknown = (code: string): Tried => ({ state: 'unknown', code, answer: null, againMs: null })
