import type { Db } from '../../connect.ts'
import { type ActionRow, type Outcome, outcomeOf } from './actions.ts'
import type { SliceRecord } from './deliveries.ts'

export type BeginOutcome = 'missing' | 'waiting' | 'closed' | 'late' | 'begun'

/** A confirmed action whose execution has started. */
export interface StartedAction extends ActionRow {
  /** The proposer's current name. */
  proposer_name: string
  account_name: string
  /** The version of the account's connections; 0: never connected anything. */
  integrations_version: number
  /** There is a record of something that an earlier attempt began. */
  was_begun: boolean
  /** False: the set of its recipients was changed in the database, before it was written to the deliveries. */
  has_its_recipients: boolean
}

/**
 * Reads the decision; a confirm is marked as started, once.
 * @param action  `uuid`: of the action that is meant, another one with its number is `missing`. Null: whichever has it
 */
export async function beginExecution(
  db: Db,
  { account, id, uuid }: { account: string; id: number; uuid: string | null },
  lateOk: boolean,
): Promise<{ outcome: BeginOutcome; action: StartedAction }> {
  const rows = await db.run<StartedAction & { outcome: BeginOutcome }>(
    (sql) => sql`
      select r.outcome, r.proposer_name, r.account_name, r.integrations_version, r.was_begun, r.has_its_recipients,
        (r.action).*
      from gate.begin_execution(p_account => ${account}, p_id => ${id}, p_late_ok => ${lateOk}, p_uuid => ${uuid}) r`,
  )
  const { outcome, ...action } = rows[0]!
  return { outcome, action }
}

export interface Finish {
  account: string
  id: number
  /** The UUID of the action that is meant: another one is `missing`. */
  uuid?: string
  status: 'executed' | 'cancelled'
  /** JSON text. */
  result: string
  closedReason: string | null
  eventId: string
  /** The outcomes of all slices, where they are not recorded yet. */
  records?: ({ channel: string } & SliceRecord)[] | undefined
  /** Steps that the ledger has not recorded yet. */
  delivered: { eventId: string; step: string }[]
}

/** Finishes a confirmed action. A repeat returns the current row. `moved`: another attempt sends a slice; nothing was changed. */
export async function finishAction(
  db: Db,
  f: Finish,
): Promise<Outcome<'finished' | 'ended' | 'missing' | 'moved'>> {
  const rows = await db.run<ActionRow & { outcome: string }>(
    (sql) => sql`
      select r.outcome, (r.action).* from gate.finish_action(
        p_account => ${f.account}, p_id => ${f.id}, p_status => ${f.status}, p_result => ${f.result},
        p_closed_reason => ${f.closedReason}, p_event => ${f.eventId},
        p_delivered_events => ${f.delivered.map((d) => d.eventId)}::uuid[],
        p_delivered_steps => ${f.delivered.map((d) => d.step)},
        p_records => ${f.records ? JSON.stringify(f.records) : null}::text::jsonb, p_uuid => ${f.uuid ?? null}) r`,
  )
  return outcomeOf(rows)
}
