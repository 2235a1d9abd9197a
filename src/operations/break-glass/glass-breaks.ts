import { randomUUID } from 'node:crypto'
import { readAction } from '../../db/queries/actions/actions.ts'
import * as stored from '../../db/queries/actions/glass-breaks.ts'
import type { GlassBreakRow } from '../../db/queries/actions/glass-breaks.ts'
import { readGroupsOf } from '../../db/queries/actions/approvals.ts'
import { readFacts } from '../../db/queries/members/facts.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { mayApprove } from '../../gate/approvals/rule.ts'
import { tierOf } from '../../gate/tier.ts'
import { limits } from '../../limits.ts'
import { notVisible } from '../actions/shown-action.ts'
import type { AccountContext } from '../admin-context.ts'
import { isRuled, situationOf } from '../approvers/tally.ts'
import { requireAccount } from '../require-account.ts'
import { type Session, isAdmin } from '../sign-in/session.ts'

export type { GlassBreakRow }

/** The newest break-glasses of an account: those that wait for a review first. @throws GateError `not_found` */
export async function listGlassBreaks(
  { db, account }: AccountContext,
  { isOpenOnly = false } = {},
): Promise<GlassBreakRow[]> {
  await requireAccount(db, account)
  return stored.listGlassBreaks(db, account, { id: null, isOpenOnly, limitRows: limits.glassBreaksListedMax })
}

/** Those that wait for the review of the member who is signed in. */
export async function glassBreaksToReview(deps: Deps, session: Session): Promise<GlassBreakRow[]> {
  const open = await stored.listGlassBreaks(deps.db, session.account, {
    id: null,
    isOpenOnly: true,
    limitRows: limits.glassBreaksListedMax,
  })
  const mine = await Promise.all(open.map((one) => isReviewer(deps, session, one)))
  return open.filter((_one, n) => mine[n])
}

/**
 * One for its page, and whether the one who is signed in can review it.
 * @throws GateError `not_found` also for a member who is neither an approver nor the one who broke the glass
 */
export async function readGlassBreak(
  deps: Deps,
  session: Session,
  id: number,
): Promise<{ row: GlassBreakRow; mayReview: boolean }> {
  const [row] = await stored.listGlassBreaks(deps.db, session.account, {
    id,
    isOpenOnly: false,
    limitRows: 1,
  })
  const isApprover = row !== undefined && (await isReviewer(deps, session, row))
  const isKnown = session.adminId !== null || isApprover || session.memberId === row?.member_id
  if (!row || !isKnown) throw notVisible(id)
  const isParty = session.memberId !== null && [row.member_id, row.for_member].includes(session.memberId)
  const mayReview = row.reviewed_at === null && (isApprover || isAdmin(session)) && !isParty
  return { row, mayReview }
}

/** Whether the member who is signed in could have approved the action, and did not break the glass. */
async function isReviewer(deps: Deps, { memberId, account }: Session, row: GlassBreakRow): Promise<boolean> {
  if (memberId === null || memberId === row.member_id) return false
  const [action, facts] = await Promise.all([
    readAction(deps.db, account, row.action_id),
    readFacts(deps.db, account, { memberId }),
  ])
  const [member] = facts?.members ?? []
  if (!action || !isRuled(action) || !facts || !member) return false
  const groups = (await readGroupsOf(deps.db, account, [memberId])).get(memberId) ?? []
  const candidate = { memberId, tier: tierOf(member, facts.now), groups }
  return mayApprove(action.approval_rule, candidate, await situationOf(deps, action, facts.now))
}

/**
 * Records the review, once: of somebody who could have approved it, or of an administrator; neither of who broke the glass nor of the
 * member who acted.
 * @throws GateError `not_found`, `forbidden`, `conflict` where somebody else reviewed it
 */
export async function reviewGlassBreak(
  deps: Deps,
  session: Session,
  id: number,
  { isJustified, note }: { isJustified: boolean; note: string },
): Promise<void> {
  const { mayReview, row } = await readGlassBreak(deps, session, id)
  if (!mayReview && row.reviewed_at === null) throw notReviewer()
  const { account, tokenHash } = session
  const eventId = randomUUID()
  const given = { account, session: tokenHash, eventId, id, isJustified, note }
  const outcome = await stored.reviewGlassBreak(deps.db, given)
  if (outcome === 'missing') throw notVisible(id)
  if (outcome === 'forbidden') throw notReviewer()
  if (outcome === 'done') throw new GateError('conflict', 'Somebody else reviewed this already.')
}

const notReviewer = () =>
  new GateError(
    'forbidden',
    'Somebody reviews this who could have approved it, or an administrator: not who executed it alone, and not the member it was for.',
  )

/** For programs and the command line. Pure. */
export const viewGlassBreak = ({ action_id: action, ...row }: GlassBreakRow) => ({ action, ...row })
