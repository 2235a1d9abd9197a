import type { ActionRow } from '../../db/queries/actions/actions.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { viewAction } from './action-view.ts'
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

/** Whether a session may see an action: an administrator sees all of the account, a member their own. */
export const isVisible = (session: Session, row: ActionRow): boolean =>
  session.adminId !== null || isOwn(session, row)

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
