import { readAction } from '../../db/queries/actions/actions.ts'
import {
  type Figures,
  listDenialsOfDay,
  pageOpenProposals,
  readFigures,
} from '../../db/queries/actions/overview.ts'
import type { Deps } from '../../deps.ts'
import { posture } from '../../gate/posture.ts'
import { accountPolicy } from '../policy/account-policy.ts'
import { viewAction } from '../actions/action-view.ts'
import { policyFacts } from '../policy/policy-in-force.ts'
import { actionHeadline } from '../actions/action-summary.ts'
import type { ActionRequest } from '../schemas.ts'
import type { Session } from '../sign-in/session.ts'
import { type ShownAction, isVisible, notVisible, showAll, show } from '../actions/shown-action.ts'

/** Denials of a day that the overview counts and shows. */
const denialsCountedMax = 1_000
const denialsShownMax = 5

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
    listDenialsOfDay(deps.db, account, denialsCountedMax),
    policyFacts(deps, account),
  ])
  const shown = denied.slice(0, denialsShownMax)
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
    denials: { newest, count: denied.length, isMore: denied.length === denialsCountedMax },
    agentsWord: posture(accountPolicy(facts, kinds.values())),
    isPolicyUnset: facts.policy === null,
  }
}
