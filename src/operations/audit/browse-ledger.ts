import type { ActionKind } from '../../actions/kind.ts'
import type { ActionRow } from '../../db/queries/actions/actions.ts'
import { listKinds } from '../../db/queries/actions/kinds.ts'
import { listActions } from '../../db/queries/actions/list-actions.ts'
import type { LedgerHead } from '../../db/queries/ledger/ledger.ts'
import { findMember } from '../../db/queries/members/members.ts'
import type { Deps } from '../../deps.ts'
import type { Status } from '../../gate/lifecycle.ts'
import { limits } from '../../limits.ts'
import { actionLine, amountOf, kindTitle } from '../actions/action-summary.ts'
import { viewRow } from '../actions/action-view.ts'
import { withApprovalsNow } from '../approvers/tally.ts'
import { memberNameOf } from '../actions/member-name.ts'
import { requireHead } from '../require-account.ts'
import type { ActionRequest } from '../schemas.ts'

/** Kinds in the filter of the ledger. */
const ledgerKindsMax = 200

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
  /** Only actions that have this text, in any case: in their kind, what was proposed, its reason, its outcome or its member. */
  text?: string | null
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
  /** How many actions were searched for the text, without reaching the end: `next` goes on. */
  searched?: number
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
    listKinds(db, account, ledgerKindsMax),
    deps.kinds.now(account),
    memberOf(db, account, filter),
  ])
  const { page, next, searched } =
    member === undefined ? { page: [], next: undefined } : await readPage(deps, account, filter, member)
  return {
    rows: await listed(deps, account, page),
    next,
    ...(searched === undefined ? {} : { searched }),
    kinds: kinds.map((kind) => ({ kind, title: kindTitle(known.get(kind), kind) })),
    isMemberUnknown: member === undefined,
    head,
  }
}

type FoundPage = { page: ActionRow[] } & Pick<LedgerPage, 'next' | 'searched'>

/**
 * A page of what matches. A text is in no index: a bounded number of actions is searched for it, batch after batch.
 */
async function readPage(
  { db, kinds }: Pick<Deps, 'db' | 'kinds'>,
  account: string,
  filter: LedgerFilter,
  member: string | null,
): Promise<FoundPage> {
  const { text = null } = filter
  const rowsMax = limits.pageRowsDefault
  if (text === null) {
    const found = await readRows(db, account, filter, { member, limit: rowsMax + 1 })
    const page = found.slice(0, rowsMax)
    return { page, next: found.length > rowsMax ? page.at(-1)!.id : undefined }
  }
  const page: ActionRow[] = []
  const hasText = textSearch(text)
  let { after } = filter
  for (let searched = 0; searched < limits.ledgerSearchedMax;) {
    const batch = await readRows(
      db,
      account,
      { ...filter, after },
      { member, limit: limits.ledgerSearchRows },
    )
    const kindOf = await kinds.ofRows(account, batch)
    for (const row of batch) {
      after = row.id
      searched++
      if (hasText(row, kindOf(row))) page.push(row)
      if (page.length === rowsMax) return { page, next: after }
    }
    if (batch.length < limits.ledgerSearchRows) return { page, next: undefined }
  }
  return { page, next: after ?? undefined, searched: limits.ledgerSearchedMax }
}

/** Whether an action has a text, in any case. */
function textSearch(text: string | null): (row: ActionRow, kind: ActionKind | undefined) => boolean {
  if (text === null) return () => true
  const wanted = text.normalize('NFC').toLowerCase()
  return ({ kind: name, payload, result, member, rationale, denial_reason: denial, input }, kind) =>
    [
      name,
      kindTitle(kind, name),
      JSON.stringify(payload),
      JSON.stringify(result),
      member,
      rationale,
      denial,
      input,
    ]
      .join('\n')
      .normalize('NFC')
      .toLowerCase()
      .includes(wanted)
}

/** All actions that a filter matches, newest first. @param limit  of one read @throws GateError `not_found` */
export async function* allActions(
  deps: Pick<Deps, 'db' | 'kinds'>,
  account: string,
  filter: LedgerFilter,
  limit: number = limits.rowsPerRead,
): AsyncGenerator<ListedRow> {
  const { db } = deps
  await requireHead(db, account)
  const member = await memberOf(db, account, filter)
  if (member === undefined) return
  const hasText = textSearch(filter.text ?? null)
  for (let { after } = filter; ;) {
    const rows = await readRows(db, account, { ...filter, after }, { member, limit })
    const kindOf = await deps.kinds.ofRows(account, rows)
    yield* await listed(
      deps,
      account,
      rows.filter((row) => hasText(row, kindOf(row))),
    )
    if (rows.length < limit) return
    after = rows.at(-1)!.id
  }
}

async function listed(
  deps: Pick<Deps, 'db' | 'kinds'>,
  account: string,
  rows: ActionRow[],
): Promise<ListedRow[]> {
  const kindOf = await deps.kinds.ofRows(account, rows)
  return (await withApprovalsNow(deps, account, rows)).map((row) => {
    const kind = kindOf(row)
    return {
      ...viewRow(row, null),
      title: kindTitle(kind, row.kind),
      line: actionLine(kind, row),
      amount: amountOf(kind, row),
    }
  })
}

/** The id of the filter's member; null without one, undefined where nobody has this identity. */
async function memberOf(
  db: Deps['db'],
  account: string,
  { member }: LedgerFilter,
): Promise<string | null | undefined> {
  if (member === null) return null
  return (await findMember(db, account, memberNameOf(member)))?.memberId
}

const readRows = (
  db: Deps['db'],
  account: string,
  { kind, status, isExpired, from, to, hasChecks, after }: LedgerFilter,
  { member, limit }: { member: string | null; limit: number },
): Promise<ActionRow[]> =>
  listActions(db, account, {
    order: 'desc',
    limit,
    after,
    kinds: kind === null ? null : [kind],
    excludedKinds: hasChecks || kind !== null ? null : [checkKind],
    status,
    isExpired: isExpired ?? false,
    memberIds: member === null ? null : [member],
    createdFrom: from,
    createdBefore: to,
  })
