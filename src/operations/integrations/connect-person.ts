import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { eventId } from '../../ledger/digest.ts'
import type { OpenLink } from './connect-link.ts'
import { recordRefusal } from '../clearance/refusal.ts'
import { noteConnectRefused } from '../refused-write.ts'
import { type Session, currentSession, isAdmin } from '../sign-in/session.ts'
import { sessionTokenHash } from '../../keys/link-token.ts'

/** A signed-in person who may use a connect link: its member, or an administrator of the account. */
export interface ConnectPerson {
  session: Session
  /** Hash of the session token: the database checks it again at each write. */
  hash: Buffer
}

/**
 * The person at the page of a link.
 * @param token  the session token that the browser sent
 * @returns undefined without a session
 * @throws GateError `forbidden` for a person who may not use the link; the attempt is recorded in the ledger
 */
export async function findConnectPerson(
  deps: Deps,
  link: OpenLink,
  token: string | undefined,
): Promise<ConnectPerson | undefined> {
  const session = await currentSession(deps, token)
  if (!session) return undefined
  const isOfAccount = session.account === link.account_id
  const mayUse =
    link.admin_id === null
      ? isAdmin(session) || session.memberId === link.member_id
      : isAdmin(session) && session.adminId === link.admin_id
  if (isOfAccount && mayUse) return { session, hash: sessionTokenHash(token!) }
  await recordNotSignedIn(deps, link, (isOfAccount && session.memberId) || 'unknown')
  throw new GateError(
    'forbidden',
    link.admin_id === null
      ? 'You are not signed in as the member this link is for, or as an administrator of the account. Sign out in the console, then open the link again.'
      : 'This page is for the administrator who opened it. To connect the provider yourself, start on the integrations page of the console.',
  )
}

/** The same for changes. @throws GateError `forbidden` also without a session; both are recorded in the ledger */
export async function requirePerson(
  deps: Deps,
  link: OpenLink,
  token: string | undefined,
): Promise<ConnectPerson> {
  return (await findConnectPerson(deps, link, token)) ?? Promise.reject(await refuseUnsigned(deps, link))
}

/** Records that no permitted person was signed in, and returns the error to throw. */
export async function refuseUnsigned(deps: Deps, link: OpenLink): Promise<GateError> {
  await recordNotSignedIn(deps, link, 'unknown')
  return new GateError(
    'forbidden',
    `Nothing was connected, because you are not signed in. ${howToSignIn(deps)}`,
  )
}

/** Records that another site sent the form of a link. */
export async function recordForeignForm(deps: Deps, link: OpenLink): Promise<void> {
  await recordConnectRefusal(deps, link, 'foreign_form', 'unknown')
}

/** How a person signs in to use the link. Pure. */
export const howToSignIn = ({ ownEmail }: Pick<Deps, 'ownEmail'>): string =>
  ownEmail
    ? 'Open the link in a browser and sign in with a link sent by e-mail, as the member the link is for or as an administrator of the account.'
    : noOwnEmailSentence

/** The advice where the service cannot send sign-in links. */
export const noOwnEmailSentence =
  'This service has no e-mail of its own (RESEND_API_KEY or SMTP_URL), so it cannot send sign-in links. An administrator must sign in with a link from `gate admin invite` and then open this link.'

const recordNotSignedIn = (deps: Deps, link: OpenLink, actor: string): Promise<void> =>
  recordConnectRefusal(deps, link, 'not_signed_in_member', actor)

// Recorded once for each link, reason and person: anyone with the link can try any number of times.
async function recordConnectRefusal(
  deps: Deps,
  link: OpenLink,
  reason: 'not_signed_in_member' | 'foreign_form',
  actor: string,
): Promise<void> {
  if (link.admin_id !== null) {
    const id = eventId(link.token.toString('hex'), 'connect refused', reason, actor)
    return noteConnectRefused(deps, { account: link.account_id, eventId: id, actor, reason })
  }
  const row = { account_id: link.account_id, id: link.action_id }
  const id = eventId(link.uuid, 'connect refused', reason, actor)
  await recordRefusal(deps, row, { decision: 'confirm', reason, actor, source: 'console', eventId: id })
}
