import { randomUUID } from 'node:crypto'
import * as stored from '../../db/queries/members/delegations.ts'
import type { DelegationRow } from '../../db/queries/members/delegations.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { randomBase62 } from '../../keys/api-key.ts'
import { limits } from '../../limits.ts'
import { type AccountContext, type AdminContext, writeOf } from '../admin-context.ts'
import type { MemberName } from '../entered-fields.ts'
import { requireMember } from '../members/require-member.ts'
import { requireAccount } from '../require-account.ts'
import type { Session } from '../sign-in/session.ts'

export type { DelegationRow }

/** The newest delegations: all of the account (null), or those from and to one member. Those in force first. @throws GateError `not_found` */
export async function listDelegations(
  { db, account }: AccountContext,
  memberId: string | null = null,
): Promise<DelegationRow[]> {
  await requireAccount(db, account)
  return stored.listDelegations(db, account, { memberId, limitRows: limits.delegationsListedMax })
}

/**
 * Has another member approve for the member who is signed in, until a time. Nobody else can do that for them: who makes somebody's deputy
 * chooses who approves.
 * @returns its id
 * @throws GateError `invalid`, `not_found`, `forbidden` for who is no member, `conflict`
 */
export async function startDelegation(
  { db }: Pick<Deps, 'db'>,
  session: Session,
  given: { deputy: MemberName; kinds: string[] | null; until: Date; reason: string },
): Promise<string> {
  const { account, tokenHash, memberId } = session
  if (memberId === null)
    throw new GateError('forbidden', 'Only members approve. You are an administrator of this account.')
  if (given.until.getTime() <= Date.now())
    throw new GateError('invalid', 'The last day must be today or later.', { param: 'until' })
  if (given.until.getTime() > Date.now() + limits.delegationMsMax)
    throw new GateError('invalid', 'A deputy approves for you for at most 30 days.', { param: 'until' })
  const deputy = await requireMember(db, { account, ...namedBy(given.deputy) }, 'deputy')
  const delegationId = `dlg_${randomBase62(16)}`
  const outcome = await stored.startDelegation(db, {
    account,
    session: tokenHash,
    eventId: randomUUID(),
    delegationId,
    deputy: deputy.memberId,
    kinds: given.kinds,
    until: given.until,
    reason: given.reason,
    givenMax: limits.delegationsGivenMax,
    heldMax: limits.delegationsHeldMax,
  })
  if (outcome === 'started') return delegationId
  throw new GateError('conflict', whyNot[outcome], outcome === 'unsettled' ? {} : { param: 'deputy' })
}

const namedBy = (name: MemberName): { email?: string; slack?: string } => name

const whyNot: Record<Exclude<stored.StartOutcome, 'started'>, string> = {
  unsettled:
    'Your sign-in to this account was changed recently. Nobody approves for you until the change has settled.',
  missing: 'This member is not active.',
  same_person: 'A deputy must be somebody else.',
  too_many: `A member has at most ${limits.delegationsGivenMax} deputies at a time, and is the deputy of at most ${limits.delegationsHeldMax}. Withdraw one first.`,
}

/**
 * Ends a delegation, at once. What the deputy approved before counts no more while it is open. Repeating it changes nothing.
 * @param context.session  of either of the two, or an administrator's; null: the command line
 * @throws GateError `not_found`
 */
export async function endDelegation(context: AdminContext, delegationId: string): Promise<void> {
  const outcome = await stored.endDelegation(context.db, { ...writeOf(context), delegationId })
  if (outcome === 'missing') throw delegationNotFound()
}

export const delegationNotFound = () =>
  new GateError('not_found', 'Delegation not found. It may be of other members.')

/** For programs and the command line. Pure. */
export const viewDelegation = ({ delegation_id: id, ...row }: DelegationRow) => ({ delegation: id, ...row })
