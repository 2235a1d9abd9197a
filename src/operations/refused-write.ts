import { randomUUID } from 'node:crypto'
import { noteRefusedWrite } from '../db/queries/refused-writes.ts'
import { type Deps } from '../deps.ts'
import { type Session } from './sign-in/session.ts'

/** Notes in the ledger that a session was over when its write came to be done. */
export async function noteSessionOver(
  { db }: Pick<Deps, 'db'>,
  { account, adminId, memberId }: Session,
  operation: string,
): Promise<void> {
  await noteRefusedWrite(db, {
    account,
    eventId: randomUUID(),
    key: null,
    actor: adminId === null ? memberId! : `admin:${adminId}`,
    operation,
    source: 'console',
    reason: 'session_over',
  })
}
