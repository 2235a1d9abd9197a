import type { Db } from '../../connect.ts'

/** One call to a provider that moves money, as stored. */
export interface ProviderCallRow {
  step: string
  provider: string
  request: Record<string, unknown>
  key: string
  /** pending: certainly not done so far. sending: perhaps done. */
  state: 'pending' | 'sending' | 'ok' | 'not_done' | 'unknown'
  /** Which try this is, from 1. */
  attempt: number
  /** Fingerprint of what it was first made with. */
  credential: string | null
  /** Of the first try that was perhaps done. */
  first_attempted_at: Date | null
  code: string | null
  answer: Record<string, unknown> | null
}

export interface CallId {
  account: string
  id: number
  step: string
}

/** Stores what is to be called. Of a repeat the first request stands. */
export async function freezeCall(
  db: Db,
  c: CallId & {
    provider: string
    /** JSON text. */
    request: string
    key: string
  },
): Promise<void> {
  await db.run(
    (sql) => sql`
      select gate.freeze_call(
        p_account => ${c.account}, p_id => ${c.id}, p_step => ${c.step}, p_provider => ${c.provider},
        p_request => ${c.request}, p_key => ${c.key})`,
  )
}

export interface BegunCall {
  /** settled: there is nothing left to do, or the account's stop switch came first. */
  outcome: 'send' | 'settled'
  /** An earlier try was perhaps done. */
  wasSending: boolean
  /** The stop switch: what was perhaps done may be looked for, and not repeated. */
  isSuspended: boolean
  call: ProviderCallRow
}

/** Writes the intent, and counts the try. Its commit is waited for: after it the call may be made. */
export async function beginCall(db: Db, c: CallId & { credential: string }): Promise<BegunCall> {
  const rows = await db.run<
    ProviderCallRow & { outcome: BegunCall['outcome']; was_sending: boolean; is_suspended: boolean }
  >(
    (sql) => sql`
      select r.outcome, r.was_sending, r.is_suspended, (r.call).* from gate.begin_call(
        p_account => ${c.account}, p_id => ${c.id}, p_step => ${c.step}, p_credential => ${c.credential}) r`,
  )
  const { outcome, was_sending: wasSending, is_suspended: isSuspended, ...call } = rows[0]!
  return { outcome, wasSending, isSuspended, call }
}

/** Writes what became of a try. A later try's word stands. */
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

/** Settles a call for good: what was not sent by now is not done, what was not recorded is unknown. */
export async function settleCall(db: Db, c: CallId): Promise<ProviderCallRow | undefined> {
  const rows = await db.run<ProviderCallRow>(
    (sql) =>
      sql`select c.* from gate.settle_call(p_account => ${c.account}, p_id => ${c.id}, p_step => ${c.step}) c where c.step is not null`,
  )
  return rows[0]
}

/** The calls of an action, with what became of them: up to `limitRows`. */
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
