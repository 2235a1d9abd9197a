import type { Json } from '../../../gate/canonical.ts'
import type { Status } from '../../../gate/lifecycle.ts'
import type { Db, Fragment, Sql } from '../../connect.ts'
import type { LedgerHead } from './ledger.ts'
import { limits } from '../../../limits.ts'

/** A ledger entry that changes an action. */
export interface ActionEntry {
  /** UTC, ISO 8601 with milliseconds. */
  at: string
  entry: string
  /** `admin:` and the address of the administrator who acted; null if none did. */
  by: string | null
}

/** Recipient counts by state. */
export type StateCounts = Record<string, number>

/** An action with its ledger entries, for verification. Times are in UTC, ISO 8601 with milliseconds. */
export interface VerificationRow {
  id: number
  uuid: string
  kind: string
  kind_version: number | null
  status: Status
  member_id: string | null
  member: string
  tier_at_request: string
  source: string
  payload: { [key: string]: Json }
  salt: Buffer | null
  created_at: string
  requires_confirmation: boolean
  denial_reason: string | null
  denial_code: string | null
  denial_needs: { [key: string]: Json } | null
  rationale: string | null
  consent_required: string | null
  facts: Json
  input: string | null
  decline_reason: string | null
  reach_slack: number
  reach_email: number
  reach_unreachable: number
  /** Hex. */
  recipients: string | null
  digest: string | null
  expires_at: string | null
  duplicate_of: number | null
  proposed_key: string | null
  requested_by: string | null
  /** The name of the API key that proposed. */
  key_name: string | null
  decision: string | null
  decided_at: string | null
  decided_key: string | null
  consent_strength: string | null
  consent_by: string | null
  consent_channel: string | null
  consent_tier: string | null
  consent_policy_version: number | null
  /** Hex hash of the card that was shown for the decision. */
  card: string | null
  closed_reason: string | null
  result: { [key: string]: Json } | null
  executed_at: string | null
  asked_required: string | null
  asked_via: string | null
  asked_at: string | null
  /** Its ledger entries, oldest first, without refusals, consent requests and deliveries. */
  entries: ActionEntry[]
  /** Consent requests: how many exist, how many are recorded, and how many match no entry. */
  requests: { made: number; told: number; untold: number; is_asked_told: boolean }
  /** Recipient counts of each broadcast step: in its entry (`told`), and in its deliveries (`made`). */
  steps: { step: string; told: StateCounts; made: StateCounts }[]
  /** By channel. */
  deliveries: Record<string, StateCounts>
  call: { state: string; code: string | null; id: string | null } | null
  /** The claim of an action that is executed by whoever claims it. */
  executor_call: { state: string; code: string | null; has_body: boolean; result: Json } | null
  claim: {
    state: string
    lease_expires_at: string | null
    outcome: string | null
    result: Json
  } | null
  /** The consent to a tool call. */
  grant: { is_granted: boolean; is_used: boolean } | null
}

const times = ['created_at', 'expires_at', 'decided_at', 'executed_at', 'asked_at'] as const
type StoredRow = Omit<VerificationRow, (typeof times)[number]> & Record<(typeof times)[number], Date | null>

/**
 * A page of actions after `after`, by id, and the ledger head of the same snapshot.
 * @param page.archived  entries of these actions that the database no longer has: a JSON object of lists by id
 */
