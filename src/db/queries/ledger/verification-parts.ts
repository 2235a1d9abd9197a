import type { Fragment, Sql } from '../../connect.ts'

/**
 * An action has at most five ledger entries that change it, and its approvals; more would already fail the check of the chain. A mandate
 * has one for each use, and for each time that it was frozen or resumed.
 */
const ledgerEntriesPerActionMax = 100

// What `gate ledger verify` reads beside an action `r` of the tenant `t`: each a JSON value.

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
export const entriesOf = (sql: Sql): Fragment => sql`
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
      where l.kind not in ('decision_refused', 'consent_requested', 'consent_message_frozen', 'delivered')
      order by l.seq
      limit case when r.kind not in ('runner_mandate', 'mandate') then ${ledgerEntriesPerActionMax}::bigint end
    ) l
  ) end`

/** How many consent requests `r` has, and how many its entries record. */
export const requestsOf = (sql: Sql): Fragment => sql`
  case when r.requires_confirmation then (
    select json_build_object(
      'made', (
        select count(*) from gate.consent_request q where q.account_id = t.id and q.action_id = r.id
      ),
      'told', count(*),
      'untold', (
        select count(*) from gate.consent_request q
        where q.account_id = t.id and q.action_id = r.id and (encode(q.workspace, 'hex') is distinct from (
          select l.entry::json -> 'data' ->> 'workspace' from (${ledgerOf(sql)}) l
          where l.kind = 'consent_message_frozen' and l.entry::json -> 'data' ->> 'request' = q.n::text
          order by l.seq desc
          limit 1
        ) or not exists (
          select 1 from (${ledgerOf(sql)}) l
          where l.kind = 'consent_requested' and l.at = q.created_at
            and l.entry::json -> 'data' ->> 'required' = q.required
            and l.entry::json -> 'data' ->> 'via' = q.via
            and (l.entry::json -> 'data' ->> 'is_reminder' is not null) = q.is_reminder
            and q.member_id is not distinct from coalesce(l.entry::json -> 'data' ->> 'approver', r.member_id)
            and (q.is_reminder or q.asked_key is not distinct from l.entry::json ->> 'key')
            -- Entries from before it was recorded have none.
            and coalesce(l.entry::json -> 'data' ->> 'address_digest', '') in (
              '', case when r.member = 'erased' then l.entry::json -> 'data' ->> 'address_digest' end,
              encode(sha256(convert_to(r.uuid::text || ' ' || q.address, 'UTF8')), 'hex'))
        ))
      ),
      'is_asked_told', coalesce(
        bool_or(l.entry::json -> 'data' ->> 'required' = r.asked_required)
        and bool_or(l.at = r.asked_at and l.entry::json -> 'data' ->> 'via' = r.asked_via), false))
    from (${ledgerOf(sql)}) l
    where l.kind = 'consent_requested'
  ) end`

/** The consents and approvals of `r`, where others must approve it. */
export const approvalsOf = (sql: Sql): Fragment => sql`(
    select json_agg(json_build_array(
      v.member_id, v.digest, v.strength, v.channel, encode(v.card, 'hex'), v.at at time zone 'UTC', v.for_member,
      v.ended_at is not null) order by v.n)
    from gate.approval v where v.account_id = t.id and v.action_id = r.id
  )`

/** The break-glass of `r`, and its review. */
export const glassOf = (sql: Sql): Fragment => sql`(
    select json_build_object(
      'member', b.member_id, 'digest', b.digest, 'channel', b.channel, 'card', encode(b.card, 'hex'), 'passkey', b.passkey,
      'due', b.review_due_at at time zone 'UTC', 'at', b.at at time zone 'UTC',
      'reason', b.reason,
      'is_justified', b.is_justified, 'reviewed_by', b.reviewed_by, 'reviewed_at', b.reviewed_at at time zone 'UTC',
      'note', b.note)
    from gate.glass_break b where b.account_id = t.id and b.action_id = r.id
  )`

/** The recipient counts of each step of the broadcast `r`, recorded and actual. */
export const stepsOf = (sql: Sql): Fragment => sql`
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
export const deliveriesOf = (sql: Sql): Fragment => sql`
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
export const callOf = (sql: Sql): Fragment => sql`
  case when r.status in ('executed', 'cancelled') and r.decision = 'confirm' and r.recipients is null then (
    select json_build_object('state', c.state, 'code', c.code, 'id', c.answer ->> 'id')
    from gate.provider_call c
    where c.account_id = t.id and c.action_id = r.id
    order by c.step
    limit 1
  ) end`

/** The claim of the action `r`. */
export const claimOf = (sql: Sql): Fragment => sql`
  case when r.decision = 'confirm' and r.recipients is null then (
    select json_build_object(
      'state', c.state, 'lease_expires_at', c.lease_expires_at at time zone 'UTC', 'outcome', c.outcome, 'result', c.result)
    from gate.claim c
    where c.account_id = t.id and c.action_id = r.id
  ) end`

/** The call of the executor of the action `r`, with what the executor said. */
export const executorCallOf = (sql: Sql): Fragment => sql`
  case when r.kind_version is not null and r.decision = 'confirm' then (
    select json_build_object('state', c.state, 'code', c.code, 'has_body', c.body <> '', 'result', s.result)
    from gate.executor_call c
    left join gate.executor_result s on s.account_id = c.account_id and s.action_id = c.action_id
    where c.account_id = t.id and c.action_id = r.id
  ) end`

/** The consent to the tool call `r`. */
export const grantOf = (sql: Sql): Fragment => sql`
  case when r.kind = 'runner_tool' and r.requires_confirmation then (
    select json_build_object(
      'is_granted', g.granted_at is not null, 'is_used', g.spent_at is not null,
      'granted_at', g.granted_at at time zone 'UTC', 'expires_at', g.expires_at at time zone 'UTC',
      'spent_at', g.spent_at at time zone 'UTC',
      'is_of_its_call', not exists (
        select 1 from gate.tool_call c
        where c.account_id = t.id and c.action_id = r.id and c.binding is distinct from g.binding))
    from gate.tool_consent g
    where g.account_id = t.id and g.action_id = r.id
  ) end`

/** The mandate that the action `r` proposed. */
export const mandateOf = (sql: Sql): Fragment => sql`
  case when r.kind in ('runner_mandate', 'mandate') then (
    select json_build_object('is_granted', m.granted_at is not null, 'is_ended', m.ended_at is not null, 'uses', m.uses,
      'is_frozen', m.frozen_at is not null, 'debits', (
        select coalesce(json_agg(json_build_array(b.n, b.action_id, b.cents, b.currency) order by b.n), '[]')
        from gate.mandate_debit b where b.account_id = t.id and b.mandate_id = r.id),
      'scope', encode(m.scope, 'hex'), 'member_id', m.member_id, 'key_id', m.key_id,
      'granted_at', m.granted_at at time zone 'UTC', 'expires_at', m.expires_at at time zone 'UTC')
    from gate.mandate m
    where m.account_id = t.id and m.action_id = r.id
  ) end`

/** The mandates that have a use for the action `r`. */
export const debitedOf = (sql: Sql): Fragment => sql`
  (select json_agg(b.mandate_id) from gate.mandate_debit b where b.account_id = t.id and b.action_id = r.id)`
