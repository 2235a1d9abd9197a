import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { eventId } from '../../ledger/digest.ts'
import type { OpenLink } from './connect-link.ts'
import { recordRefusal } from '../decisions/refusal.ts'
import { type Session, currentSession } from '../sign-in/session.ts'
import { sessionTokenHash } from '../../keys/link-token.ts'

/** Somebody who is signed in and may connect by a link: its member, or an administrator of the account. */
export interface ConnectPerson {
  session: Session
  /** Hash of the session's token: the database asks it again when something is stored. */
  hash: Buffer
}

/**
 * Who is at the page of a link.
 * @param token  of the session that the browser says it has
 * @returns undefined where nobody is signed in
 * @throws GateError `forbidden` where somebody else is, who is written into the ledger
 */
export async function findConnectPerson(
  deps: Deps,
  link: OpenLink,
  token: string | undefined,
): Promise<ConnectPerson | undefined> {
  const session = await currentSession(deps, token)
  if (!session) return undefined
  const isOfAccount = session.account === link.account_id
  if (isOfAccount && (session.adminId !== null || session.memberId === link.member_id))
    return { session, hash: sessionTokenHash(token!) }
  await recordNotSignedIn(deps, link, (isOfAccount && session.memberId) || 'unknown')
  throw new GateError(
    'forbidden',
    'You are signed in, but not as the member this link is for, nor as an administrator of that account. Sign out in the console, then open the link again.',
  )
}

/** The same for what changes something. @throws GateError `forbidden` also where nobody is signed in, with an entry */
export async function requirePerson(
  deps: Deps,
  link: OpenLink,
  token: string | undefined,
): Promise<ConnectPerson> {
  return (await findConnectPerson(deps, link, token)) ?? Promise.reject(await refuseUnsigned(deps, link))
}

/** Writes down that nobody who may connect was signed in, and gives the error to throw. */
export async function refuseUnsigned(deps: Deps, link: OpenLink): Promise<GateError> {
  await recordNotSignedIn(deps, link, 'unknown')
  return new GateError(
    'forbidden',
    `Nobody is signed in who may connect this provider, so nothing was connected: the link alone does nothing. ${howToSignIn(deps)}`,
  )
}

/** Writes down that another site sent the form of a link. */
export async function recordForeignForm(deps: Deps, link: OpenLink): Promise<void> {
  await recordConnectRefusal(deps, link, 'foreign_form', 'unknown')
}

/** What a person does with the link, to be let in. Pure. */
export const howToSignIn = ({ ownEmail }: Pick<Deps, 'ownEmail'>): string =>
  ownEmail
    ? 'Open the link in a browser and sign in, by a link in your mailbox, as the member it is for or as an administrator of the account.'
    : noOwnEmailSentence

/** Where the service cannot mail a link to sign in. */
export const noOwnEmailSentence =
  'This service has no e-mail of its own (RESEND_API_KEY), so nobody can sign in by mail: an administrator opens the link after signing in by the link that `gate admin invite` prints.'

const recordNotSignedIn = (deps: Deps, link: OpenLink, actor: string): Promise<void> =>
  recordConnectRefusal(deps, link, 'not_signed_in_member', actor)

// Once for each link, reason and person: whoever has the link can try as often as they like.
async function recordConnectRefusal(
  deps: Deps,
  link: OpenLink,
  reason: 'not_signed_in_member' | 'foreign_form',
  actor: string,
): Promise<void> {
  const row = { account_id: link.account_id, id: link.action_id }
  const id = eventId(link.uuid, 'connect refused', reason, actor)
  await recordRefusal(deps, row, { decision: 'confirm', reason, actor, source: 'console', eventId: id })
}