export async function pageVerificationRows(
  db: Db,
  account: string,
  page: { after: number; limitRows: number; archived: string },
): Promise<{ head: LedgerHead; rows: VerificationRow[] }> {
  const rows = await db.read<LedgerHead & StoredRow>(
    (sql) => sql`
      select h.*, a.* from gate.tenant(${account}) t(id),
      lateral (
        select seq, encode(hash, 'hex') as hash, at, action_seq, clock_timestamp() as now,
          (select coalesce(max(l.seq), 0) from gate.ledger l where l.account_id = t.id) as last_seq
        from gate.ledger_head where account_id = t.id offset 0
      ) h
      cross join lateral (select ${page.archived}::text::jsonb as entries offset 0) archived
      left join lateral (
        select r.id, r.uuid, r.kind, r.kind_version, r.status, r.member_id, r.member, r.tier_at_request, r.source, r.payload, r.salt,
          r.created_at, r.requires_confirmation, r.denial_reason, r.denial_code, r.denial_needs, r.rationale, r.consent_required,
          r.facts, r.input, r.decline_reason, r.reach_slack, r.reach_email, r.reach_unreachable,
          encode(r.recipients, 'hex') as recipients, r.digest, r.expires_at, r.duplicate_of, r.proposed_key,
          r.requested_by,
          (select k.name from gate.api_key k where k.account_id = t.id and k.key_id = r.proposed_key) as key_name,
          r.decision, r.decided_at, r.decided_key, r.consent_strength, r.consent_by, r.consent_channel,
          r.consent_tier, r.consent_policy_version,
          encode(r.card, 'hex') as card, r.closed_reason, r.result, r.executed_at,
          r.asked_required, r.asked_via, r.asked_at,
          ${entriesOf(sql)} as entries,
          ${requestsOf(sql)} as requests,
          ${stepsOf(sql)} as steps,
          ${deliveriesOf(sql)} as deliveries,
          ${callOf(sql)} as call,
          ${claimOf(sql)} as claim,
          ${executorCallOf(sql)} as executor_call,
          ${grantOf(sql)} as grant
        from gate.action r
        where r.account_id = t.id and r.id > ${page.after}
        order by r.id
        limit ${page.limitRows}
      ) a on true
      order by a.id`,
  )
  return { head: rows[0]!, rows: rows.filter((row) => row.id !== null).map(toVerificationRow) }
}

/** The archived entries of the action `r`. */
const archivedOf = (sql: Sql): Fragment => sql`
  select x.seq, x.at, x.kind, x.entry
  from jsonb_to_recordset(archived.entries -> r.id::text) x(seq bigint, at timestamptz, kind text, entry text)`

/** The entries of the action `r`, which is not a check. */
const ledgerOf = (sql: Sql): Fragment => sql`
  select e.seq, e.at, e.kind, e.entry from gate.ledger e
  where e.account_id = t.id and e.action_id = r.id and e.kind <> 'checked'
  union all
  ${archivedOf(sql)}`

/** The ledger entries that change the action `r`, in order. */
const entriesOf = (sql: Sql): Fragment => sql`
  case when r.kind = 'capability_check' then (
    select json_agg(json_build_object('at', l.at at time zone 'UTC', 'entry', l.entry))
    from (
      select e.at, e.entry from gate.ledger e
      where e.account_id = t.id and e.event_id = r.uuid and e.action_id = r.id and e.kind = 'checked'
      union all
      select a.at, a.entry from (${archivedOf(sql)}) a
    ) l
  ) else (
    select json_agg(json_build_object(
      'at', l.at at time zone 'UTC', 'entry', l.entry,
      'by', case when l.kind = 'confirmed' then (
        select 'admin:' || m.email from gate.admin m
        where m.account_id = t.id and 'admin:' || m.admin_id = l.entry::json ->> 'actor'
      ) end) order by l.seq)
    from (
      select l.seq, l.at, l.kind, l.entry from (${ledgerOf(sql)}) l
      where l.kind not in ('decision_refused', 'consent_requested', 'delivered')
      order by l.seq
      limit ${limits.ledgerEntriesPerActionMax}
    ) l
  ) end`

/** How many consent requests `r` has, and how many its entries record. */
const requestsOf = (sql: Sql): Fragment => sql`
  case when r.requires_confirmation then (
    select json_build_object(
      'made', (
        select count(*) from gate.consent_request q where q.account_id = t.id and q.action_id = r.id
      ),
      'told', count(*),
      'untold', (
        select count(*) from gate.consent_request q
        where q.account_id = t.id and q.action_id = r.id and not exists (
          select 1 from (${ledgerOf(sql)}) l
          where l.kind = 'consent_requested' and l.at = q.created_at
            and l.entry::json -> 'data' ->> 'required' = q.required
            and l.entry::json -> 'data' ->> 'via' = q.via
            and (l.entry::json -> 'data' ->> 'is_reminder' is not null) = q.is_reminder
        )
      ),
      'is_asked_told', coalesce(
        bool_or(l.entry::json -> 'data' ->> 'required' = r.asked_required)
        and bool_or(l.at = r.asked_at and l.entry::json -> 'data' ->> 'via' = r.asked_via), false))
    from (${ledgerOf(sql)}) l
    where l.kind = 'consent_requested'
  ) end`

