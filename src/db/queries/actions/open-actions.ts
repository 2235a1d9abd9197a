import type { Db } from '../../connect.ts'

export type Wake = 'start' | 'ask' | 'confirm' | 'cancel'

/** A proposal that has not ended, and what its workflow must be told. */
export interface OpenAction {
  uuid: string
  account_id: string
  action_id: number
  kind: string
  wake: Wake
  expires_at: Date
}

/** Takes what is due for a wake; others skip it for `againMs`. */
export async function takeDue(db: Db, limitRows: number, againMs: number): Promise<OpenAction[]> {
  return db.run((sql) => sql`select * from gate.take_due(p_limit => ${limitRows}, p_again_ms => ${againMs})`)
}

/** Notes that workflows were told what they had to be told. */
export async function settle(db: Db, told: { uuid: string; wake: Wake }[]): Promise<void> {
  await db.run(
    (sql) => sql`
      select gate.settle(p_uuids => ${told.map((t) => t.uuid)}, p_wakes => ${told.map((t) => t.wake)})`,
  )
}

/** Open actions that were left over, or all of them, by uuid after `after`. */
export async function listOpen(
  db: Db,
  page: { limitRows: number; overdueMs: number; unendedMs: number; all: boolean; after: string | null },
): Promise<(OpenAction & { decided_at: Date | null })[]> {
  return db.read(
    (sql) => sql`
      select * from gate.list_open(
        p_limit => ${page.limitRows}, p_overdue_ms => ${page.overdueMs}, p_unended_ms => ${page.unendedMs},
        p_all => ${page.all}, p_after => ${page.after})`,
  )
}

/** Proposals past their expiry that nobody has closed, by uuid after `after`. */
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

/** Forgets idempotency keys older than 24 hours. */
export async function forgetKeys(db: Db, account: string, limitRows: number): Promise<void> {
  await db.run((sql) => sql`select gate.forget_keys(p_account => ${account}, p_limit => ${limitRows})`)
}
