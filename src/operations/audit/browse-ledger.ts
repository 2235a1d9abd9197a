import type { ActionRow } from '../../db/queries/actions/actions.ts'
import { listKinds } from '../../db/queries/actions/kinds.ts'
import { listActions } from '../../db/queries/actions/list-actions.ts'
import type { LedgerHead } from '../../db/queries/ledger/ledger.ts'
import { findMember } from '../../db/queries/members/members.ts'
import type { Deps } from '../../deps.ts'
import type { Status } from '../../gate/lifecycle.ts'
import { limits } from '../../limits.ts'
import { actionLine, amountOf, kindTitle } from '../proposals/action-summary.ts'
import { viewRow } from '../proposals/action-view.ts'
import { memberNameOf } from '../proposals/list-actions.ts'
import { requireHead } from '../require-account.ts'
import type { ActionRequest } from '../schemas.ts'

export { type LedgerHead }

/** Capability checks are most of a ledger. */
const checkKind = 'capability_check'

/** What is listed. Null: no filter. */
export interface LedgerFilter {
  kind: string | null
  status: Status | null
  /** Only those that expired. */
  isExpired?: boolean
  /** E-mail address, `slack:U…` or member id. */
  member: string | null
  from: Date | null
  to: Date | null
  /** Whether capability checks are listed too. */
  hasChecks: boolean
  /** Continues after this action; null: from the newest. */
  after: number | null
}

/** An action, what people call its kind, its summary in a line and its amount. */
export type ListedRow = ActionRequest & {
  title: string
  line: string
  amount: { amountCents: number; currency: string } | null
}

/** A page of an account's actions. */
export interface LedgerPage {
  rows: ListedRow[]
  /** The `after` of the next page, if there is one. */
  next: number | undefined
  /** The kinds that the account has actions of. */
  kinds: { kind: string; title: string }[]
  /** No member has the identity of the filter. */
  isMemberUnknown: boolean
  head: LedgerHead
}

/** A page of an account's actions, newest first. @throws GateError `not_found` */
export async function browseLedger(
  deps: Pick<Deps, 'db' | 'kinds'>,
  account: string,
  filter: LedgerFilter,
): Promise<LedgerPage> {
  const { db } = deps
  const [head, kinds, known, member] = await Promise.all([
    requireHead(db, account),
    listKinds(db, account, limits.ledgerKindsMax),
    deps.kinds.now(account),
    filter.member === null ? null : findMember(db, account, memberNameOf(filter.member)),
  ])
  const found = member === undefined ? [] : await readRows(db, account, filter, member?.memberId ?? null)
  const page: ActionRow[] = found.slice(0, limits.pageRowsDefault)
  const kindOf = await deps.kinds.ofRows(account, page)
  return {
    rows: page.map((row) => {
      const kind = kindOf(row)
      return {
        ...viewRow(row, null),
        title: kindTitle(kind, row.kind),
        line: actionLine(kind, row),
        amount: amountOf(kind, row),
      }
    }),
    next: found.length > page.length ? page.at(-1)!.id : undefined,
    kinds: kinds.map((kind) => ({ kind, title: kindTitle(known.get(kind), kind) })),
    isMemberUnknown: member === undefined,
    head,
  }
}

const readRows = (
  db: Deps['db'],
  account: string,
  { kind, status, isExpired, from, to, hasChecks, after }: LedgerFilter,
  memberId: string | null,
): Promise<ActionRow[]> =>
  listActions(db, account, {
    order: 'desc',
    limit: limits.pageRowsDefault + 1,
    after,
    kinds: kind === null ? null : [kind],
    excludedKinds: hasChecks || kind !== null ? null : [checkKind],
    status,
    isExpired: isExpired ?? false,
    memberIds: memberId === null ? null : [memberId],
    createdFrom: from,
    createdBefore: to,
  })
