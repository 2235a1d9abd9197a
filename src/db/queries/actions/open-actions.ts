import { limits } from '../../../limits.ts'
import type { Db } from '../../connect.ts'

export type Wake = 'start' | 'ask' | 'confirm' | 'cancel' | 'wake'

/** An open proposal, and the signal that its workflow needs. */
export interface OpenAction {
  uuid: string
  account_id: string
  action_id: number
  kind: string
  wake: Wake
  /** When the signal is due again. Text, because it has microseconds. Null: nothing is outstanding. */
  due_at: string | null
  expires_at: Date
}

/** A signal that a workflow received. */
export interface Signalled {
  uuid: string
  wake: Wake
  /** `due_at` when it was sent. Without it, what comes more than once (`ask`, `wake`) stays due. */
  dueAt: string | null
}

/** Takes workflows that are due for a signal; other workers skip them for `againMs`. */
export async function takeDue(db: Db, limitRows: number, againMs: number): Promise<OpenAction[]> {
  return db.run((sql) => sql`select * from gate.take_due(p_limit => ${limitRows}, p_again_ms => ${againMs})`)
}

/** Records that workflows received their signals. A request or step that came meanwhile stays due. */
export async function settle(db: Db, signalled: Signalled[]): Promise<void> {
  await db.run(
    (sql) => sql`
      select gate.settle(
        p_uuids => ${signalled.map((t) => t.uuid)}, p_wakes => ${signalled.map((t) => t.wake)},
        p_dues => ${signalled.map((t) => t.dueAt ?? '')})`,
  )
}

/** Records that a step of a running action goes on later, and that the action is not overdue before. */
export async function putStepOff(db: Db, uuid: string, inMs: number): Promise<void> {
  await db.run((sql) => sql`select gate.put_step_off(p_uuid => ${uuid}, p_in_ms => ${inMs})`)
}

/** An open action that the reconciler looks at. */
export interface OverdueAction extends OpenAction {
  decided_at: Date | null
  /** It was confirmed, and should have ended or gone on minutes ago. */
  is_stalled: boolean
}

/** Overdue open actions, or all open actions, ordered by uuid after `after`. */
export async function listOpen(
  db: Db,
  page: { limitRows: number; all: boolean; after: string | null },
): Promise<OverdueAction[]> {
  return db.read(
    (sql) => sql`
      select * from gate.list_open(
        p_limit => ${page.limitRows}, p_overdue_ms => ${limits.outboxOverdueMs},
        p_unended_ms => ${limits.claimUnendedMs}, p_stalled_ms => ${limits.workflowStalledMs}, p_all => ${page.all}, p_after => ${page.after})`,
  )
}

/** Proposals past their expiry that are still open. */
export async function listExpired(
  db: Db,
  page: { limitRows: number; after: string | null },
): Promise<{ uuid: string; account_id: string; action_id: number }[]> {
  return db.read(
    (sql) => sql`select * from gate.list_expired(p_limit => ${page.limitRows}, p_after => ${page.after})`,
  )
}

export interface OpenSummary {
  open_proposals: number
  claims_without_end: number
  oldest_due: Date | null
  oldest_claim: Date | null
}

export async function openSummary(db: Db): Promise<OpenSummary> {
  const rows = await db.read<OpenSummary>((sql) => sql`select * from gate.open_summary()`)
  return rows[0]!
}

/** What the outbox holds of an action that has not ended. */
export interface OutboxRow {
  wake: Wake
  /** When its workflow is told (again); null: nothing is outstanding. */
  due_at: Date | null
  /** How often the relay told it. */
  woken: number
  /** When a step that goes on later is called again. */
  again_at: Date | null
  decided_at: Date | null
  created_at: Date
}

export async function readOutbox(db: Db, account: string, id: number): Promise<OutboxRow | undefined> {
  const rows = await db.read<OutboxRow>(
    (sql) => sql`select * from gate.outbox_of(p_account => ${account}, p_id => ${id})`,
  )
  return rows[0]
}

/** An executor or provider whose calls for running actions fail. */
export interface FailingCalls {
  account_id: string
  /** The kind of the executor, the MCP server, or the provider. */
  target: string
  failing_since: Date
  /** The last error. */
  code: string
  /** How many actions wait for it. */
  actions: number
}

/** What fails now, of one account, or of all. */
export async function listFailing(db: Db, account: string | null): Promise<FailingCalls[]> {
  return db.read((sql) => sql`select * from gate.failing_calls(p_account => ${account})`)
}

/** Takes what has been failing for longer than `afterMs`, to tell the administrators: each once. */
export async function takeFailing(db: Db, afterMs: number): Promise<FailingCalls[]> {
  return db.run((sql) => sql`select * from gate.take_failing_notices(p_after_ms => ${afterMs})`)
}

/** Deletes idempotency keys that hold no longer, up to `limitRows`. @returns how many */
export async function forgetKeys(db: Db, account: string, limitRows: number): Promise<number> {
  const rows = await db.run<{ forgotten: number }>(
    (sql) => sql`select gate.forget_keys(p_account => ${account}, p_limit => ${limitRows}) as forgotten`,
  )
  return rows[0]!.forgotten
}
