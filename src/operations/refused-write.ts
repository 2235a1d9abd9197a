import { randomUUID } from 'node:crypto'
import { noteRefusedKey, noteRefusedWrite } from '../db/queries/accounts/refused-writes.ts'
import type { Deps } from '../deps.ts'
import { eventId } from '../ledger/digest.ts'
import type { CallContext } from './operation.ts'
import type { Session } from './sign-in/session.ts'

/** Records a write by an API key that is no longer valid: at most one entry per key and minute. */
export async function noteKeyRefused(
  deps: Deps,
  keyHash: Buffer,
  operation: string,
  source: string,
): Promise<void> {
  await noteRefusedKey(deps.db, { keyHash, eventId: randomUUID(), operation, source })
}

/** Records a write that an API key may not make. `reason`: for programs. */
export async function noteWriteRefused(
  { deps, account, keyHash, source }: Pick<CallContext, 'deps' | 'account' | 'keyHash' | 'source'>,
  operation: string,
  reason: string,
): Promise<void> {
  await noteRefusedWrite(deps.db, {
    account,
    eventId: randomUUID(),
    apiKey: keyHash,
    actor: 'unknown',
    operation,
    source,
    reason,
  })
}

/** Records that a call of administration is beyond the daily limit of its key: one entry a key and day, however many there are. */
export async function noteBeyondLimit(
  { deps, account, keyId, keyHash, source }: CallContext,
  operation: string,
): Promise<void> {
  const day = new Date().toISOString().slice(0, 10)
  await noteRefusedWrite(deps.db, {
    account,
    eventId: eventId(account, 'admin calls limit', keyId, day),
    apiKey: keyHash,
    actor: 'unknown',
    operation,
    source,
    reason: 'admin_calls_limit',
  })
}

/** Records that somebody may not use the link by which an administrator connects a provider. */
export async function noteConnectRefused(
  { db }: Pick<Deps, 'db'>,
  refused: { account: string; eventId: string; actor: string; reason: string },
): Promise<void> {
  await noteRefusedWrite(db, {
    ...refused,
    apiKey: null,
    operation: 'connect_integration',
    source: 'console',
  })
}

/** Records a write in a session that had ended, or whose person is no longer an administrator, or is an auditor. */
export async function noteRefusedInSession(
  { db }: Pick<Deps, 'db'>,
  { account, adminId, memberId }: Session,
  operation: string,
  reason: 'session_over' | 'not_admin' | 'auditor',
): Promise<void> {
  await noteRefusedWrite(db, {
    account,
    eventId: randomUUID(),
    apiKey: null,
    actor: adminId === null ? memberId! : `admin:${adminId}`,
    operation,
    source: 'console',
    reason,
  })
}
