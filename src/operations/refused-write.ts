import { randomUUID } from 'node:crypto'
import { noteRefusedWrite } from '../db/queries/refused-writes.ts'
import { type Deps } from '../deps.ts'
import { type Session } from './sign-in/session.ts'

/**
 * Notes in the ledger that a write in a session was refused: the session was over when it came to be done, or its holder
 * no longer administers.
 */
export async function noteRefusedInSession(
  { db }: Pick<Deps, 'db'>,
  { account, adminId, memberId }: Session,
  operation: string,
  reason: 'session_over' | 'not_admin',
): Promise<void> {
  await noteRefusedWrite(db, {
    account,
    eventId: randomUUID(),
    key: null,
    actor: adminId === null ? memberId! : `admin:${adminId}`,
    operation,
    source: 'console',
    reason,
  })
}
