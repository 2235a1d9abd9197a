import type { Db } from '../../connect.ts'

/** A form of the console that was sent: new to this request, handled by another one now, or already handled. */
export type ClaimedForm =
  | { outcome: 'new' | 'running' }
  /** `path`: the page to look at. `flash`: the message that it shows once. `is_recent`: sent a moment ago. */
  | { outcome: 'done'; path: string; flash: string; is_recent: boolean }

/**
 * Takes a form to be handled, once, whatever process it is sent to. Not a write as far as people are told: a request that
 * only took its form has changed nothing.
 * @param c.form  a hash over the form and who sends it
 * @param c.claim  a UUID of this request
 * @throws GateError `unauthenticated` where the session has ended
 */
export async function claimForm(
  db: Db,
  c: { account: string; session: Buffer; form: Buffer; claim: string },
): Promise<ClaimedForm> {
  const rows = await db.read<ClaimedForm>(
    (sql) => sql`
      select * from gate.claim_form(
        p_account => ${c.account}, p_session => ${c.session}, p_form => ${c.form}, p_claim => ${c.claim})`,
  )
  return rows[0]!
}

/** Records how a claimed form was handled: no write as far as people are told, either. `done` null: it was refused and changed nothing, so it may be sent again. */
export async function endForm(
  db: Db,
  e: { form: Buffer; claim: string; done: { path: string; flash: string } | null },
): Promise<void> {
  await db.read(
    (sql) => sql`
      select gate.end_form(
        p_form => ${e.form}, p_claim => ${e.claim}, p_path => ${e.done?.path ?? null},
        p_flash => ${e.done?.flash ?? null})`,
  )
}
