import { listActions } from '../../db/queries/actions/list-actions.ts'
import type { LedgerHead } from '../../db/queries/ledger/ledger.ts'
import type { Deps } from '../../deps.ts'
import type { Status } from '../../gate/lifecycle.ts'
import { limits } from '../../limits.ts'
import { viewRow } from '../proposals/action-view.ts'
import { requireHead } from '../require-account.ts'
import { actionSummary } from '../proposals/action-summary.ts'
import type { ActionRequest } from '../schemas.ts'

export { type LedgerHead }

/** The filters of the API, in its order or newest first. */
export interface LedgerFilter {
  kind: string | null
  status: Status | null
  order: 'newest' | 'oldest'
  /** Continues after this action in that order; null: from the start. */
  after: number | null
}

/** An action and its summary in a line. */
export type ListedRow = ActionRequest & { about: string }

/**
 * A page of an account's actions, and the head of its chain.
 * @returns `next`: the `after` of the next page, if there is one
 * @throws GateError `not_found`
 */
export async function browseLedger(
  { db, kinds }: Pick<Deps, 'db' | 'kinds'>,
  account: string,
  { kind, status, order, after }: LedgerFilter,
): Promise<{ rows: ListedRow[]; next: number | undefined; head: LedgerHead }> {
  const [head, found] = await Promise.all([
    requireHead(db, account),
    listActions(db, account, {
      limit: limits.pageRowsDefault + 1,
      order: order === 'oldest' ? 'asc' : 'desc',
      after,
      kinds: kind === null ? null : [kind],
      status,
    }),
  ])
  const page = found.slice(0, limits.pageRowsDefault)
  return {
    rows: page.map((row) => ({ ...viewRow(row), about: actionSummary(kinds, row) })),
    next: found.length > page.length ? page.at(-1)!.id : undefined,
    head,
  }
}
