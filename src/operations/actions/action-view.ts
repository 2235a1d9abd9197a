import { toolResultOf } from '../../actions/upstream-tool/perform.ts'
import {
  type ActionRow,
  type CallProgress,
  type Progress,
  type ShownRow,
  readProgress,
} from '../../db/queries/actions/actions.ts'
import { readMandate } from '../../db/queries/actions/mandates.ts'
import { readReportedResult } from '../../db/queries/actions/claims.ts'
import { listCalls } from '../../db/queries/actions/provider-calls.ts'
import { readExecutorResult } from '../../db/queries/executors/executor-calls.ts'
import type { Deps } from '../../deps.ts'
import type { Fields } from '../../actions/kind.ts'
import { approversWords } from '../../gate/approvals/rule.ts'
import { changesBetween, isSame } from '../../gate/edits/changes.ts'
import { upstreamKind } from '../../gate/declared/upstream-call.ts'
import { leftOf } from '../../gate/mandates/outside.ts'
import type { MandateTerms } from '../../gate/mandates/terms.ts'
import { awaitsOthers, withApprovalsNow } from '../approvers/tally.ts'
import type { CallContext } from '../operation.ts'
import type { ActionRequest } from '../schemas.ts'
import { type Reader, afterConsent, afterRequest } from './next-step.ts'

/** Whether an action is confirmed and not finished. */
export const isRunning = (row: Pick<ActionRow, 'status' | 'decision'>): boolean =>
  row.status === 'proposed' && row.decision === 'confirm'

/** Whether nobody has decided about an action. */
export const isOpen = (row: Pick<ActionRow, 'status' | 'decision'>): boolean =>
  row.status === 'proposed' && row.decision === null

/** The status in a word for people. The interface calls a running action `proposed` and an expired one `cancelled`, as its contract says. Pure. */
export function statusWordOf({
  status,
  consent,
  closed_reason: reason,
}: Pick<ActionRequest, 'status' | 'consent' | 'closed_reason'>): string {
  if (status === 'proposed' && consent !== undefined) return 'running'
  return reason === 'expired' ? 'expired' : status
}

/**
 * An action as the interface shows it, with its progress while it runs, and the approvals that count now. `reader`: whose next step it
 * names.
 */
export async function viewAction(
  deps: Pick<Deps, 'db'>,
  stored: ActionRow,
  reader: Reader,
): Promise<ActionRequest> {
  const { account_id: account, id } = stored
  const [progress, mandate, [row = stored]] = await Promise.all([
    isRunning(stored) ? readProgress(deps.db, account, id) : undefined,
    stored.mandate_id === null ? undefined : readMandate(deps.db, account, stored.mandate_id),
    withApprovalsNow(deps, account, [stored]),
  ])
  const shown = isRunning(row) ? withProgress(row, progress) : viewRow(row, reader)
  if (!shown.consent?.mandate || !mandate) return shown
  const { payload } = mandate.action
  const left =
    payload['uses'] === undefined ? {} : { left: leftOf(payload as unknown as MandateTerms, mandate.spent) }
  return { ...shown, consent: { ...shown.consent, mandate: { ...shown.consent.mandate, ...left } } }
}

/**
 * The same as `viewWithReceipt`, but over MCP without the receipt, unless it is asked for: a model pays for its 1,000 characters, and
 * needs it only to pass it on.
 */
export async function viewForCaller(
  context: CallContext,
  row: ActionRow,
  isReceiptAsked = context.source !== 'mcp',
): Promise<ActionRequest> {
  const { receipt, ...shown } = await viewWithReceipt(context.deps, row, context)
  return isReceiptAsked && receipt !== undefined ? { ...shown, receipt } : shown
}

/**
 * The same with its receipt, or why it has none, and what its executor or its tool answered: for answers about one action, not for
 * lists.
 */
