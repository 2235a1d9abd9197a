import type { RunnerMandatePayload } from '../../actions/runner-mandate/kind.ts'
import {
  type MandateRow,
  endMandate,
  freezeMandate,
  listMandates,
  readMandate,
} from '../../db/queries/actions/mandates.ts'
import type { Db } from '../../db/connect.ts'
import { type MandateTerms, mandateKind } from '../../gate/mandates/terms.ts'
import { GateError } from '../../errors.ts'
import type { Session } from '../sign-in/session.ts'

/** A mandate, with what it allows. An erased one has neither commands nor terms. */
export interface Mandate extends MandateRow {
  /** Of a mandate for a runner's commands. */
  payload: Partial<RunnerMandatePayload>
  /** Of a bounded one. */
  terms: MandateTerms | undefined
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

function withPayload(row: MandateRow): Mandate {
  const isBounded = row.action.kind === mandateKind
  const { payload } = row.action
  return {
    ...row,
    payload: isBounded ? {} : (payload as Partial<RunnerMandatePayload>),
    terms: isBounded && payload['uses'] !== undefined ? (payload as unknown as MandateTerms) : undefined,
  }
}

/**
 * Freezes a mandate at once, or resumes it, as its member or an administrator. What uses of it are on their way find it frozen.
 * @throws GateError `not_found`, `conflict` where it has ended, is so already, or somebody else froze it
 */
export async function freezeMandateNow(
  db: Db,
  holder: Reader & { tokenHash: Buffer | null },
  id: number,
  isFrozen: boolean,
): Promise<void> {
  const { frozen_by: by } = await mandateOf(db, holder, id)
  const outcome = await freezeMandate(db, holder.account, id, { session: holder.tokenHash, isFrozen })
  switch (outcome) {
    case 'done':
      return
    case null:
      throw notFound(id)
    case 'over':
      throw new GateError('conflict', 'This mandate is not in force.')
    case 'same':
      throw new GateError('conflict', `This mandate is ${isFrozen ? 'frozen already' : 'not frozen'}.`)
    case 'others':
      throw new GateError(
        'conflict',
        `${by?.startsWith('admin') ? 'An administrator' : 'Its member'} froze this mandate, and only they can resume it.`,
      )
  }
}

/**
 * Ends a mandate at once, as its member or an administrator. What it allowed before stays allowed.
 * @throws GateError `not_found`, `conflict` where it has ended before
 */
export async function endMandateNow(
  db: Db,
  session: Reader & { tokenHash: Buffer | null },
  id: number,
): Promise<void> {
  await mandateOf(db, session, id)
  const wasInForce = await endMandate(db, session.account, id, session.tokenHash)
  if (wasInForce === null) throw notFound(id)
  if (!wasInForce) throw new GateError('conflict', 'This mandate is not in force: it has ended before.')
}

const notFound = (id: number): GateError => new GateError('not_found', `Mandate ${id} was not found.`)
