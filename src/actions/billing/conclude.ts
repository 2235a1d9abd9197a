import { type CallToMake, type ProviderCallRow, settleCall } from '../../db/queries/actions/provider-calls.ts'
import type { KindDeps } from '../kind-deps.ts'
import type { Json } from '../../gate/canonical.ts'
import { sandboxFingerprint } from '../../providers/billing.ts'
import type { Conclusion } from '../kind.ts'

// The provider accepted the call and reports that it failed.
const failedStatuses = ['failed', 'canceled']

/**
 * The final status of an action that was one call. Refused, with nothing done: `cancelled`, so that it is clear that no
 * money moved. If money may have moved: `executed` with outcome `unknown`.
 * @source docs/money.md#read-the-outcome
 */
export async function concludeCall(deps: KindDeps, made: CallToMake): Promise<Conclusion> {
  const call = await settleCall(deps.db, made)
  const shared = {
    provider: made.provider,
    ...(call?.credential === sandboxFingerprint ? { sandbox: true } : {}),
  }
  if (!call || call.state === 'unknown')
    return executed('unknown', { ...shared, code: call?.code ?? 'not_recorded' })
  if (call.state === 'not_done') return refused({ ...shared, code: call.code!, ...wordsOf(call) })
  const answer = answerOf(call)
  const isMovingMoney = ['refund', 'payout'].includes(String(call.request['type']))
  if (isMovingMoney && failedStatuses.includes(answer.status))
    return refused({ ...shared, code: `${String(call.request['type'])}_${answer.status}`, ...answer })
  return executed('done', { ...shared, ...answer })
}

/** What the provider said about its refusal. */
const wordsOf = ({ answer }: ProviderCallRow): Record<string, Json> =>
  typeof answer?.['says'] === 'string' ? { provider_message: answer['says'] } : {}

function answerOf({ answer }: ProviderCallRow) {
  const { id, status, amountCents, currency, url } = answer as Record<string, string | number | undefined>
  return {
    provider_id: String(id),
    status: String(status),
    ...(amountCents === undefined ? {} : { amount_cents: amountCents }),
    ...(currency === undefined ? {} : { currency }),
    ...(url === undefined ? {} : { url }),
  }
}

const executed = (outcome: 'done' | 'unknown', fields: Record<string, Json>): Conclusion => ({
  status: 'executed',
  closedReason: null,
  result: { outcome, ...fields },
})
const refused = (fields: Record<string, Json>): Conclusion => ({
  status: 'cancelled',
  closedReason: 'refused',
  result: { outcome: 'refused', ...fields },
})
