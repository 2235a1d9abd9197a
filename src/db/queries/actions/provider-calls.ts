import { randomUUID } from 'node:crypto'
import type { Db } from '../../connect.ts'

/** A stored call to a payment provider. */
export interface ProviderCallRow {
  step: string
  provider: string
  request: Record<string, unknown>
  key: string
  /** pending: certainly not done. sending: may have been done. */
  state: 'pending' | 'sending' | 'ok' | 'not_done' | 'unknown'
  /** The number of the attempt, from 1. */
  attempt: number
  /** Fingerprint of the credential of the first attempt. */
  credential: string | null
  /** The time of the first attempt that may have been done. */
  first_attempted_at: Date | null
  code: string | null
  answer: Record<string, unknown> | null
}

export interface CallId {
  account: string
  id: number
  step: string
}

/** A call, with what it is made to and the provider's idempotency key. */
export type CallToMake = CallId & Pick<ProviderCallRow, 'provider' | 'key'>

/** Stores a call before it is made. On a repeat, the first request is kept. @param c  `request` is JSON text */
export async function freezeCall(db: Db, c: CallToMake & { request: string }): Promise<void> {
  await db.run(
    (sql) => sql`
      select gate.freeze_call(
        p_account => ${c.account}, p_id => ${c.id}, p_step => ${c.step}, p_provider => ${c.provider},
        p_request => ${c.request}, p_key => ${c.key})`,
  )
}

export interface StartedCall {
  /** settled: nothing is left to do, or the account was suspended first. */
  outcome: 'send' | 'settled'
  /** An earlier attempt may have been done. */
  wasSending: boolean
  /** The account is suspended: nothing is sent. An earlier attempt may be searched for. */
  isSuspended: boolean
  call: ProviderCallRow
}

/** Commits the intent and counts the attempt. The call may be made only after this. */
export async function beginCall(db: Db, c: CallId & { credential: string }): Promise<StartedCall> {
  // A repeat after a lost answer has the same: nothing was called yet.
  const attempt = randomUUID()
  const rows = await db.run<
    ProviderCallRow & { outcome: StartedCall['outcome']; was_sending: boolean; is_suspended: boolean }
  >(
    (sql) => sql`
      select r.outcome, r.was_sending, r.is_suspended, (r.call).* from gate.begin_call(
        p_account => ${c.account}, p_id => ${c.id}, p_step => ${c.step}, p_credential => ${c.credential},
        p_attempt => ${attempt}) r`,
  )
  const { outcome, was_sending: wasSending, is_suspended: isSuspended, ...call } = rows[0]!
  return { outcome, wasSending, isSuspended, call }
}

/** Records the outcome of an attempt. The outcome of a later attempt is kept. */
export async function recordCall(
  db: Db,
  c: CallId & Pick<ProviderCallRow, 'attempt' | 'state' | 'code' | 'answer'>,
): Promise<void> {
  await db.run(
    (sql) => sql`
      select gate.record_call(
        p_account => ${c.account}, p_id => ${c.id}, p_step => ${c.step}, p_attempt => ${c.attempt},
        p_state => ${c.state}, p_code => ${c.code}, p_answer => ${c.answer === null ? null : JSON.stringify(c.answer)})`,
  )
}

/** Settles a call finally: not sent or not stored means not done, sent without a recorded outcome means unknown. */
export async function settleCall(db: Db, c: CallToMake): Promise<ProviderCallRow | undefined> {
  const rows = await db.run<ProviderCallRow>(
    (sql) =>
      sql`
      select c.* from gate.settle_call(
        p_account => ${c.account}, p_id => ${c.id}, p_step => ${c.step}, p_provider => ${c.provider}, p_key => ${c.key}) c
      where c.step is not null`,
  )
  return rows[0]
}

/** The calls of an action with their outcomes, up to `limitRows`. */
export async function listCalls(
  db: Db,
  account: string,
  id: number,
  limitRows: number,
): Promise<ProviderCallRow[]> {
  return db.read<ProviderCallRow>(
    (sql) => sql`
      select c.* from gate.tenant(${account}) t(id),
      lateral (
        select step, provider, request, key, state, attempt, credential, first_attempted_at, code, answer
        from gate.provider_call
        where account_id = t.id and action_id = ${id}
        order by step
        limit ${limitRows}
      ) c`,
  )
}