export async function viewWithReceipt(
  deps: Pick<Deps, 'db' | 'receipts'>,
  row: ActionRow,
  reader: Reader,
): Promise<ActionRequest> {
  const [shown, receipt] = await Promise.all([
    viewWithAnswer(deps, row, reader),
    deps.receipts.receiptOf(row),
  ])
  const problem = receipt === undefined ? deps.receipts.problemOf(row) : undefined
  return {
    ...shown,
    ...(receipt === undefined ? {} : { receipt }),
    ...(problem === undefined ? {} : { receipt_problem: problem }),
  }
}

/** The same without a receipt. */
export async function viewWithAnswer(
  deps: Pick<Deps, 'db'>,
  row: ActionRow,
  reader: Reader,
): Promise<ActionRequest> {
  const [shown, said, answered] = await Promise.all([
    viewAction(deps, row, reader),
    saidOf(deps, row),
    answerOfTool(deps, row),
  ])
  if (said === undefined && answered === undefined) return shown
  const beside = {
    ...(said === undefined ? {} : { result: said }),
    ...(answered === undefined ? {} : { tool_result: answered }),
  }
  return { ...shown, result: { ...shown.result, ...beside } }
}

/** What the executor answered or reported; undefined where it said nothing, or that is erased. */
export async function saidOf({ db }: Pick<Deps, 'db'>, row: ActionRow): Promise<unknown> {
  if (row.result?.['reported'] !== undefined) return readReportedResult(db, row.account_id, row.id)
  if (row.result?.['result_digest'] !== undefined) return readExecutorResult(db, row.account_id, row.id)
  return undefined
}

/** What an MCP server answered to a call that its member consented to; undefined where it did not, or that is erased. */
async function answerOfTool(
  { db }: Pick<Deps, 'db'>,
  { kind, status, requires_confirmation: asks, account_id: account, id }: ActionRow,
): Promise<Record<string, unknown> | undefined> {
  if (kind !== upstreamKind || status === 'proposed' || !asks) return undefined
  const [call] = await listCalls(db, account, id, 1)
  return call && toolResultOf(call)
}

/** The rows of a list as the interface shows them. */
export async function viewShown(
  deps: Pick<Deps, 'db'>,
  account: string,
  rows: readonly ShownRow[],
  reader: Reader,
): Promise<ActionRequest[]> {
  const now = await withApprovalsNow(deps, account, rows)
  return now.map((row) =>
    isRunning(row) ? withProgress(row, row.progress ?? undefined) : viewRow(row, reader),
  )
}

function withProgress(row: ActionRow | ShownRow, progress: Progress | undefined): ActionRequest {
  const reachable = row.reach_slack + row.reach_email + row.reach_teams
  const isLaidOut = progress !== undefined && progress.delivered + progress.remaining > 0
  return {
    ...viewRow(row, null),
    execution: {
      state: 'running',
      delivered: progress?.delivered ?? 0,
      remaining: isLaidOut || row.begun_at ? (progress?.remaining ?? 0) : reachable,
      ...(progress?.claim ? { claim: progress.claim } : {}),
      ...(progress?.call ? callFields(progress.call) : {}),
    },
  }
}

/** The call that a running action waits for, if it does. */
export const callOf = async (
  { db }: Pick<Deps, 'db'>,
  row: ActionRow,
): Promise<CallProgress | null | undefined> =>
  isRunning(row) ? (await readProgress(db, row.account_id, row.id))?.call : undefined

const callFields = (call: CallProgress): Partial<NonNullable<ActionRequest['execution']>> =>
  Object.fromEntries(Object.entries(call).filter(([, value]) => value !== null))

/**
 * An action as the interface shows it. Fields that do not apply are absent, not null. One that may wait for approvals goes through
 * `withApprovalsNow` first. Pure.
 */
