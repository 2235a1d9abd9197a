import { sameBefore } from '../../consent/same-as.ts'
import { readAction } from '../../db/queries/actions/actions.ts'
import { type LedgerHead, type LedgerRow, readEntriesOf } from '../../db/queries/ledger/ledger.ts'
import {
  type CallChangeRow,
  type DeliveryTally,
  type UndeliveredRow,
  listCallChanges,
  listUndelivered,
  tallyDeliveries,
} from '../../db/queries/actions/timeline.ts'
import { type ProviderCallRow, listCalls } from '../../db/queries/actions/provider-calls.ts'
import { type ToolGrant, readToolGrant } from '../../db/queries/runner/tool-consents.ts'
import type { Deps } from '../../deps.ts'
import { type EntryKind, replay } from '../../gate/lifecycle.ts'
import { runnerKind } from '../../gate/runner-calls/tool-call.ts'
import { GateError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import { proposalWorkflowId } from '../../temporal/names.ts'
import { viewAction } from '../actions/action-view.ts'
import { sameRow } from '../consent/card-of-row.ts'
import type { ActionRequest } from '../schemas.ts'
import { kindOfRow } from '../actions/require-kind.ts'
import { actionLine, amountOf, kindTitle } from '../actions/action-summary.ts'
import { requireHead } from '../require-account.ts'
import { type Names, idsIn, namesOf } from '../names-of-ids.ts'
import { type ParsedEntry, parseEntry } from '../../ledger/checker.ts'

/** Delivery counts by channel, state and reason. */
const timelineTalliesMax = 200
/** Calls to a payment provider. */
const timelineCallsMax = 100

/** Entries and recipients on the page of one action. */
const timelineEntriesMax = 500
const timelineRefusalsMax = 50
const timelineRecipientsMax = 100

/** A ledger entry with its parsed content. */
export interface TimelineEntry extends LedgerRow {
  content: ParsedEntry
}

/** Everything about one action. */
export interface ActionTimeline {
  row: ActionRequest
  /** What people call its kind. */
  title: string
  /** The action in a line. */
  line: string
  /** The amount of money, if any. */
  amount: { amountCents: number; currency: string } | null
  memberId: string | null
  entries: TimelineEntry[]
  /** There are more entries than are shown: too many, or archived. */
  isCut: boolean
  /** The number of recipients by channel, state and reason. */
  deliveries: DeliveryTally[]
  /** The first recipients without a confirmed delivery. */
  undelivered: UndeliveredRow[]
  calls: ProviderCallRow[]
  /** How its calls went, beside the entries. */
  callChanges: CallChangeRow[]
  /** Only a runner's tool call has it: its masked input as JSON, null where too long or erased; and its consent. */
  toolCall: { input: string | null; grant: ToolGrant | undefined } | undefined
  /** Names of the ids in the entries. */
  names: Names
  head: LedgerHead
  /** The state of the action that it repeats: see `sameBefore`. */
  sameBefore: string | undefined
  /** Its workflow, and where the Temporal UI shows it. */
  workflow: { id: string; url: string | undefined } | undefined
}

/**
 * The timeline of an action: its entries in order, its deliveries and its calls to a provider.
 * @throws GateError `not_found`
 */
export async function actionTimeline(
  deps: Pick<Deps, 'db' | 'kinds' | 'config'>,
  account: string,
  id: number,
): Promise<ActionTimeline> {
  const { db } = deps
  const row = await readAction(db, account, id)
  if (!row) throw new GateError('not_found', `Action ${id} was not found in this account.`)
  const [shown, entries, deliveries, undelivered, calls, callChanges, head, grant] = await Promise.all([
    viewAction(deps, row, null),
    readEntriesOf(db, {
      account,
      id,
      uuid: row.uuid,
      limitRows: timelineEntriesMax + 1,
      refusalsMax: timelineRefusalsMax + 1,
    }),
    tallyDeliveries(db, account, id, timelineTalliesMax),
    listUndelivered(db, account, id, timelineRecipientsMax),
    listCalls(db, account, id, timelineCallsMax),
    listCallChanges(db, account, id, limits.timelineCallChangesMax),
    requireHead(db, account),
    row.kind === runnerKind ? readToolGrant(db, account, id) : undefined,
  ])
  const kind = await kindOfRow(deps, row)
  const { kept, isCut } = cut(entries)
  const parsed = kept.map((entry): TimelineEntry => ({ ...entry, content: parseEntry(entry.entry) ?? {} }))
  const names = await namesOf(db, account, [
    row.member_id,
    ...parsed.flatMap(idsIn),
    ...undelivered.map(({ member_id }) => member_id),
  ])
  return {
    row: shown,
    title: kindTitle(kind, row.kind),
    line: actionLine(kind, row),
    amount: amountOf(kind, row),
    memberId: row.member_id,
    entries: parsed,
    isCut,
    deliveries,
    undelivered,
    calls,
    callChanges,
    toolCall: row.kind === runnerKind ? { input: row.input, grant } : undefined,
    names,
    head,
    sameBefore: sameBefore(row, await sameRow(deps, row)),
    workflow: row.requires_confirmation ? workflowOf(deps, { account, id, uuid: row.uuid }) : undefined,
  }
}

const isCreation = (kind: string): boolean =>
  kind !== 'decision_refused' && replay(null, kind as EntryKind) !== null

/** The first entries, with a separate limit for refusals: many refusals must not push the end out of the timeline. */
function cut(entries: LedgerRow[]): { kept: LedgerRow[]; isCut: boolean } {
  const [refused, others] = [true, false].map((isRefusal) =>
    entries.filter(({ kind }) => (kind === 'decision_refused') === isRefusal),
  ) as [LedgerRow[], LedgerRow[]]
  const kept = [...others.slice(0, timelineEntriesMax), ...refused.slice(0, timelineRefusalsMax)]
  // Without the entry that created the action, the first ones are archived.
  const isArchived = !entries.some(({ kind }) => isCreation(kind))
  return { kept: kept.toSorted((a, b) => a.seq - b.seq), isCut: isArchived || kept.length < entries.length }
}

function workflowOf({ config }: Pick<Deps, 'config'>, row: { account: string; id: number; uuid: string }) {
  const id = proposalWorkflowId(row)
  const base = config.TEMPORAL_UI_URL?.replace(/(?<!\/)\/+$/, '')
  const path = `/namespaces/${encodeURIComponent(config.TEMPORAL_NAMESPACE)}/workflows/${encodeURIComponent(id)}`
  return { id, url: base === undefined ? undefined : base + path }
}
