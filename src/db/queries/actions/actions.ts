import type { ApprovalRule } from '../../../gate/approvals/rule.ts'
import type { DenialCode, DenialNeeds } from '../../../gate/denial.ts'
import type { Status } from '../../../gate/lifecycle.ts'
import type { Tier } from '../../../gate/tier.ts'
import { limits } from '../../../limits.ts'
import type { Db, Fragment, Sql } from '../../connect.ts'

export { type DenialNeeds }

/** A row of `gate.action`, as stored. */
export interface ActionRow {
  account_id: string
  id: number
  uuid: string
  kind: string
  /** The version of a declared kind; null: a kind of the gate's own. */
  kind_version: number | null
  status: Status
  member_id: string | null
  member: string
  tier_at_request: Tier
  source: string
  payload: Record<string, unknown>
  salt: Buffer | null
  /** The ids of the API keys that proposed and decided; `requested_by` is the name of the first. */
  proposed_key: string | null
  decided_key: string | null
  requested_by: string | null
  /** The host of the connected app that proposed it. */
  requested_host: string | null
  created_at: Date
  requires_confirmation: boolean
  denial_reason: string | null
  denial_code: DenialCode | null
  denial_needs: DenialNeeds | null
  /** Written by the agent; part of the digest. */
  rationale: string | null
  /** The consent that the policy required when it was proposed. */
  consent_required: string | null
  /** What the provider said when it was proposed: labels and values for the card. */
  facts: [label: string, value: string][] | null
  /** What a runner's tool call carries, with secrets masked. */
  input: string | null
  /** Written by the member. */
  decline_reason: string | null
  reach_slack: number
  reach_email: number
  reach_unreachable: number
  reach_teams: number
  recipients: Buffer | null
  digest: string | null
  expires_at: Date | null
  decision: 'confirm' | 'cancel' | 'expire' | 'admin_cancel' | 'deny' | null
  decided_at: Date | null
  command_id: string | null
  consent_strength: string | null
  consent_by: string | null
  consent_channel: string | null
  /** Evidence of a consent by passkey: see PasskeyEvidence. */
  consent_passkey: Record<string, unknown> | null
  /** The tier at the consent; null also where it was given before receipts were. */
  consent_tier: Tier | null
  consent_policy_version: number | null
  begun_at: Date | null
  closed_reason: string | null
  result: Record<string, unknown> | null
  executed_at: Date | null
  /** The consent request in force, while the action is open. */
  asked_required: string | null
  asked_via: string | null
  asked_at: Date | null
  /** Hash of the card that was shown to the person who decided; null if the gate showed none. */
  card: Buffer | null
  duplicate_of: number | null
  /** The action that it answers, which its member declined. */
  replaces: number | null
  /** What the money concerns; null for kinds without money. */
  subject: string | null
  /** Who the money goes to, where its kind adds up by that too. */
  customer: string | null
  /** The amount of an action of a declared kind that has one, in whole cents. */
  amount_cents: number | null
  amount_currency: string | null
  /** The mandate that it was confirmed by. */
  mandate_id: number | null
  /** Version 1, where its member changed it before they approved. Of an erased payload only the digest is left. */
  former: FormerVersion | null
  /** Who else must approve, as the policy said when it was proposed; null: nobody. */
  approval_rule: ApprovalRule | null
  /** When its member consented, and since when others are asked; null: not yet, or nobody else must approve. */
  consented_at: Date | null
  approvals_given: number | null
}

/** An action as it was proposed, where it was changed after that. */
export interface FormerVersion {
  digest: string
  payload?: Record<string, unknown>
  facts?: [label: string, value: string][] | null
  duplicate_of?: number | null
  /** Hex. */
  recipients?: string | null
  reach_slack?: number
  reach_email?: number
  reach_teams?: number
}

/** How far a running execution is: its recipients, without unreachable ones, and its claim. */
export interface Progress {
  delivered: number
  remaining: number
  /** Only an action that is executed by claim has it: whether somebody has it. */
  claim: 'open' | 'held' | 'ended' | null
  /** Only an action that is executed by calls has it: the one that is under way. */
  call: CallProgress | null
}

/** How the call of a running action goes. Times as the interface shows them. */
export interface CallProgress {
  attempts: number
  last_error: string | null
  failing_since: string | null
  /** null: an attempt is under way, or nobody knows when the next one is. */
  next_attempt_at: string | null
  /** The end of its repeats; null where tries are counted instead. */
  repeated_until: string | null
}

/** What the interface shows of a row, and the progress while it runs. Times are written as the interface shows them. */
export type ShownRow = Written<Omit<ActionRow, Hidden>> & { progress: Progress | null }

type Hidden =
  | 'account_id'
  | 'uuid'
  | 'member_id'
  | 'salt'
  | 'proposed_key'
  | 'decided_key'
  | 'facts'
  | 'input'
  | 'command_id'
  | 'card'
  | 'subject'
  | 'customer'
  | 'amount_cents'
  | 'amount_currency'
  | 'consent_tier'
  | 'consent_policy_version'
  | 'consent_passkey'

