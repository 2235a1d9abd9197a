import { type BegunCall, type ProviderCallRow } from '../../db/queries/provider-calls.ts'
import { limits } from '../../limits.ts'
import { type BillingAccess, type BillingCall, type BillingOutcome } from '../../providers/billing.ts'

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
  { call, wasSending }: BegunCall,
  signal: AbortSignal,
): Promise<Tried> {
  const request = call.request as unknown as BillingCall
  if (!access) return wasSending ? unknown('not_connected') : notDone('not_connected')
  const { provider } = access
  const isLast = call.attempt >= limits.billingTriesMax
  if (!wasSending) {
    return after(await provider.perform(request, call.key, { isRepeat: false, signal }))
  }
  const keyAgeMs = Date.now() - call.first_attempted_at!.getTime()
  const isKeyKnown = access.fingerprint === call.credential && keyAgeMs < limits.billingKeyAgeMsMax
  if (isKeyKnown) {
    const outcome = await provider.perform(request, call.key, { isRepeat: true, signal })
    // A refusal of the repeat by its credential, or by a limit, says nothing about the try before it.
    if (outcome.state === 'ok' || (outcome.state === 'not_done' && outcome.isConsidered))
      return after(outcome)
    if (!isLast) return repeat(outcome)
  }
  const found = await provider.reconcile(request, call.first_attempted_at!, signal)
  // That nothing was found proves nothing: it may be of another account, or show later.
  return found.state === 'ok' ? after(found) : unknown(found.code)

  function after(outcome: BillingOutcome): Tried {
    if (outcome.state === 'ok') {
      const { state: _, ...answer } = outcome
      return { state: 'ok', code: null, answer, againMs: null }
    }
    if (outcome.state === 'unknown') return isLast ? unknown(outcome.code) : repeat(outcome)
    if (outcome.retryAfterMs === undefined || isLast) return notDone(outcome.code)
    return { state: 'pending', code: outcome.code, answer: null, againMs: askedMs(outcome) }
  }

  function repeat(outcome: Exclude<BillingOutcome, { state: 'ok' }>): Tried {
    const backoffMs = Math.min(access!.againMs * 2 ** (call.attempt - 1), limits.billingAgainMsMax)
    const againMs = Math.max(askedMs(outcome), backoffMs)
    return { state: 'sending', code: outcome.code, answer: null, againMs }
  }
}

const askedMs = (outcome: BillingOutcome) =>
  outcome.state === 'not_done' ? Math.min(outcome.retryAfterMs ?? 0, limits.billingRetryAfterMsMax) : 0
const notDone = (code: string): Tried => ({ state: 'not_done', code, answer: null, againMs: null })
const unknown = (code: string): Tried => ({ state: 'unknown', code, answer: null, againMs: null })
