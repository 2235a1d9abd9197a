import type { DenialNeeds } from '../../../gate/denial.ts'
import type { Effect } from '../../../gate/runner/tool-call.ts'
import type { Tier } from '../../../gate/tier.ts'
import { limits } from '../../../limits.ts'
import type { Db } from '../../connect.ts'
import { jsonArgument } from '../../json-argument.ts'

/** An answer to a tool call that needs no consent. */
export interface ToolCallToRecord {
  keyId: string
  apiKey: Buffer
  memberId: string
  member: string
  tier: Tier
  memberVersion: number
  curriculaVersion: number
  policyVersion: number
  isSuspended: boolean
  runner: string
  tool: string
  effect: Effect
  ref: Buffer
  /** Everything that a repeat of the call has in common with it. */
  binding: Buffer
  /** The runner gave the call an id. */
  hasId: boolean
  decision: 'allow' | 'deny'
  rule: number | null
  /** What rules read, as JSON; null if it is too long. */
  call: string | null
  /** null: it gets no row. */
  row: ToolRow | null
}

export interface ToolRow {
  uuid: string
  /** Canonical JSON text. */
  payload: string
  salt: Buffer
  /** Masked, as JSON text; null if it is too long. */
  input: string | null
  /** In words. */
  rule: string
  denialReason: string | null
  denialCode: string | null
  denialNeeds: DenialNeeds | null
}

export interface RecordedToolCall {
  outcome: 'recorded' | 'replayed' | 'stale' | 'unauthenticated'
  action_id: number | null
}

/** Records a group of answers of one account. The results are in the order of the calls. */
export async function recordToolCalls(
  db: Db,
  account: string,
  calls: ToolCallToRecord[],
): Promise<RecordedToolCall[]> {
  const argument = `[${calls.map(argumentOf).join(',')}]`
  return db.run<RecordedToolCall>(
    (sql) => sql`
      select * from gate.record_tool_calls(
        p_account => ${account}, p_calls => ${argument}::text::jsonb, p_same_ms => ${limits.toolCallSameMs})`,
  )
}

const argumentOf = (c: ToolCallToRecord): string =>
  jsonArgument({
    key_id: c.keyId,
    api_key: c.apiKey,
    member_id: c.memberId,
    member: c.member,
    tier: c.tier,
    member_version: c.memberVersion,
    curricula_version: c.curriculaVersion,
    policy_version: c.policyVersion,
    is_suspended: c.isSuspended,
    runner: c.runner,
    tool: c.tool,
    effect: c.effect,
    ref: c.ref,
    binding: c.binding,
    has_id: c.hasId,
    decision: c.decision,
    rule: c.rule,
    call: c.call,
    row: c.row && {
      uuid: c.row.uuid,
      payload: c.row.payload,
      salt: `\\x${c.row.salt.toString('hex')}`,
      input: c.row.input,
      rule: c.row.rule,
      denial_reason: c.row.denialReason,
      denial_code: c.row.denialCode,
      denial_needs: c.row.denialNeeds,
    },
  })

/** Records what a runner reports of a call that was allowed. @returns whether one waits for its report */
export async function reportToolOutcome(
  db: Db,
  report: { account: string; apiKey: Buffer; ref: Buffer; outcome: 'ran' | 'failed' },
): Promise<boolean> {
  const { account, apiKey, ref, outcome } = report
  const rows = await db.run<{ is_found: boolean }>(
    (sql) => sql`
      select gate.report_tool_outcome(
        p_account => ${account}, p_api_key => ${apiKey}, p_ref => ${ref}, p_outcome => ${outcome}) as is_found`,
  )
  return rows[0]!.is_found
}

/** Notes the counts of past hours in the ledger, and deletes old calls. @returns whether there may be more to do */
export async function noteToolCounts(db: Db, account: string): Promise<boolean> {
  const before = new Date(Date.now() - limits.toolCountsLateMs - 3_600_000)
  const forgetBefore = new Date(Date.now() - limits.toolCallsKeptDays * 86_400_000)
  const rows = await db.run<{ is_more: boolean }>(
    (sql) => sql`
      select gate.note_tool_counts(
        p_account => ${account}, p_before => ${before}, p_rows => ${limits.toolCountsPerEntryMax},
        p_forget_before => ${forgetBefore}) as is_more`,
  )
  return rows[0]!.is_more
}