export function viewRow(row: ActionRow | ShownRow, reader: Reader): ActionRequest {
  return {
    id: row.id,
    kind: row.kind,
    ...((row.kind_version ?? null) === null ? {} : { kind_version: row.kind_version! }),
    status: row.status,
    member: row.member,
    tier_at_request: row.tier_at_request,
    source: row.source,
    ...(row.requested_by === null ? {} : { requested_by: row.requested_by }),
    ...(row.requested_host === null ? {} : { requested_host: row.requested_host }),
    payload: row.payload,
    created_at: iso(row.created_at),
    ...(row.denial_reason === null ? {} : { denial_reason: row.denial_reason }),
    ...(row.denial_code === null ? {} : { denial_code: row.denial_code }),
    ...row.denial_needs,
    ...(row.rationale === null ? {} : { rationale: row.rationale }),
    ...(row.consent_required === null ? {} : { consent_required: row.consent_required as 'page' }),
    requires_confirmation: row.requires_confirmation,
    blast_radius: {
      slack: row.reach_slack,
      email: row.reach_email,
      unreachable: row.reach_unreachable,
      ...(row.reach_teams > 0 ? { teams: row.reach_teams } : {}),
    },
    ...(row.result === null ? {} : { result: row.result }),
    ...(row.executed_at === null ? {} : { executed_at: iso(row.executed_at) }),
    ...(row.expires_at === null ? {} : { expires_at: iso(row.expires_at) }),
    ...(row.digest === null ? {} : { digest: row.digest }),
    ...(row.recipients === null ? {} : { recipients_digest: hex(row.recipients) }),
    ...consentOf(row),
    ...requestOf(row, reader),
    ...approvalsOf(row, reader),
    ...(row.duplicate_of === null ? {} : { duplicate_of: row.duplicate_of }),
    ...((row.replaces ?? null) === null ? {} : { replaces: row.replaces! }),
    ...(row.closed_reason === null ? {} : { closed_reason: row.closed_reason as 'proposer' }),
    ...editOf(row),
    ...(row.decline_reason === null ? {} : { decline_reason: row.decline_reason }),
  }
}

/** What the member made of it, and the digest of what was proposed. An erased payload leaves no changes to show. */
function editOf({ former, ...row }: ActionRow | ShownRow): Pick<ActionRequest, 'edited_by_member'> {
  if (!former) return {}
  const changes = former.payload ? changesBetween(former.payload as Fields, row.payload as Fields) : []
  const { reach_slack: slack = row.reach_slack, reach_email: email = row.reach_email } = former
  const teams = former.reach_teams ?? row.reach_teams
  const [from, to] = [
    { slack, email, ...(teams === 0 ? {} : { teams }) },
    { slack: row.reach_slack, email: row.reach_email, ...(teams === 0 ? {} : { teams: row.reach_teams }) },
  ]
  const reach = isSame(from, to) ? [] : [{ field: 'blast_radius', from, to }]
  return { edited_by_member: { former_digest: former.digest, changes: [...changes, ...reach] } }
}

const iso = (time: Date | string): string => (typeof time === 'string' ? time : time.toISOString())
const hex = (bytes: Buffer | string): string => (typeof bytes === 'string' ? bytes : bytes.toString('hex'))

function consentOf(row: ActionRow | ShownRow): Pick<ActionRequest, 'consent'> {
  if (row.consent_strength === null || row.decided_at === null) return {}
  return {
    consent: {
      strength: row.consent_strength as 'agent_attested',
      by: row.consent_by!,
      at: iso(row.decided_at),
      channel: row.consent_channel!,
      ...((row.mandate_id ?? null) === null ? {} : { mandate: { id: row.mandate_id! } }),
    },
  }
}

function requestOf(row: ActionRow | ShownRow, reader: Reader): Pick<ActionRequest, 'consent_request'> {
  if (!isOpen(row) || row.asked_at === null || (row.consented_at ?? null) !== null) return {}
  return {
    consent_request: {
      required: row.asked_required as 'page',
      requested_via: row.asked_via as 'email',
      requested_at: iso(row.asked_at),
      next: afterRequest(reader, { id: row.id, via: row.asked_via! }),
    },
  }
}

/** What others must still do, where the member has consented. */
function approvalsOf(row: ActionRow | ShownRow, reader: Reader): Pick<ActionRequest, 'awaiting_approvals'> {
  if (!awaitsOthers(row)) return {}
  const { needed, from } = row.approval_rule!
  return {
    awaiting_approvals: {
      needed,
      given: row.approvals_given ?? 0,
      from: approversWords(from),
      next: afterConsent(reader, row.id),
    },
  }
}
