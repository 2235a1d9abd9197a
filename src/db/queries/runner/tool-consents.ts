import type { Effect } from '../../../gate/runner-calls/tool-call.ts'
import { limits } from '../../../limits.ts'
import type { Db } from '../../connect.ts'
import { jsonArgument } from '../../json-argument.ts'
import type { ActionRow } from '../actions/actions.ts'
import type { FactVersions } from '../actions/decide.ts'

/** A tool call that needs consent, as it is kept. */
export interface ToolCallToKeep {
  /** Everything that the repeat of the call must have in common with it. */
  binding: Buffer
  runner: string
  tool: string
  effect: Effect
  /** What identifies the call. */
  ref: Buffer
  /** The number of the rule that decided, from 1; null: no rule matched. */
  rule: number | null
  /** What rules read, as JSON; null if it is too long. */
  call: string | null
}

/** The newest consent to a call, with its action. */
export interface ToolConsent {
  action: ActionRow
  granted_at: Date | null
  /** When the grant ends. */
  expires_at: Date | null
  spent_at: Date | null
  /** The member was asked because of this very call. */
  is_asked_by_call: boolean
  /** This very call has used it up. */
  is_spent_by_call: boolean
  now: Date
}

/**
 * The newest consent for calls with this binding; undefined if there is none.
 * @param call.hasId  the runner gave the call an id; without one, it is the same call for `limits.toolCallSameMs`
 */
export async function readToolConsent(
  db: Db,
  account: string,
  call: { binding: Buffer; ref: Buffer; hasId: boolean },
): Promise<ToolConsent | undefined> {
  const rows = await db.read<
    ActionRow & Omit<ToolConsent, 'action' | 'expires_at'> & { grant_ends_at: Date | null }
  >(
    (sql) => sql`
      select a.*, c.granted_at, c.grant_ends_at, c.spent_at, clock_timestamp() as now,
        coalesce('consent' = any (k.decisions), false) as is_asked_by_call,
        coalesce('allow' = any (k.decisions), false) as is_spent_by_call
      from gate.tenant(${account}) t(id),
      lateral (
        select f.action_id, f.granted_at, f.expires_at as grant_ends_at, f.spent_at from gate.tool_consent f
        where f.account_id = t.id and f.binding = ${call.binding}
        order by f.action_id desc
        limit 1 offset 0
      ) c,
      lateral (
        select array_agg(s.decision) as decisions from gate.tool_call s
        where s.account_id = t.id and s.ref = ${call.ref} and s.action_id = c.action_id
          and (${call.hasId} or s.at > clock_timestamp() - ${limits.toolCallSameMs} * interval '1 millisecond')
      ) k,
      lateral (select * from gate.action r where r.account_id = t.id and r.id = c.action_id offset 0) a`,
  )
  const row = rows[0]
  if (!row) return undefined
  const { granted_at, grant_ends_at, spent_at, is_asked_by_call, is_spent_by_call, now, ...action } = row
  return { action, granted_at, expires_at: grant_ends_at, spent_at, is_asked_by_call, is_spent_by_call, now }
}

/** Makes a confirmed consent a grant, once. */
export async function grantToolCall(db: Db, account: string, id: number, ttlMs: number): Promise<void> {
  await db.run(
    (sql) => sql`select gate.grant_tool_call(p_account => ${account}, p_id => ${id}, p_ttl_ms => ${ttlMs})`,
  )
}

/** Settles a confirmed consent finally: not granted means that it never will be. @returns when the grant ends; null if there is none */
export async function settleToolGrant(db: Db, account: string, id: number): Promise<Date | null> {
  const rows = await db.run<{ ends_at: Date | null }>(
    (sql) => sql`select gate.settle_tool_grant(p_account => ${account}, p_id => ${id}) as ends_at`,
  )
  return rows[0]!.ends_at
}

export type SpendOutcome = 'spent' | 'gone' | 'stale' | 'suspended' | 'late'

/**
 * Uses up a grant: of several that try, one gets `spent`. A lost answer leaves it used up.
 * @param grant.withinMs  how long it may wait for others. After that it is `late`, and the grant stays
 */
export async function spendToolGrant(
  db: Db,
  grant: {
    account: string
    id: number
    apiKey: Buffer
    memberId: string
    versions: FactVersions
    withinMs: number
    call: ToolCallToKeep
  },
): Promise<SpendOutcome> {
  const { account, id, apiKey, memberId, versions, withinMs, call } = grant
  const argument = jsonArgument({
    api_key: apiKey,
    member_id: memberId,
    member_version: versions.member,
    curricula_version: versions.curricula,
    policy_version: versions.policy,
    within_ms: withinMs,
    ...call,
  })
  const rows = await db.run<{ outcome: SpendOutcome }>(
    (sql) => sql`
      select gate.spend_tool_grant(
        p_account => ${account}, p_id => ${id}, p_call => ${argument}::text::jsonb) as outcome`,
  )
  return rows[0]!.outcome
}

/** The state of the consent to a call. */
export type ToolGrant = Pick<ToolConsent, 'granted_at' | 'expires_at' | 'spent_at'>

/** The consent that an action waits for, or waited for; undefined where it is none of a tool call. */
export async function readToolGrant(db: Db, account: string, id: number): Promise<ToolGrant | undefined> {
  const rows = await db.read<ToolGrant>(
    (sql) => sql`
      select c.granted_at, c.expires_at, c.spent_at from gate.tenant(${account}) t(id),
      lateral (select * from gate.tool_consent f where f.account_id = t.id and f.action_id = ${id} offset 0) c`,
  )
  return rows[0]
}
