import type { SealedSecret } from '../../../secrets/seal.ts'
import type { Db } from '../../connect.ts'
import type { CallId } from '../actions/provider-calls.ts'

/** The call of an action's executor. */
export interface ExecutorCallRow {
  step: string
  /** The same bytes at each repeat. Empty: there is no receipt yet, and nothing was sent. */
  body: string
  state: 'pending' | 'sending' | 'accepted' | 'asking' | 'ok' | 'not_done' | 'unknown'
  /** The number of the attempt, from 1. Asking for the status counts from 1 again. */
  attempts: number
  /** How many of the questions about the status, which `attempts` counts, could not be signed. */
  unsigned: number
  /** An attempt may have been done. */
  is_maybe_done: boolean
  location: string | null
  code: string | null
}

export interface BegunExecutorCall {
  /** What is to be done now: see the database function. */
  outcome: 'call' | 'poll' | 'ask' | 'early' | 'stopped' | 'over' | 'settled'
  /** Only `early` has it. */
  waitMs: number
  call: ExecutorCallRow
  /** The secrets of the kind, newest first. */
  secrets: SealedKindSecret[]
}

export type SealedKindSecret = { secretId: string } & SealedSecret

interface BegunRow extends ExecutorCallRow {
  outcome: BegunExecutorCall['outcome']
  wait_ms: number | null
  secrets: { secret_id: string; ciphertext: string; wrapped_key: string; kid: string }[] | null
}

/**
 * Commits the intent of an attempt, where one is due. The call may be made only after this.
 * @param c  `attempt`: a UUID. Where the answer was lost, the same attempt can be begun again
 */
export async function beginExecutorCall(
  db: Db,
  c: CallId & { body: string; attempt: string; callMs: number; repeatMs: number },
): Promise<BegunExecutorCall> {
  const rows = await db.run<BegunRow>(
    (sql) => sql`
      select r.outcome, r.wait_ms, r.secrets, (r.call).* from gate.begin_executor_call(
        p_account => ${c.account}, p_id => ${c.id}, p_step => ${c.step}, p_body => ${c.body},
        p_attempt => ${c.attempt}, p_call_ms => ${c.callMs}, p_repeat_ms => ${c.repeatMs}) r`,
  )
  const { outcome, wait_ms: waitMs, secrets, ...call } = rows[0]!
  return { outcome, waitMs: waitMs ?? 0, call, secrets: (secrets ?? []).map(toSealed) }
}

const toSealed = (row: NonNullable<BegunRow['secrets']>[number]): SealedKindSecret => ({
  secretId: row.secret_id,
  ciphertext: Buffer.from(row.ciphertext, 'base64'),
  wrappedKey: Buffer.from(row.wrapped_key, 'base64'),
  kid: row.kid,
})

/** What an attempt came to. */
export interface ExecutorRecord {
  state: Exclude<ExecutorCallRow['state'], 'sending'>
  isMaybeDone: boolean
  code: string | null
  location: string | null
  /** JSON text. */
  result: string | null
  /** When the next attempt is due; null of what is final. */
  againMs: number | null
  /** How many questions could not be signed so far; null: no more than before. */
  unsigned: number | null
}

/** Records the outcome of an attempt. The outcome of a later attempt is kept. It may be repeated. */
export async function recordExecutorCall(
  db: Db,
  c: CallId & { attempt: string } & ExecutorRecord,
): Promise<void> {
  await db.run(
    (sql) => sql`
      select gate.record_executor_call(
        p_account => ${c.account}, p_id => ${c.id}, p_step => ${c.step}, p_attempt => ${c.attempt},
        p_state => ${c.state}, p_is_maybe_done => ${c.isMaybeDone}, p_code => ${c.code}, p_location => ${c.location},
        p_result => ${c.result}, p_again_ms => ${c.againMs}, p_unsigned => ${c.unsigned})`,
  )
}

/** The state of a call; undefined where none was begun. */
export async function readExecutorCall(
  db: Db,
  { account, id, step }: CallId,
): Promise<Pick<ExecutorCallRow, 'state' | 'attempts'> | undefined> {
  const rows = await db.read<ExecutorCallRow>(
    (sql) => sql`
      select c.* from gate.tenant(${account}) t(id),
      lateral (
        select state, attempts from gate.executor_call
        where account_id = t.id and action_id = ${id} and step = ${step} offset 0
      ) c`,
  )
  return rows[0]
}

/** Ends a call for good, with what its executor said. One that was never begun cannot be begun afterwards. */
export async function settleExecutorCall(
  db: Db,
  { account, id, step }: CallId,
): Promise<Pick<ExecutorCallRow, 'state' | 'attempts' | 'code'> & { result: unknown }> {
  const rows = await db.run<ExecutorCallRow & { result: unknown }>(
    (sql) => sql`
      select (r.call).*, r.result
      from gate.settle_executor_call(p_account => ${account}, p_id => ${id}, p_step => ${step}) r`,
  )
  return rows[0]!
}

/** What an executor says of what it did, if it said anything that was kept and not erased. */
export async function readExecutorResult(db: Db, account: string, id: number): Promise<unknown> {
  const rows = await db.read<{ result: unknown }>(
    (sql) => sql`
      select r.result from gate.tenant(${account}) t(id),
      lateral (select result from gate.executor_result where account_id = t.id and action_id = ${id} offset 0) r`,
  )
  return rows[0]?.result
}
