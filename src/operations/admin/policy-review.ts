import type { ActionRow } from '../../db/queries/actions/actions.ts'
import { listActions } from '../../db/queries/actions/list-actions.ts'
import type { ActionKind } from '../../actions/kind.ts'
import { type Json, canonical } from '../../gate/canonical.ts'
import { type ChangedProposal, type DryRunKind, type PastProposal, dryRun } from '../../gate/dry-run.ts'
import { type KindRule, type Policy, ruleOfKind, ruleWithLimits } from '../../gate/policy.ts'
import { defaultChannels } from '../../gate/reach.ts'
import { runnerKind } from '../../gate/runner/tool-call.ts'
import { limits } from '../../limits.ts'
import { accountPolicy } from '../proposals/account-policy.ts'
import { amountOf } from '../proposals/action-summary.ts'
import { concurrencyLimit } from './concurrency-limit.ts'
import { type ReviewedCalls, dryRunCalls } from '../runner/dry-run-calls.ts'
import {
  type PolicyDeps,
  type PolicyEdit,
  documentToStore,
  policyFacts,
  policyVersionConflict,
} from './policy.ts'
import type { PolicyDocument } from './policy-document.ts'
import type { DiffLine } from '../diff-lines.ts'
import { diffPolicies } from './policy-history.ts'

/** What a document would change if it were set now. */
export interface PolicyReview {
  inForce: Policy
  next: Policy
  lines: DiffLine[]
  /** The dry run: proposals of the last days under both policies, by kind. */
  kinds: DryRunKind[]
  /** The newest proposals with a different result. */
  changed: ChangedProposal[]
  changedInAll: number
  /** Only the newest proposals were included. */
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

/**
 * The policy that would apply if a document were set now, and the one in force.
 * @throws GateError `invalid` where the required consent cannot be obtained, `conflict` where the document is based on
 * another version than the one in force, `not_found`
 */
export async function nextPolicy(
  deps: PolicyDeps,
  account: string,
  edit: PolicyEdit,
): Promise<{ inForce: Policy; next: Policy; now: Date }> {
  const facts = await policyFacts(deps, account)
  if (edit.version !== undefined && edit.version !== facts.policyVersion)
    throw policyVersionConflict(edit.version, facts.policyVersion)
  const kinds = await deps.kinds.of(account, facts.kindsVersion)
  const inForce = accountPolicy(facts, kinds.values())
  const policy = (await documentToStore(deps, account, { facts, edit })) as Policy
  const next = accountPolicy({ policy, policyVersion: facts.policyVersion + 1 }, kinds.values())
  return { inForce, next, now: facts.now }
}

async function reviewed(deps: PolicyDeps, account: string, edit: PolicyEdit): Promise<PolicyReview> {
  const { inForce, next, now } = await nextPolicy(deps, account, edit)
  const since = new Date(now.getTime() - limits.dryRunDays * dayMs)
  const { proposals, isCut } = await proposalsSince(deps, account, since)
  const { kinds, changed } = dryRun(inForce, next, proposals)
  return {
    inForce,
    next,
    lines: diffPolicies(inForce, next),
    kinds,
    changed: changed.slice(0, limits.dryRunListedMax),
    changedInAll: changed.length,
    isCut,
    toolCalls: await dryRunCalls(deps, account, { inForce, next, since }),
  }
}

/** Removes everything from a document that the policy in force already contains. Pure. */
export function onlyChanges(inForce: Policy, document: PolicyDocument): PolicyDocument {
  const { version, kinds = {}, ...rest } = document
  const isOther = (a: unknown, b: unknown) => canonical(a as Json) !== canonical(b as Json)
  const changed = Object.entries(kinds).filter(
    ([kind, rule]) => rule !== undefined && isOther(inFull(rule), inFull(ruleOfKind(inForce, kind))),
  )
  const settings = Object.entries(rest).filter(
    ([name, value]) => value !== undefined && isOther(value, inForce[name as 'expires_after_hours']),
  )
  return {
    ...(version === undefined ? {} : { version }),
    ...Object.fromEntries(settings),
    ...(changed.length === 0 ? {} : { kinds: Object.fromEntries(changed) }),
  }
}

// Writing out default channels or limits is not a change.
function inFull(rule: KindRule | undefined): unknown {
  if (!rule || 'bands' in rule) return rule ? ruleWithLimits(rule) : null
  return { ...rule, channels: rule.channels ?? defaultChannels }
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
      limit: limits.dryRunRowsPerPage,
      order: 'desc',
      after: before,
      kinds: [kind.kind],
    })
    const recent = page.filter((row) => row.created_at > since)
    proposals.push(...recent.map((row) => toPast(kind, row)))
    if (recent.length < limits.dryRunRowsPerPage) break
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
    // What was claimed counts, whatever its executor reported.
    isRefused: row.status === 'cancelled' && row.result?.['reported'] === undefined,
    weight: kind.weigh ? (amountOf(kind, row) ?? undefined) : null,
    subject: row.subject,
    customer: row.customer,
    keys: [...new Set([row.proposed_key, row.decided_key].filter((key) => key !== null))],
  }
}

const dayMs = 86_400_000
