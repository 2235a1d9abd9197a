import type { RunnerMandatePayload } from '../../actions/runner-mandate/kind.ts'
import { type MandateRow, endMandate, listMandates, readMandate } from '../../db/queries/runner/mandates.ts'
import type { Db } from '../../db/connect.ts'
import { GateError } from '../../errors.ts'
import type { Session } from '../sign-in/session.ts'

/** A mandate, with what it allows. An erased one has no commands. */
export interface Mandate extends MandateRow {
  payload: Partial<RunnerMandatePayload>
}

type Reader = Pick<Session, 'account' | 'adminId' | 'memberId'>

/** The mandates in force that a signed-in person may end: an administrator all, a member their own. Newest first. */
export async function mandatesOf(db: Db, session: Reader): Promise<Mandate[]> {
  const { account, adminId, memberId } = session
  if (adminId === null && memberId === null) return []
  return (await listMandates(db, account, adminId === null ? memberId : null)).map(withPayload)
}

/** @throws GateError `not_found` also where the session may not see it */
export async function mandateOf(db: Db, session: Reader, id: number): Promise<Mandate> {
  const found = await readMandate(db, session.account, id)
  if (!found || (session.adminId === null && found.member_id !== session.memberId)) throw notFound(id)
  return withPayload(found)
}

const withPayload = (row: MandateRow): Mandate => ({
  ...row,
  payload: row.action.payload as Partial<RunnerMandatePayload>,
})

/**
 * Ends a mandate at once, as its member or an administrator. What it allowed before stays allowed.
 * @throws GateError `not_found`, `conflict` where it has ended before
 */
export async function endMandateNow(
  db: Db,
  session: Reader & Pick<Session, 'tokenHash'>,
  id: number,
): Promise<void> {
  await mandateOf(db, session, id)
  const wasInForce = await endMandate(db, session.account, id, session.tokenHash)
  if (wasInForce === null) throw notFound(id)
  if (!wasInForce) throw new GateError('conflict', 'This mandate is not in force: it has ended before.')
}

const notFound = (id: number): GateError => new GateError('not_found', `Mandate ${id} was not found.`)
