import { randomUUID } from 'node:crypto'
import type { ActionRow } from '../../../db/queries/actions/actions.ts'
import {
  type BegunExecutorCall,
  type ExecutorRecord,
  beginExecutorCall,
  recordExecutorCall,
} from '../../../db/queries/executors/executor-calls.ts'
import type { ExecutorCall } from '../../../executors/call-executor.ts'
import type { NextAttempt } from '../../../executors/executors.ts'
import { KeyUnreadable, GateError } from '../../../errors.ts'
import type { Executor } from '../../../gate/declared/declared-kind.ts'
import { limits } from '../../../limits.ts'
import type { KindDeps } from '../../kind-deps.ts'
import { bodyOf, isBodyOf } from './body.ts'
import { endOfRepeats, recordOf, unsignedNow } from './record-of-attempt.ts'
import { logStep } from '../../../temporal/action-log.ts'
import { setTimeout as sleep } from 'node:timers/promises'

/** For how long an attempt's intent and record are tried where the database is out of reach, and how often. */
const executorRecordMs = 30_000
const executorRecordAgainMs = 250

export type Webhook = Extract<Executor, { type: 'webhook' }>

export const step = 'call'

export const idOf = (row: ActionRow) => ({ account: row.account_id, id: row.id, step })

/** The id of a call, the same at each repeat. From the uuid: a number is used again after a restore. */
export const callIdOf = (row: ActionRow): string => `${row.uuid}.${step}`

/**
 * Makes the attempt that is due, from its intent to its record. Where the database is out of reach, both are tried for a while: an
 * intent without a record holds up the next attempt as long as a call can take.
 */
export async function attemptWhenDue(
  deps: KindDeps,
  row: ActionRow,
  executor: Webhook,
  stop: AbortSignal,
): Promise<NextAttempt> {
  const ours = { ...idOf(row), attempt: randomUUID() }
  const receipt = await receiptNow(deps, row)
  const intent = {
    ...ours,
    body: typeof receipt === 'string' ? bodyOf(row, receipt) : '',
    callMs: limits.executorCallMs + limits.executorCloseMs,
    repeatMs: limits.executorRepeatMs,
  }
  const begun = await untilReached(() => beginExecutorCall(deps.db, intent), stop)
  if (begun.outcome === 'settled') return null
  if (begun.outcome === 'early') return waitOf(begun)
  const call = callOf(row, executor, begun, await secretsOf(deps, row, begun, receipt))
  const record = 'record' in call ? call.record : recordOf(begun, await deps.executors.call(call))
  await untilReached(() => recordExecutorCall(deps.db, { ...ours, ...record }), stop)
  const { state, code, againMs } = record
  logStep(deps, row, 'attempt', { does: begun.outcome, attempt: begun.call.attempts, state, code, againMs })
  return record.againMs
}

/** Something that cannot be read now, and perhaps later: its key is out of reach. */
const unreadable = Symbol('unreadable')

/** Other failures end the attempt before it has begun: it is made again. */
const receiptNow = (deps: KindDeps, row: ActionRow): Promise<string | undefined | typeof unreadable> =>
  deps.receipts.receiptToSend(row).catch((error: unknown) => {
    if (error instanceof KeyUnreadable) return unreadable
    throw error
  })

/** An attempt that another process makes may end at any moment. */
const waitOf = ({ waitMs, call }: BegunExecutorCall): number =>
  call.state === 'sending' ? Math.min(waitMs, limits.executorLookAgainMs) : waitMs

/**
 * What a call is signed with. Empty: it can never be signed, or it has no receipt, which is worth as little.
 * @param receipt  of now: where it can be read later, a call without one can be signed later
 */
async function secretsOf(
  deps: KindDeps,
  row: ActionRow,
  { call, secrets }: BegunExecutorCall,
  receipt: Awaited<ReturnType<typeof receiptNow>>,
): Promise<string[] | typeof unreadable> {
  if (call.body === '') return receipt === unreadable ? unreadable : []
  if (secrets.length === 0) return []
  return (await deps.openKindSecrets(row.account_id, row.kind, secrets)) ?? unreadable
}

/** The call that is to be made now, or what is recorded instead of one. */
function callOf(
  row: ActionRow,
  { url, status_url: statusUrl }: Webhook,
  begun: BegunExecutorCall,
  secrets: string[] | typeof unreadable,
): ExecutorCall | { record: ExecutorRecord } {
  const { outcome, call } = begun
  if (outcome === 'over' || outcome === 'stopped') {
    const code = outcome === 'stopped' ? 'account_suspended' : (call.code ?? 'not_recorded')
    return { record: endOfRepeats(code, call.is_maybe_done, statusUrl !== undefined) }
  }
  if (secrets === unreadable) return { record: unsignedNow(begun) }
  if (secrets.length === 0) {
    if (!call.is_maybe_done) return { record: endOfRepeats('not_signed', false, false) }
    return { record: recordOf(begun, { state: 'unknown', code: 'not_signed', isUnsent: true }) }
  }
  if (outcome === 'call' && !isBodyOf(row, call.body))
    return { record: endOfRepeats('payload_changed', call.is_maybe_done, statusUrl !== undefined) }
  const shared = { account: row.account_id, id: callIdOf(row), secrets, origin: new URL(url).origin }
  if (outcome === 'call') return { ...shared, url, body: call.body }
  if (outcome === 'poll') return { ...shared, url: call.location! }
  if (statusUrl === undefined) return { record: endOfRepeats(call.code ?? 'not_recorded', true, false) }
  return { ...shared, url: statusUrl.replaceAll('{id}', encodeURIComponent(shared.id)) }
}

/**
 * Runs a statement that may be repeated, again while the database is out of reach, for a while.
 * @param stop  fires where the process ends: then it is not repeated
 * @throws what the statement throws at last
 */
async function untilReached<T>(statement: () => Promise<T>, stop: AbortSignal): Promise<T> {
  const until = performance.now() + executorRecordMs
  for (;;) {
    try {
      return await statement()
    } catch (error) {
      const isOutOfReach = error instanceof GateError && error.code === 'unavailable'
      if (!isOutOfReach || stop.aborted || performance.now() > until) throw error
    }
    await sleep(executorRecordAgainMs, undefined, { signal: stop }).catch(() => undefined)
  }
}
