import { type ActionRow, readAction } from '../../db/queries/actions/actions.ts'
import {
  type Figures,
  listDenialsOfDay,
  pageOpenProposals,
  readFigures,
} from '../../db/queries/actions/overview.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { posture } from '../../gate/posture.ts'
import { limits } from '../../limits.ts'
import { accountPolicy } from './account-policy.ts'
import { viewAction } from './action-view.ts'
import { policyFacts } from '../admin/policy.ts'
import { actionHeadline, actionLine, amountOf, kindTitle } from './action-summary.ts'
import type { ActionRequest } from '../schemas.ts'
import type { Session } from '../sign-in/session.ts'

/** An action as the console shows it. */
export interface ShownAction {
  row: ActionRequest
  /** What people call its kind. */
  title: string
  /** The money it moves; null where it moves none, or its payload no longer says. */
  weight: { amountCents: number; currency: string } | null
  /** What it does, and to whom: `Refund 10.00 EUR to “Ada”: pi_123`. */
  headline: string
  /** The action in a line: `Message to 7 people: Lunch is at noon`. */
  line: string
  /** When it was decided, expired, or denied at its confirm; null where it was not. */
  decidedAt: Date | null
  /** Whether it was proposed for the member who is signed in. */
  isOwn: boolean
}

/**
 * A page of open and running proposals, oldest first unless `isNewestFirst`. An administrator sees those of the account, a member their own.
 * @param page.own  only their own, also for an administrator who is a member
 */
export async function readOpenProposals(
  deps: Deps,
  session: Session,
  page: { after: number; limitRows: number; own?: boolean; isNewestFirst?: boolean },
): Promise<ShownAction[]> {
  const seesAll = session.adminId !== null && !page.own
  if (!seesAll && session.memberId === null) return []
  const rows = await pageOpenProposals(deps.db, session.account, {
    memberId: seesAll ? null : session.memberId,
    after: page.after,
    limitRows: page.limitRows,
    isNewestFirst: page.isNewestFirst,
  })
  return showAll(deps, session, rows)
}

/** Whether a session may see an action: an administrator sees all of the account, a member their own. */
export const isVisible = (session: Session, row: ActionRow): boolean =>
  session.adminId !== null || isOwn(session, row)

/** One action. @throws GateError `not_found` also where the session may not see it */
export async function readShownAction(deps: Deps, session: Session, id: number): Promise<ShownAction> {
  const row = await readAction(deps.db, session.account, id)
  if (!row || !isVisible(session, row)) throw notVisible(id)
  return show(deps, session, row)
}

export interface Overview {
  figures: Figures
  /** Denials of the last 24 hours. `isMore`: there are more than were counted. */
  denials: {
    newest: { row: ActionRequest; headline: string; deniedAt: Date }[]
    count: number
    isMore: boolean
  }
  /** What an agent may do on its word alone, in one line. */
  agentsWord: string
  /** No policy was ever set: the defaults are in force. */
  isPolicyUnset: boolean
}

/** What an administrator should know first. */
export async function readOverview(deps: Deps, { account }: Session): Promise<Overview> {
  const [figures, denied, facts] = await Promise.all([
    readFigures(deps.db, account),
    listDenialsOfDay(deps.db, account, limits.denialsCountedMax),
    policyFacts(deps, account),
  ])
  const shown = denied.slice(0, limits.denialsShownMax)
  const [kinds, kindOf] = await Promise.all([
    deps.kinds.of(account, facts.kindsVersion),
    deps.kinds.ofRows(account, shown),
  ])
  const newest = await Promise.all(
    shown.map(async (row) => ({
      row: await viewAction(deps, row, null),
      headline: actionHeadline(kindOf(row), row),
      deniedAt: row.denied_at,
    })),
  )
  return {
    figures,
    denials: { newest, count: denied.length, isMore: denied.length === limits.denialsCountedMax },
    agentsWord: posture(accountPolicy(facts, kinds.values())),
    isPolicyUnset: facts.policy === null,
  }
}

export const notVisible = (id: number): GateError => new GateError('not_found', `Action ${id} was not found.`)

/** Actions of one account as the console shows them. */
export async function showAll(deps: Deps, session: Session, rows: ActionRow[]): Promise<ShownAction[]> {
  const kindOf = await deps.kinds.ofRows(session.account, rows)
  return Promise.all(
    rows.map(async (row) => {
      const kind = kindOf(row)
      return {
        row: await viewAction(deps, row, null),
        title: kindTitle(kind, row.kind),
        weight: amountOf(kind, row),
        headline: actionHeadline(kind, row),
        line: actionLine(kind, row),
        decidedAt: row.decided_at,
        isOwn: isOwn(session, row),
      }
    }),
  )
}

export const show = async (deps: Deps, session: Session, row: ActionRow): Promise<ShownAction> =>
  (await showAll(deps, session, [row]))[0]!

const isOwn = ({ memberId }: Session, row: ActionRow): boolean =>
  memberId !== null && row.member_id === memberId
