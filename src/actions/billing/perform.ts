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
import { type Json, canonical } from '../../gate/canonical.ts'
import { attemptCall } from './attempt.ts'
import { concludeCall } from './conclude.ts'
import { logStep } from '../../temporal/action-log.ts'

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
  const requestFor = (deps: KindDeps, row: ActionRow) => ({
    ...requestOf(row.payload as Frozen, deps.publicUrl()),
    reference: row.uuid,
  })
  return {
    async plan(deps, row) {
      const request = requestFor(deps, row)
      await freezeCall(deps.db, { ...callOf(row), request: JSON.stringify(request) })
      return [{ queue: taskQueue.billing, name: step }]
    },

    async perform(deps, row, _step, { signal }) {
      for (;;) {
        const againMs = await performOnce(deps, row, requestFor(deps, row), signal)
        if (againMs === null) return
        await waitUntil(Date.now() + againMs, signal)
        signal.throwIfAborted()
      }
    },

    conclude: (deps, row) => concludeCall(deps, callOf(row)),
  }
}

/**
 * One attempt, unless the stored request is not the one that the action has: somebody put it there, and nothing is called. Returns the
 * delay to the next one, or null if the call is settled.
 */
async function performOnce(
  deps: KindDeps,
  row: ActionRow,
  request: object,
  signal: AbortSignal,
): Promise<number | null> {
  const access = await deps.billing(row.account_id)
  const started: StartedCall = await beginCall(deps.db, {
    ...idOf(row),
    credential: access?.fingerprint ?? 'none',
  })
  if (started.outcome === 'settled') return null
  const isOurs =
    started.call.key === keyOf(row) && contentOf(started.call.request, row) === contentOf(request, row)
  const { state, code, answer, againMs } = isOurs
    ? await attemptCall(access, started, signal)
    : ({ state: started.wasSending ? 'unknown' : 'not_done', code: 'payload_changed', ...nothing } as const)
  // The worker is shutting down: the next attempt finds out the outcome.
  if (state !== 'ok') signal.throwIfAborted()
  const { attempt } = started.call
  await recordCall(deps.db, { ...idOf(row), attempt, state, code, answer })
  logStep(deps, row, 'attempt', { provider, attempt, state, code, againMs })
  return againMs
}

const nothing = { answer: null, againMs: null }

// From the uuid, not from a counter: a counter repeats after a restore, and a repeated key replays an old answer.
const keyOf = (row: ActionRow): string => `act_${row.uuid}_${step}`

/** A request as far as the payload decides it: where it names no page to return to, that is the gate's address at that time. */
function contentOf(request: object, { payload }: ActionRow): string {
  const { successUrl: _, cancelUrl: __, ...content } = request as Record<string, Json>
  return canonical(payload['return_url'] === undefined ? content : (request as Record<string, Json>))
}

const idOf = (row: ActionRow) => ({ account: row.account_id, id: row.id, step })

const callOf = (row: ActionRow) => ({ ...idOf(row), provider, key: keyOf(row) })
