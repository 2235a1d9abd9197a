import {
  type OpenSessionRow,
  type SessionOwner,
  endSession as endById,
  listSessions as readSessions,
  useSession as readSession,
} from '../../db/queries/accounts/sign-ins.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { isTokenForm, sessionTokenHash } from '../../keys/link-token.ts'
import { limits } from '../../limits.ts'

/** Somebody who is signed in, as of this request. */
export interface Session extends SessionOwner {
  sessionId: string
  /** What is kept of its token: every write checks under the account's lock that the session is still open. */
  tokenHash: Buffer
  accountName: string
  isSuspended: boolean
  /** What the console calls them: the member's name, else the mailbox. */
  name: string
  address: string
  startedAt: Date
  expiresAt: Date
}

/**
 * Who sends a session's token, read at each request: a role that was lost is gone at the next one.
 * @returns undefined where the token is of no session, or of one that is over
 */
export async function currentSession(deps: Deps, token: string | undefined): Promise<Session | undefined> {
  if (token === undefined || !isTokenForm(token)) return undefined
  const tokenHash = sessionTokenHash(token)
  const row = await readSession(deps.db, tokenHash, limits.sessionIdleMs)
  return (
    row && {
      sessionId: row.session_id,
      tokenHash,
      account: row.account_id,
      accountName: row.account_name,
      isSuspended: row.is_suspended,
      adminId: row.admin_id,
      memberId: row.member_id,
      name: row.name ?? row.address!,
      address: row.address!,
      startedAt: row.created_at,
      expiresAt: row.expires_at,
    }
  )
}

/** The sessions of whoever asks, this one among them, newest first. */
export async function listSessions(deps: Deps, session: Session): Promise<OpenSessionRow[]> {
  const page = { idleMs: limits.sessionIdleMs, limitRows: limits.sessionsListedMax }
  return readSessions(deps.db, session, page)
}

/** Ends one of them, from its next request on. @throws GateError `not_found` where it is not theirs */
export async function endSession(deps: Deps, session: Session, sessionId: string): Promise<void> {
  const isEnded = await endById(deps.db, session, sessionId)
  if (!isEnded) throw new GateError('not_found', 'You have no such session, or it has ended.')
}
