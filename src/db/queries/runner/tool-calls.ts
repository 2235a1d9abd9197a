import type { DenialNeeds } from '../../../gate/denial.ts'
import type { Effect } from '../../../gate/runner-calls/tool-call.ts'
import type { Tier } from '../../../gate/tier.ts'
import { limits } from '../../../limits.ts'
import type { Db } from '../../connect.ts'
import { jsonArgument } from '../../json-argument.ts'

const toolCountsLateMs = 300_000

/** So many tools fit in an entry, with 255 characters each, every one escaped. */
const toolCountsPerEntryMax = 25

/** Whom a tool call was decided for, and the facts that the decision rests on. */
export interface ToolCallAsker {
  keyId: string
  apiKey: Buffer
  memberId: string
  member: string
  tier: Tier
  memberVersion: number
  curriculaVersion: number
  policyVersion: number
  isSuspended: boolean
}

/** An answer to a tool call that needs no consent. */
export interface ToolCallToRecord {
  asker: ToolCallAsker
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
  /** The rule that decided, in words. */
  rule: string
  denialReason: string | null
  denialCode: string | null
  denialNeeds: DenialNeeds | null
}

export interface RecordedToolCall {
  outcome: 'recorded' | 'replayed' | 'stale' | 'unauthenticated'
  action_id: number | null
}

/**
 * Records a group of answers of one account: all with a row, or all without. No two have the same ref and binding.
 * The results are in the order of the calls.
 */
export async function recordToolCalls(
  db: Db,
  account: string,
  calls: ToolCallToRecord[],
): Promise<RecordedToolCall[]> {
  // The calls of a group are mostly of few keys, whose facts are checked once.
  const askers = new Map<string, { place: number; argument: string }>()
  const rows = calls.map((call) => {
    const facts = factsOf(call.asker)
    if (!askers.has(facts)) askers.set(facts, { place: askers.size, argument: askerArgument(call.asker) })
    return callArgument(call, askers.get(facts)!.place)
  })
  const given = [...askers.values()].map(({ argument }) => argument)
  return db.run<RecordedToolCall>(
    (sql) => sql`
      select * from gate.record_tool_calls(
        p_account => ${account}, p_askers => ${`[${given.join(',')}]`}::text::jsonb,
        p_calls => ${`[${rows.join(',')}]`}::text::jsonb, p_have_rows => ${calls[0]!.row !== null},
        p_same_ms => ${limits.toolCallSameMs})`,
  )
}

const factsOf = (a: ToolCallAsker): string =>
  `${a.keyId} ${a.memberId} ${a.apiKey.toString('latin1')} ${a.memberVersion} ${a.curriculaVersion} ${a.policyVersion} ${a.isSuspended}`

const askerArgument = (a: ToolCallAsker): string =>
  jsonArgument({
    key_id: a.keyId,
    api_key: a.apiKey,
    member_id: a.memberId,
    member_version: a.memberVersion,
    curricula_version: a.curriculaVersion,
    policy_version: a.policyVersion,
    is_suspended: a.isSuspended,
  })

const callArgument = ({ asker, row, ...call }: ToolCallToRecord, place: number): string =>
  jsonArgument({
    asker: place,
    tier: asker.tier,
    runner: call.runner,
    tool: call.tool,
    effect: call.effect,
    ref: call.ref,
    binding: call.binding,
    has_id: call.hasId,
    decision: call.decision,
    rule: call.rule,
    call: call.call,
    ...(row && {
      member: asker.member,
      policy_version: asker.policyVersion,
      uuid: row.uuid,
      payload: row.payload,
      salt: row.salt,
      input: row.input,
      rule_text: row.rule,
      denial_reason: row.denialReason,
      denial_code: row.denialCode,
      denial_needs: row.denialNeeds,
    }),
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
  const before = new Date(Date.now() - toolCountsLateMs - 3_600_000)
  const forgetBefore = new Date(Date.now() - limits.toolCallsKeptDays * 86_400_000)
  const rows = await db.run<{ is_more: boolean }>(
    (sql) => sql`
      select gate.note_tool_counts(
        p_account => ${account}, p_before => ${before}, p_rows => ${toolCountsPerEntryMax},
        p_forget_before => ${forgetBefore}) as is_more`,
  )
  return rows[0]!.is_more
}
