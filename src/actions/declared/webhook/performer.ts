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
import type { Executor } from '../../../gate/declared-kind.ts'
import { limits } from '../../../limits.ts'
import { taskQueue } from '../../../temporal/names.ts'
import type { KindDeps } from '../../kind-deps.ts'
import { type Again, NeedsOwnTask, type Performer, type StepContext } from '../../kind.ts'
import { bodyOf } from './body.ts'
import { concludeCall } from './conclude.ts'
import { endOfRepeats, recordOf } from './record-of-attempt.ts'

export type Webhook = Extract<Executor, { type: 'webhook' }>

const step = 'call'

/**
 * Performs a declared kind by calling its executor: one signed call, repeated under the same id until its outcome is known.
 * @source docs/write-an-executor.md
 */
export function webhookPerformer({ executor }: { executor: Webhook }): Performer {
  return {
    async plan(deps, row) {
      // A first call is quick. What goes on after it is a step of its own, so that it holds up no workflow task.
      const known = await readExecutorCall(deps.db, idOf(row))
      const isQuick = known === undefined && !deps.executors.isBusy(row.account_id)
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
  context: StepContext,
): Promise<Again | void> {
  const underWay = deps.executors.underWay(callIdOf(row))
  if (underWay) await underWay
  else if (!context.isBrief && deps.executors.isBusy(row.account_id))
    return { inMs: limits.executorLookAgainMs }
  const receipt = await deps.receipts.receiptOf(row)
  const begun = await beginExecutorCall(deps.db, {
    ...idOf(row),
    body: receipt === undefined ? '' : bodyOf(row, receipt),
    callMs: limits.executorCallMs + limits.executorCloseMs,
    repeatMs: limits.executorRepeatMs,
  })
  if (begun.outcome === 'settled') return
  const againMs =
    begun.outcome === 'early'
      ? waitOf(begun)
      : await attempt(deps, { row, executor, begun, secrets: await secretsOf(deps, row, begun) }, context)
  if (againMs === null) return
  if (context.isBrief) throw new NeedsOwnTask('the call of the executor goes on')
  return { inMs: againMs }
}

/** What a call is signed with. Empty: it cannot be signed, or it has no receipt, which is worth as little. */
const secretsOf = async (
  deps: KindDeps,
  row: ActionRow,
  { call, secrets }: BegunExecutorCall,
): Promise<string[]> => (call.body === '' ? [] : deps.openKindSecrets(row.account_id, row.kind, secrets))

/** An attempt that another process makes may end at any moment. */
const waitOf = ({ waitMs, call }: BegunExecutorCall): number =>
  call.state === 'sending' ? Math.min(waitMs, limits.executorLookAgainMs) : waitMs

interface Attempt {
  row: ActionRow
  executor: Webhook
  begun: BegunExecutorCall
  secrets: string[]
}

/** Makes the attempt that was begun and records it. @returns when the next one is due; null: the call is settled */
async function attempt(deps: KindDeps, given: Attempt, context: StepContext): Promise<number | null> {
  const { row, begun } = given
  const save = async (record: ExecutorRecord): Promise<number | null> => {
    await recordExecutorCall(deps.db, { ...idOf(row), attempt: begun.call.attempts, ...record })
    return record.againMs
  }
  const call = callOf(given)
  if ('record' in call) return save(call.record)
  let againMs: number | null = null
  const work = deps.executors.call(row.account_id, call, async (outcome) => {
    againMs = await save(recordOf(begun, outcome))
  })
  if (context.isBrief) await untilBrief(work)
  else await work
  return againMs
}

/** The call that is to be made now, or what is recorded instead of one. */
function callOf({ row, executor, begun, secrets }: Attempt): ExecutorCall | { record: ExecutorRecord } {
  const { outcome, call } = begun
  const { url, status_url: statusUrl } = executor
  if (outcome === 'over' || outcome === 'stopped') {
    const code = outcome === 'stopped' ? 'account_suspended' : (call.code ?? 'not_recorded')
    return { record: endOfRepeats(code, call.is_maybe_done, statusUrl !== undefined) }
  }
  if (secrets.length === 0) {
    if (!call.is_maybe_done) return { record: endOfRepeats('not_signed', false, false) }
    return { record: recordOf(begun, { state: 'unknown', code: 'not_signed', isUnsent: true }) }
  }
  const shared = { id: callIdOf(row), secrets, origin: new URL(url).origin }
  if (outcome === 'call') return { ...shared, url, body: call.body }
  if (outcome === 'poll') return { ...shared, url: call.location! }
  if (statusUrl === undefined) return { record: endOfRepeats(call.code ?? 'not_recorded', true, false) }
  return { ...shared, url: statusUrl.replaceAll('{id}', encodeURIComponent(shared.id)) }
}

/** Waits for work for a moment; after that it goes on beside the task, and its record is found later. */
async function untilBrief(work: Promise<void>): Promise<void> {
  const timer = new AbortController()
  const isLate = sleep(limits.executorBriefMs, true, { signal: timer.signal }).catch(() => false)
  try {
    if (await Promise.race([work, isLate])) throw new NeedsOwnTask('the executor takes its time')
  } finally {
    timer.abort()
  }
}