/** The recipient counts of each step of the broadcast `r`, recorded and actual. */
const stepsOf = (sql: Sql): Fragment => sql`
  case when r.recipients is not null and r.status = 'executed' then (
    select json_agg(json_build_object(
      'step', d.data ->> 'step', 'told', d.data - 'step', 'made', (
        select coalesce(json_object_agg(s.state, s.count), '{}') from (
          select u.state, count(*) as count
          from gate.delivery v cross join unnest(v.states) u(state)
          where v.account_id = t.id and v.action_id = r.id and v.channel = d.part[1]
            and v.slice >= d.part[2]::integer and v.slice < d.part[3]::integer
          group by u.state
        ) s
      )))
    from (
      select l.entry::jsonb -> 'data' as data,
        regexp_match(l.entry::jsonb -> 'data' ->> 'step', '^(\\w+):(\\d{1,9})-(\\d{1,9})$') as part
      from (${ledgerOf(sql)}) l
      where l.kind = 'delivered'
    ) d
  ) end`

/** The recipient counts of the broadcast `r` by channel. */
const deliveriesOf = (sql: Sql): Fragment => sql`
  case when r.recipients is not null and r.status = 'executed' then (
    select json_object_agg(c.channel, c.counts) from (
      select s.channel, json_object_agg(s.state, s.count) as counts from (
        select v.channel, u.state, count(*) as count
        from gate.delivery v cross join unnest(v.states) u(state)
        where v.account_id = t.id and v.action_id = r.id
        group by v.channel, u.state
      ) s
      group by s.channel
    ) c
  ) end`

/** The provider call of the action `r`. */
const callOf = (sql: Sql): Fragment => sql`
  case when r.status in ('executed', 'cancelled') and r.decision = 'confirm' and r.recipients is null then (
    select json_build_object('state', c.state, 'code', c.code, 'id', c.answer ->> 'id')
    from gate.provider_call c
    where c.account_id = t.id and c.action_id = r.id
    order by c.step
    limit 1
  ) end`

/** The claim of the action `r`. */
const claimOf = (sql: Sql): Fragment => sql`
  case when r.decision = 'confirm' and r.recipients is null then (
    select json_build_object(
      'state', c.state, 'lease_expires_at', c.lease_expires_at at time zone 'UTC', 'outcome', c.outcome, 'result', c.result)
    from gate.claim c
    where c.account_id = t.id and c.action_id = r.id
  ) end`

/** The call of the executor of the action `r`, with what the executor said. */
const executorCallOf = (sql: Sql): Fragment => sql`
  case when r.kind_version is not null and r.decision = 'confirm' then (
    select json_build_object('state', c.state, 'code', c.code, 'has_body', c.body <> '', 'result', s.result)
    from gate.executor_call c
    left join gate.executor_result s on s.account_id = c.account_id and s.action_id = c.action_id
    where c.account_id = t.id and c.action_id = r.id
  ) end`

/** The consent to the tool call `r`. */
const grantOf = (sql: Sql): Fragment => sql`
  case when r.kind = 'runner_tool' and r.requires_confirmation then (
    select json_build_object('is_granted', g.granted_at is not null, 'is_used', g.spent_at is not null)
    from gate.tool_consent g
    where g.account_id = t.id and g.action_id = r.id
  ) end`

function toVerificationRow(row: StoredRow): VerificationRow {
  const iso = Object.fromEntries(times.map((name) => [name, row[name]?.toISOString() ?? null]))
  return {
    ...row,
    ...(iso as Pick<VerificationRow, (typeof times)[number]>),
    entries: (row.entries ?? []).map((entry) => ({ ...entry, at: new Date(`${entry.at}Z`).toISOString() })),
    requests: row.requests ?? { made: 0, told: 0, untold: 0, is_asked_told: false },
    steps: row.steps ?? [],
    deliveries: row.deliveries ?? {},
  }
}
