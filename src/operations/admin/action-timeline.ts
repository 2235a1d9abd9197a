import { sameBefore } from '../../consent/same-as.ts'
import { readAction } from '../../db/queries/actions/actions.ts'
import { type LedgerHead, type LedgerRow, readEntriesOf } from '../../db/queries/ledger/ledger.ts'
import {
  type DeliveryTally,
  type UndeliveredRow,
  listUndelivered,
  tallyDeliveries,
} from '../../db/queries/actions/timeline.ts'
import { type ProviderCallRow, listCalls } from '../../db/queries/actions/provider-calls.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import { proposalWorkflowId } from '../../temporal/names.ts'
import { viewAction } from '../proposals/action-view.ts'
import { sameRow } from '../consent/card-of-row.ts'
import type { ActionRequest } from '../schemas.ts'
import { amountOf } from '../proposals/action-summary.ts'
import { requireHead } from './browse-ledger.ts'
import { type Names, namesOf } from './names.ts'
import { type ParsedEntry, parseEntry } from '../../ledger/checker.ts'

/** An entry with what its text says. */
export interface TimelineEntry extends LedgerRow {
  content: ParsedEntry
}

/** Everything there is to know about one row. */
export interface ActionTimeline {
  row: ActionRequest
  /** The money it is about. */
  amount: { amountCents: number; currency: string } | null
  memberId: string | null
  entries: TimelineEntry[]
  /** There are more entries than are shown. */
  isCut: boolean
  /** How many recipients each channel has in each state, for why. */
  deliveries: DeliveryTally[]
  /** Those who were not reached for sure, the first of them. */
  undelivered: UndeliveredRow[]
  calls: ProviderCallRow[]
  /** What the ids in it stand for. */
  names: Names
  head: LedgerHead
  /** How the row that it repeats stood before: see `sameBefore`. */
  sameBefore: string | undefined
  /** Its workflow, and where the Temporal UI shows it. */
  workflow: { id: string; url: string | undefined } | undefined
}

/**
 * One row and how it came about: its entries in order, whom it reached, what its provider was asked.
 * @throws GateError `not_found` where the account has no such row
 */
export async function actionTimeline(deps: Deps, account: string, id: number): Promise<ActionTimeline> {
  const { db } = deps
  const row = await readAction(db, account, id)
  if (!row) throw new GateError('not_found', `There is no action ${id} in this account.`)
  const [shown, entries, deliveries, undelivered, calls, head] = await Promise.all([
    viewAction(deps, row),
    readEntriesOf(db, {
      account,
      id,
      uuid: row.uuid,
      limitRows: limits.storyEntriesMax + 1,
      refusalsMax: limits.storyRefusalsMax + 1,
    }),
    tallyDeliveries(db, account, id, limits.storyTalliesMax),
    listUndelivered(db, account, id, limits.storyRecipientsMax),
    listCalls(db, account, id, limits.storyCallsMax),
    requireHead(db, account),
  ])
  const { kept, isCut } = cut(entries)
  const parsed = kept.map((entry): TimelineEntry => ({ ...entry, content: parseEntry(entry.entry) ?? {} }))
  const names = await namesOf(db, account, [
    row.member_id,
    ...parsed.flatMap(({ content }) => [content.actor, content.key]),
    ...undelivered.map(({ member_id }) => member_id),
  ])
  return {
    row: shown,
    amount: amountOf(deps.kinds, row),
    memberId: row.member_id,
    entries: parsed,
    isCut,
    deliveries,
    undelivered,
    calls,
    names,
    head,
    sameBefore: sameBefore(row, await sameRow(deps, row)),
    workflow: row.requires_confirmation ? workflowOf(deps, { account, id, uuid: row.uuid }) : undefined,
  }
}

/** The first of them, and of refusals the first: who is refused often cannot push the end of a story out of it. */
function cut(entries: LedgerRow[]): { kept: LedgerRow[]; isCut: boolean } {
  const [refused, others] = [true, false].map((isRefusal) =>
    entries.filter(({ kind }) => (kind === 'decision_refused') === isRefusal),
  ) as [LedgerRow[], LedgerRow[]]
  const kept = [...others.slice(0, limits.storyEntriesMax), ...refused.slice(0, limits.storyRefusalsMax)]
  return { kept: kept.toSorted((a, b) => a.seq - b.seq), isCut: kept.length < entries.length }
}

function workflowOf({ config }: Deps, row: { account: string; id: number; uuid: string }) {
  const id = proposalWorkflowId(row)
  const base = config.TEMPORAL_UI_URL?.replace(/\/+$/, '')
  const path = `/namespaces/${encodeURIComponent(config.TEMPORAL_NAMESPACE)}/workflows/${encodeURIComponent(id)}`
  return { id, url: base === undefined ? undefined : base + path }
}
