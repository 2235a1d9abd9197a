import type { ActionRow } from '../../db/queries/actions/actions.ts'
import { listActions } from '../../db/queries/actions/list-actions.ts'
import type { ActionKind } from '../../actions/kind.ts'
import { type ChangedProposal, type DryRunKind, type PastProposal, dryRun } from '../../gate/dry-run.ts'
import type { Policy } from '../../gate/policy.ts'
import { runnerKind } from '../../gate/runner-calls/tool-call.ts'
import { limits } from '../../limits.ts'
import { amountOf } from '../actions/action-summary.ts'
import { concurrencyLimit } from '../../waiting/concurrency-limit.ts'
import { type ReviewedCalls, dryRunCalls } from './dry-run-calls.ts'
import { type EligibleOfKind, eligibleInPolicy } from '../approvers/eligible.ts'
import type { PolicyDeps } from './policy-in-force.ts'
import type { PolicyEdit } from './document-to-store.ts'
import type { DiffLine } from '../diff-lines.ts'
import { diffPolicies } from './diff-policies.ts'
import { nextPolicy } from './next-policy.ts'

const dryRunRowsPerPage = 1_000

/** What a document would change if it were set now. */
export interface PolicyReview {
  inForce: Policy
  next: Policy
  lines: DiffLine[]
  /** For each rule about approvals of the document: how many people can approve now. */
  approvers: EligibleOfKind[]
  /** The dry run: proposals of the last days under both policies, by kind. */
  kinds: DryRunKind[]
  /** The newest proposals with a different result. */
  changed: ChangedProposal[]
  changedInAll: number
  /** There were more proposals than the newest that were included. */
  isCut: boolean
  /** The dry run on tool calls of agent runners; null where the rules about them are the same. */
  toolCalls: ReviewedCalls | null
}

/**
 * Shows what a policy document would change: the rules in words, and a dry run on the account's past proposals.
 * @throws GateError as `nextPolicy`; `unavailable` while too many other reviews are running
 */
export async function reviewPolicy(
  deps: PolicyDeps,
  account: string,
  edit: PolicyEdit,
): Promise<PolicyReview> {
  return fewAtOnce(deps.db, () => reviewed(deps, account, edit))
}

const fewAtOnce = concurrencyLimit(limits.dryRunsAtOnceMax, 'Other policies are being reviewed.')

async function reviewed(deps: PolicyDeps, account: string, edit: PolicyEdit): Promise<PolicyReview> {
  const { inForce, next, now } = await nextPolicy(deps, account, edit)
  const since = new Date(now.getTime() - limits.dryRunDays * dayMs)
  const { proposals, isCut } = await proposalsSince(deps, account, since)
  const { kinds, changed } = dryRun(inForce, next, proposals)
  return {
    inForce,
    next,
    lines: diffPolicies(inForce, next),
    approvers: await eligibleInPolicy(deps, account, next),
    kinds,
    changed: changed.slice(0, limits.dryRunListedMax),
    changedInAll: changed.length,
    isCut,
    toolCalls: await dryRunCalls(deps, account, { inForce, next, since }),
  }
}

/**
 * The newest proposals of every governed kind. Tool calls have a dry run of their own: most of them get no row. Those of MCP
 * servers are decided by rules that are in no policy.
 */
async function proposalsSince(
  deps: PolicyDeps,
  account: string,
  since: Date,
): Promise<{ proposals: PastProposal[]; isCut: boolean }> {
  const proposals: PastProposal[] = []
  let isCut = false
  const kinds = [...(await deps.kinds.now(account)).values()]
  const byPolicy = kinds.filter((one) => one.kind !== runnerKind && !one.ruleOf)
  for (const kind of byPolicy) {
    const ofKind = await proposalsOf(deps, account, { kind, since })
    proposals.push(...ofKind)
    isCut ||= ofKind.length >= limits.dryRunRowsPerKindMax
  }
  return { proposals, isCut }
}

/** Reads by pages until the rows are too old: ids and times ascend together. Payloads can be long and are not kept. */
async function proposalsOf(
  deps: PolicyDeps,
  account: string,
  { kind, since }: { kind: ActionKind; since: Date },
): Promise<PastProposal[]> {
  const proposals: PastProposal[] = []
  for (let before: number | null = null; proposals.length < limits.dryRunRowsPerKindMax;) {
    const page: ActionRow[] = await listActions(deps.db, account, {
      limit: dryRunRowsPerPage,
      order: 'desc',
      after: before,
      kinds: [kind.kind],
    })
    const recent = page.filter((row) => row.created_at > since)
    proposals.push(...recent.map((row) => toPast(kind, row)))
    if (recent.length < dryRunRowsPerPage) break
    before = page.at(-1)!.id
  }
  return proposals
}

function toPast(kind: ActionKind, row: ActionRow): PastProposal {
  return {
    id: row.id,
    kind: row.kind,
    memberId: row.member_id ?? row.member,
    tier: row.tier_at_request,
    createdAt: row.created_at,
    confirmedAt: row.decision === 'confirm' ? row.decided_at : null,
    // A claimed action counts, whatever its executor reported.
    isRefused: row.status === 'cancelled' && row.result?.['reported'] === undefined,
    weight: kind.weigh ? (amountOf(kind, row) ?? undefined) : null,
    subject: row.subject,
    customer: row.customer,
    keys: [...new Set([row.proposed_key, row.decided_key].filter((key) => key !== null))],
  }
}

const dayMs = 86_400_000