type Written<T> = {
  [Name in keyof T]: T[Name] extends Date | Buffer | null ? Exclude<T[Name], Date | Buffer> | string : T[Name]
}

/** The result of a write about an action: the outcome, and the current row. */
export type Outcome<O extends string> = { outcome: O; action: ActionRow }

type OutcomeRow = ActionRow & { outcome: string }

export function outcomeOf<O extends string>(rows: OutcomeRow[]): Outcome<O> {
  const { outcome, ...action } = rows[0]!
  return { outcome: outcome as O, action }
}

/** One action of an account; undefined if it does not exist. */
export async function readAction(db: Db, account: string, id: number): Promise<ActionRow | undefined> {
  const rows = await db.read<ActionRow>(
    (sql) => sql`
      select a.* from gate.tenant(${account}) t(id),
      lateral (select * from gate.action where account_id = t.id and id = ${id} offset 0) a`,
  )
  return rows[0]
}

/** The same by its UUID. */
export async function readActionByUuid(
  db: Db,
  account: string,
  uuid: string,
): Promise<ActionRow | undefined> {
  const rows = await db.read<ActionRow>(
    (sql) => sql`
      select a.* from gate.tenant(${account}) t(id),
      lateral (select * from gate.action where account_id = t.id and uuid = ${uuid}::uuid offset 0) a`,
  )
  return rows[0]
}

/** The progress of a running execution. */
export async function readProgress(db: Db, account: string, id: number): Promise<Progress | undefined> {
  const rows = await db.read<{ progress: Progress }>(
    (sql) => sql`
      select d.progress from gate.tenant(${account}) t(id),
      lateral (${progressOf(sql, sql`t.id`, sql`${id}::bigint`)}) d(progress)`,
  )
  return rows[0]?.progress
}

/** The progress of an action, as JSON. */
export const progressOf = (sql: Sql, account: Fragment, id: Fragment): Fragment => sql`
  select json_build_object(
    'call', (${callOf(sql, account, id)}),
    'delivered', count(*) filter (where s = 'ok'),
    'remaining', count(*) filter (where s in ('pending', 'sending')),
    'claim', (
      select case coalesce(c.state, 'open') when 'open' then 'open' when 'held' then 'held' else 'ended' end
      from gate.action e
      join gate.kind k on k.account_id = e.account_id and k.kind = e.kind and k.version = e.kind_version
      left join gate.claim c on c.account_id = e.account_id and c.action_id = e.id
      where e.account_id = ${account} and e.id = ${id} and k.document #>> '{executor,type}' = 'claim'
    ))
  from gate.delivery d cross join unnest(d.states) s
  where d.account_id = ${account} and d.action_id = ${id}`

/** The call that an action is executed by, as JSON: that of its executor, of a provider, or of a channel that is not delivered to yet. */
const callOf = (sql: Sql, account: Fragment, id: Fragment): Fragment => sql`
  select json_build_object(
    'attempts', c.attempts, 'last_error', c.code, 'failing_since', ${iso(sql, sql`c.failing_since`)},
    'next_attempt_at', case when c.state <> 'sending' then ${iso(sql, sql`c.due_at`)} end,
    'repeated_until', case when c.state in ('pending', 'sending', 'accepted') then ${iso(sql, sql`c.until`)} end)
  from (
    select e.attempts, case when e.failing_since is not null then e.code end as code, e.failing_since, e.state, e.due_at,
      e.first_at + ${limits.executorRepeatMs} * interval '1 millisecond' as until
    from gate.executor_call e where e.account_id = ${account} and e.action_id = ${id}
    union all
    select p.attempt, case when p.failing_since is not null then p.code end, p.failing_since, p.state, null, null
    from gate.provider_call p where p.account_id = ${account} and p.action_id = ${id}
    union all
    select max(v.attempt), max(u.code), null, 'pending', null, null
    from gate.delivery v cross join unnest(v.states, v.codes) u(state, code)
    where v.account_id = ${account} and v.action_id = ${id} and u.state in ('pending', 'sending') and u.code <> ''
    having count(*) > 0
  ) c
  where c.attempts > 0
  limit 1`

const iso = (sql: Sql, at: Fragment): Fragment =>
  sql`to_char(${at} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

export interface UsedKey {
  request: Buffer
  action_id: number
}

/** The request that used an Idempotency-Key that still holds, if any. */
export async function readUsedKey(
  db: Db,
  account: string,
  operation: string,
  key: string,
): Promise<UsedKey | undefined> {
  const rows = await db.read<UsedKey>(
    (sql) => sql`
      select i.* from gate.tenant(${account}) t(id),
      lateral (
        select request, action_id from gate.idempotency used
        where account_id = t.id and operation = ${operation} and key = ${key}::uuid
          and gate.key_holds(used) offset 0
      ) i`,
  )
  return rows[0]
}
