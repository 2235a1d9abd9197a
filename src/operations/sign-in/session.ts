import {
  type OpenSessionRow,
  type SessionOwner,
  endSession as endById,
  listSessions as readSessions,
  setTimeZone,
  useSession as readSession,
} from '../../db/queries/accounts/sign-ins.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { isTokenForm, sessionTokenHash } from '../../keys/link-token.ts'
import { limits } from '../../limits.ts'

const sessionsListedMax = 100

export type { OpenSessionRow }

/** The session of a signed-in user, as of this request. */
export interface Session extends SessionOwner {
  sessionId: string
  /** Whether `adminId` is of an auditor, who reads what an administrator reads and changes nothing. */
  isAuditor: boolean
  /** The hash of its token: every write checks under the account's lock that the session is still valid. */
  tokenHash: Buffer
  accountName: string
  isSuspended: boolean
  /** The display name: the member's name, otherwise the mailbox. */
  name: string
  address: string
  startedAt: Date
  expiresAt: Date
  /** The time zone that the person chose for the console; undefined: none. */
  timeZone: string | undefined
}

/** Whether the person reads all of the account: an administrator or an auditor. */
export const readsAccount = ({ adminId }: Pick<Session, 'adminId'>): boolean => adminId !== null

/** Whether the person administers the account. The database decides it again in each write: see gate_private.require_session. */
export const isAdmin = ({ adminId, isAuditor }: Pick<Session, 'adminId' | 'isAuditor'>): boolean =>
  adminId !== null && !isAuditor

/**
 * The session of a token, read at each request, so that a removed role takes effect at the next one.
 * @param address  the client's, after TRUST_PROXY: shown to the person as where the session was last used
 * @returns undefined for an unknown token or an ended session
 */
export async function currentSession(
  deps: Deps,
  token: string | undefined,
  address?: string,
): Promise<Session | undefined> {
  if (token === undefined || !isTokenForm(token)) return undefined
  const tokenHash = sessionTokenHash(token)
  const use = { idleMs: limits.sessionIdleMs, address: address?.slice(0, limits.addressCharsMax) ?? null }
  const row = await readSession(deps.db, tokenHash, use)
  return (
    row && {
      sessionId: row.session_id,
      tokenHash,
      account: row.account_id,
      accountName: row.account_name,
      isSuspended: row.is_suspended,
      adminId: row.admin_id,
      isAuditor: row.is_auditor,
      memberId: row.member_id,
      name: row.name ?? row.address!,
      address: row.address!,
      startedAt: row.created_at,
      expiresAt: row.expires_at,
      timeZone: row.time_zone ?? undefined,
    }
  )
}

/** All sessions of the user, including this one, newest first. */
export async function listSessions(deps: Deps, session: Session): Promise<OpenSessionRow[]> {
  const page = { idleMs: limits.sessionIdleMs, limitRows: sessionsListedMax }
  return readSessions(deps.db, session, page)
}

/** Ends one of the user's sessions: its next request is refused. @throws GateError `not_found` */
export async function endSession(deps: Deps, session: Session, sessionId: string): Promise<void> {
  const isEnded = await endById(deps.db, session, sessionId)
  if (!isEnded) throw new GateError('not_found', 'Session not found. It may have ended already.')
}

/** Stores the time zone of the person: it holds in all their sessions, also in later ones. */
export async function chooseTimeZone(deps: Deps, session: Session, timeZone: string): Promise<void> {
  await setTimeZone(deps.db, { account: session.account, session: session.tokenHash, timeZone })
}
