import { setTimeout as sleep } from 'node:timers/promises'
import type { ActionRow } from '../../../db/queries/actions/actions.ts'
import {
  type BegunExecutorCall,
  type ExecutorRecord,
  beginExecutorCall,
  readExecutorCall,
  recordExecutorCall,
  settleExecutorCall,
} from '../../../db/queries/executors/executor-calls.ts'
import type { ExecutorCall } from '../../../executors/call-executor.ts'
import type { NextAttempt } from '../../../executors/executors.ts'
import type { Executor } from '../../../gate/declared/declared-kind.ts'
import { limits } from '../../../limits.ts'
import { untilAborted } from '../../../providers/until-aborted.ts'
import { taskQueue } from '../../../temporal/names.ts'
import type { KindDeps } from '../../kind-deps.ts'
import type { Again, Performer, StepContext } from '../../kind.ts'
import { bodyOf } from './body.ts'
import { concludeCall } from './conclude.ts'
import { endOfRepeats, recordOf } from './record-of-attempt.ts'

type Webhook = Extract<Executor, { type: 'webhook' }>

const step = 'call'

/**
 * Performs a declared kind by calling its executor: one signed call, repeated under the same id until its outcome is known.
 * @source docs/write-an-executor.md
 */
export function webhookPerformer(executor: Webhook): Performer {
  return {
    async plan(deps, row) {
      // A first call is quick. What goes on after it is a step of its own, so that it holds up no workflow task.
      const isQuick = (await readExecutorCall(deps.db, idOf(row))) === undefined
      return [{ queue: taskQueue.executors, name: step, isQuick }]
    },

    perform: (deps, row, _step, context) => performCall(deps, row, executor, context),

    conclude: async (deps, row) => concludeCall(row, await settleExecutorCall(deps.db, idOf(row))),
  }
}

const idOf = (row: ActionRow) => ({ account: row.account_id, id: row.id, step })

/** The id of a call, the same at each repeat. From the uuid: a number is used again after a restore. */
const callIdOf = (row: ActionRow): string => `${row.uuid}.${step}`

async function performCall(
  deps: KindDeps,
  row: ActionRow,
  executor: Webhook,
  { isBrief, signal }: StepContext,
): Promise<Again | void> {
  const work = deps.executors.once(row.account_id, callIdOf(row), () => attemptWhenDue(deps, row, executor))
  // The account has as many calls under way as it may, or the task has no time left: the record is found later.
  if (!work || (isBrief && !(await isBriefly(work)))) return { inMs: limits.executorLookAgainMs }
  // A worker that stops waits no longer. The work goes on for a moment, and another worker finds how far it came.
  const inMs = await untilAborted(work, signal)
  return inMs === null ? undefined : { inMs }
}

/** Waits for work for a moment. */
async function isBriefly(work: Promise<unknown>): Promise<boolean> {
  const timer = new AbortController()
  const late = sleep(limits.executorBriefMs, false, { signal: timer.signal }).catch(() => true)
  try {
    return await Promise.race([work.then(() => true), late])
  } finally {
    timer.abort()
  }
}

/** Makes the attempt that is due, from its intent to its record. */
async function attemptWhenDue(deps: KindDeps, row: ActionRow, executor: Webhook): Promise<NextAttempt> {
  const receipt = await deps.receipts.receiptOf(row)
  const begun = await beginExecutorCall(deps.db, {
    ...idOf(row),
    body: receipt === undefined ? '' : bodyOf(row, receipt),
    callMs: limits.executorCallMs + limits.executorCloseMs,
    repeatMs: limits.executorRepeatMs,
  })
  if (begun.outcome === 'settled') return null
  if (begun.outcome === 'early') return waitOf(begun)
  const call = callOf(row, executor, begun, await secretsOf(deps, row, begun))
  const record = 'record' in call ? call.record : recordOf(begun, await deps.executors.call(call))
  await recordExecutorCall(deps.db, { ...idOf(row), attempt: begun.call.attempts, ...record })
  return record.againMs
}

/** An attempt that another process makes may end at any moment. */
const waitOf = ({ waitMs, call }: BegunExecutorCall): number =>
  call.state === 'sending' ? Math.min(waitMs, limits.executorLookAgainMs) : waitMs

/** What a call is signed with. Empty: it cannot be signed, or it has no receipt, which is worth as little. */
const secretsOf = async (
  deps: KindDeps,
  row: ActionRow,
  { call, secrets }: BegunExecutorCall,
): Promise<string[]> => (call.body === '' ? [] : deps.openKindSecrets(row.account_id, row.kind, secrets))

/** The call that is to be made now, or what is recorded instead of one. */
function callOf(
  row: ActionRow,
  { url, status_url: statusUrl }: Webhook,
  { outcome, call, ...begun }: BegunExecutorCall,
  secrets: string[],
): ExecutorCall | { record: ExecutorRecord } {
  if (outcome === 'over' || outcome === 'stopped') {
    const code = outcome === 'stopped' ? 'account_suspended' : (call.code ?? 'not_recorded')
    return { record: endOfRepeats(code, call.is_maybe_done, statusUrl !== undefined) }
  }
  if (secrets.length === 0) {
    if (!call.is_maybe_done) return { record: endOfRepeats('not_signed', false, false) }
    const unsigned = { state: 'unknown', code: 'not_signed', isUnsent: true } as const
    return { record: recordOf({ outcome, call, ...begun }, unsigned) }
  }
  const shared = { id: callIdOf(row), secrets, origin: new URL(url).origin }
  if (outcome === 'call') return { ...shared, url, body: call.body }
  if (outcome === 'poll') return { ...shared, url: call.location! }
  if (statusUrl === undefined) return { record: endOfRepeats(call.code ?? 'not_recorded', true, false) }
  return { ...shared, url: statusUrl.replaceAll('{id}', encodeURIComponent(shared.id)) }
}
