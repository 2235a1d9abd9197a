import type { ActionRow } from '../../db/queries/actions/actions.ts'
import {
  type StartedCall,
  beginCall,
  freezeCall,
  recordCall,
} from '../../db/queries/actions/provider-calls.ts'
import type { KindDeps } from '../kind-deps.ts'
import { waitUntil } from '../../providers/until-aborted.ts'
import type { BillingCall } from '../../providers/billing.ts'
import { taskQueue } from '../../temporal/names.ts'
import type { Fields, Performer } from '../kind.ts'
import { attemptCall } from './attempt.ts'
import { concludeCall } from './conclude.ts'

/** The call of a kind, without the reference by which it is found later. */
export type BillingRequest = BillingCall extends infer Call ? Omit<Call, 'reference'> : never

const step = 'call'
const provider = 'stripe'

/**
 * Performs a kind that is one call to the payment provider: stored, made under one idempotency key, its outcome recorded.
 * @param requestOf the call for a frozen payload; `publicUrl` is the base of links given to people. Pure.
 * @source docs/money.md#what-happens-when-a-call-fails
 */
export function billingPerformer<Frozen extends Fields>(
  requestOf: (frozen: Frozen, publicUrl: string) => BillingRequest,
): Performer {
  return {
    async plan(deps, row) {
      const request = { ...requestOf(row.payload as Frozen, deps.publicUrl()), reference: row.uuid }
      // From the uuid, not from a counter: a counter repeats after a restore, and a repeated key replays an old answer.
      const key = `act_${row.uuid}_${step}`
      await freezeCall(deps.db, { ...idOf(row), provider, request: JSON.stringify(request), key })
      return [{ queue: taskQueue.billing, name: step }]
    },

    async perform(deps, row, _step, { signal }) {
      for (;;) {
        const againMs = await performOnce(deps, row, signal)
        if (againMs === null) return
        await waitUntil(Date.now() + againMs, signal)
        signal.throwIfAborted()
      }
    },

    conclude: (deps, row) => concludeCall(deps, idOf(row)),
  }
}

/** One attempt. Returns the delay to the next one, or null if the call is settled. */
async function performOnce(deps: KindDeps, row: ActionRow, signal: AbortSignal): Promise<number | null> {
  const access = await deps.billing(row.account_id)
  const started: StartedCall = await beginCall(deps.db, {
    ...idOf(row),
    credential: access?.fingerprint ?? 'none',
  })
  if (started.outcome === 'settled') return null
  const { state, code, answer, againMs } = await attemptCall(access, started, signal)
  // The worker is shutting down: the next attempt finds out the outcome.
  if (state !== 'ok') signal.throwIfAborted()
  await recordCall(deps.db, { ...idOf(row), attempt: started.call.attempt, state, code, answer })
  return againMs
}

const idOf = (row: ActionRow) => ({ account: row.account_id, id: row.id, step })
