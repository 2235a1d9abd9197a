import type { StartedCall, ProviderCallRow } from '../../db/queries/actions/provider-calls.ts'
import { limits } from '../../limits.ts'
import type { BillingAccess, BillingCall, BillingOutcome } from '../../providers/billing.ts'

/** Attempts after which it is no longer searched for either. */
const billingSearchesMax = 25
const billingRetryAfterMsMax = 120_000

/** The recorded result of an attempt; `againMs` is the delay to the next one, null if there is none. */
export interface AttemptResult extends Pick<ProviderCallRow, 'state' | 'code' | 'answer'> {
  againMs: number | null
}

/**
 * Makes a stored call once, or finds out what an earlier attempt did. An attempt with an unknown outcome is repeated under
 * the same key while the provider still remembers that key; after that the provider is only searched for it.
 */
export async function attemptCall(
  access: BillingAccess | undefined,
  { call, wasSending, isSuspended }: Omit<StartedCall, 'outcome'>,
  signal: AbortSignal,
): Promise<AttemptResult> {
  const request = call.request as unknown as BillingCall
  const isLast = call.attempt >= limits.billingTriesMax
  if (!access) return wasSending ? unknown('not_connected') : notDone('not_connected')
  const { provider } = access
  if (!wasSending) {
    if (isSuspended) return notDone('account_suspended')
    const isOurs = request.credential === undefined || request.credential === access.fingerprint
    if (!isOurs) return notDone('credential_changed')
    return after(await provider.perform(request, call.key, { isRepeat: false, signal }))
  }
  const keyAgeMs = Date.now() - call.first_attempted_at!.getTime()
  const isKeyKnown = access.fingerprint === call.credential && keyAgeMs < limits.billingKeyAgeMsMax
  if (isKeyKnown && !isSuspended) {
    const outcome = await provider.perform(request, call.key, { isRepeat: true, signal })
    // A repeat refused for its credential or a rate limit says nothing about the earlier attempt.
    if (outcome.state === 'ok' || (outcome.state === 'not_done' && outcome.isConsidered))
      return after(outcome)
    if (!isLast) return again('sending', outcome)
  }
  const found = await provider.reconcile(request, call.first_attempted_at!, signal)
  if (found.state === 'ok') return after(found)
  // An empty search proves nothing: the call may belong to another account, or appear later.
  const isAnswered = completedSearches.has(found.code) || call.attempt >= billingSearchesMax
  return isAnswered ? unknown(found.code) : again('sending', found)

  function after(outcome: BillingOutcome): AttemptResult {
    if (outcome.state === 'ok') {
      const { state: _, ...answer } = outcome
      return { state: 'ok', code: null, answer, againMs: null }
    }
    if (outcome.state === 'unknown') return again('sending', outcome)
    if (outcome.retryAfterMs === undefined || isLast) return notDone(outcome.code, outcome.says)
    return again('pending', outcome)
  }

  function again(
    state: 'sending' | 'pending',
    outcome: Exclude<BillingOutcome, { state: 'ok' }>,
  ): AttemptResult {
    const asked = outcome.state === 'not_done' ? (outcome.retryAfterMs ?? 0) : 0
    const backoffMs = access!.retryDelayMs * Math.min(2 ** (call.attempt - 1), limits.billingBackoffMax)
    const againMs = Math.max(Math.min(asked, billingRetryAfterMsMax), backoffMs)
    return { state, code: outcome.code, answer: null, againMs }
  }
}

/** The results of a completed search at the provider; any other code means that the search failed. */
const completedSearches = new Set([
  'not_found_at_provider',
  'canceled_by_another',
  'too_many_to_search',
  'unexpected_answer',
])

const notDone = (code: string, says?: string): AttemptResult => ({
  state: 'not_done',
  code,
  answer: says === undefined ? null : { says },
  againMs: null,
})
const unknown = (code: string): AttemptResult => ({ state: 'unknown', code, answer: null, againMs: null })
