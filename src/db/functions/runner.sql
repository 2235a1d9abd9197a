-- Tool calls of agent runners.

-- Records a group of answers that need no consent, of one account. A call that was answered the same before is not recorded
-- again; without an id of its own it counts as the same for p_same_ms. No two calls of a group have the same ref and binding.
-- p_askers: an array of objects, the facts that the answers rest on. p_calls: an array of objects, each with the place of its
-- asker from 0. p_have_rows: each call gets a row, and has what add_tool_rows reads besides.
-- outcome, in the order of the calls: recorded, replayed, stale (member, policy, curricula or suspension changed),
-- unauthenticated. action_id: its row, if any.
create function gate.record_tool_calls(
  p_account text, p_askers jsonb, p_calls jsonb, p_have_rows boolean, p_same_ms bigint
) returns table (outcome text, action_id bigint)
-- Planned once, and for tables that grow: a plan made while they were small would read all calls, until the next analyze.
language plpgsql security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan
set enable_seqscan = off as $$
#variable_conflict use_column
declare
  head gate.ledger_head;
  key_ids text[];
  member_ids text[];
  outcomes text[];
  ids bigint[];
begin
  -- An assignment: `perform` would run a query.
  p_account := gate.tenant(p_account);
  -- Without a row, no entry is appended: groups need not wait for each other.
  if p_have_rows then
    head := gate_private.lock_head(p_account);
  else
    head.at := date_trunc('milliseconds', clock_timestamp());
  end if;
  with judged as (
    select g.*, k.key_id, m.member_id, f.action_id as former_id, case
        -- The same condition as in key_holds, for a key that is bound to this member alone.
        when k.hash is null or not gate_private.is_key_in_force(k.revoked_at, k.expires_at) or m.is_active is not true
          then 'unauthenticated'
        when c.account_id is null or m.version is distinct from a.member_version then 'stale'
        -- A call allowed by consent has rule = null: do not replay it as an answer of the policy.
        when f.decision = g.decision and f.rule is not distinct from g.rule and (g.decision = 'deny' or f.rule is not null)
          then 'replayed'
        else 'recorded' end as outcome
    from rows from (jsonb_to_recordset(p_calls) as (
      asker integer, tier text, runner text, tool text, effect text, ref bytea, binding bytea,
      has_id boolean, decision text, rule integer, call text)) with ordinality
      g(asker, tier, runner, tool, effect, ref, binding, has_id, decision, rule, call, n)
    cross join lateral jsonb_to_record(p_askers -> g.asker) as a(
      key_id text, api_key bytea, member_id text, member_version bigint, curricula_version bigint, policy_version bigint,
      is_suspended boolean)
    left join gate_private.api_key_hash k on k.hash = a.api_key and k.account_id = p_account and k.key_id = a.key_id
      and k.powers = array['runner'] and k.actors = array[a.member_id]
    left join gate.account c on c.account_id = p_account and c.curricula_version = a.curricula_version
      and c.policy_version = a.policy_version and (c.suspended_at is not null) = a.is_suspended
    left join gate.member m on m.account_id = p_account and m.member_id = a.member_id
    left join lateral (
      select t.decision, t.rule, t.action_id from gate.tool_call t
      where t.account_id = p_account and t.ref = g.ref and t.binding = g.binding
        and (g.has_id or t.at > clock_timestamp() - p_same_ms * interval '1 millisecond')
      order by t.n desc limit 1
    ) f on true
  ), numbered as materialized (
    select j.*, case j.outcome when 'replayed' then j.former_id
      -- Null without rows. In the order in which they are read: sorting them takes longer, and their entries follow the ids.
      when 'recorded' then head.action_seq + count(*) filter (where j.outcome = 'recorded') over (rows unbounded preceding) end as id
    from judged j
  ), called as (
    insert into gate.tool_call (
      account_id, at, key_id, member_id, tier_at_request, runner, tool, effect, ref, binding, decision, rule, action_id, call)
    select p_account, head.at, j.key_id, j.member_id, j.tier, j.runner, j.tool, j.effect, j.ref, j.binding, j.decision, j.rule,
      j.id, j.call::json
    from numbered j where j.outcome = 'recorded'
  ), counted as (
    insert into gate.tool_count as t (account_id, hour, member_id, key_id, tool, allowed, denied)
    select p_account, date_trunc('hour', head.at), j.member_id, j.key_id, j.tool,
      count(*) filter (where j.decision = 'allow'), count(*) filter (where j.decision = 'deny')
    from numbered j where j.outcome = 'recorded'
    group by j.member_id, j.key_id, j.tool
    -- In one order, so that two groups do not wait for each other in a circle.
    order by j.member_id, j.key_id, j.tool
    on conflict on constraint tool_count_pkey do update
    set allowed = t.allowed + excluded.allowed, denied = t.denied + excluded.denied
  )
  select array_agg(j.outcome), array_agg(j.id), array_agg(j.key_id), array_agg(j.member_id)
  into outcomes, ids, key_ids, member_ids from (select * from numbered order by n) j;
  if p_have_rows then
    perform gate_private.add_tool_rows(head, key_ids, member_ids, p_calls, outcomes, ids);
  end if;
  for n in 1 .. coalesce(cardinality(outcomes), 0) loop
    outcome := outcomes[n];
    action_id := ids[n];
    return next;
  end loop;
end $$;

-- The entry of a tool call with a row, after its `{"action":<id>,`: written out for speed, as entry_tail and birth_data compose it.
create function gate_private.tool_tail(
  p_is_denied boolean, p_member_id text, p_key_id text, p_member text, p_tier text, p_policy_version bigint, p_uuid uuid,
  p_payload text, p_salt bytea, p_input text, p_rule text, p_reason text, p_code text, p_needs jsonb
) returns text
-- Stable, as to_json is: else PostgreSQL would call it instead of writing it into the statement.
language sql stable
return '"actor":' || to_json(p_member_id)::text || ',"data":{'
  || coalesce('"denial_code":' || to_json(p_code)::text || ',', '')
  || coalesce('"denial_needs":' || gate_private.canonical(nullif(p_needs, 'null')) || ',', '')
  || coalesce('"input_digest":"' || gate_private.payload_digest(p_salt, to_json(p_input)::text) || '",', '')
  || '"kind":"runner_tool","member_digest":"' || gate_private.text_digest(p_uuid, p_member)
  || '","policy_version":' || p_policy_version || ',"reach":[0,0,0]'
  || coalesce(',"reason":' || to_json(p_reason)::text, '')
  || case when p_is_denied then '' else ',"result":{"outcome":"done"}' end
  || ',"rule":' || to_json(p_rule)::text || ',"source":"runner","tier":' || to_json(p_tier)::text
  || '},"key":' || to_json(p_key_id)::text || ',"kind":"' || case when p_is_denied then 'denied' else 'tool_allowed' end
  || '","payload_digest":"' || gate_private.payload_digest(p_salt, p_payload) || '","v":2}';

-- Inserts the rows of the tool calls whose outcome is `recorded`: denied, or allowed where the policy records every call; and
-- appends their entries. p_head: locked. p_calls: as in record_tool_calls. The arrays have a place for each of them.
create function gate_private.add_tool_rows(
  p_head gate.ledger_head, p_key_ids text[], p_member_ids text[], p_calls jsonb, p_outcomes text[], p_ids bigint[]
) returns void
language plpgsql as $$
declare
  entries gate.ledger[];
begin
  with given as materialized (
    select g.*, p_ids[g.n] as id, p_member_ids[g.n] as member_id, p_key_ids[g.n] as key_id, k.name as key_name,
      g.decision = 'deny' as is_denied
    from rows from (jsonb_to_recordset(p_calls) as (
      member text, tier text, policy_version bigint, decision text, uuid uuid, payload text,
      salt bytea, input text, rule_text text, denial_reason text, denial_code text, denial_needs jsonb)) with ordinality
      g(member, tier, policy_version, decision, uuid, payload, salt, input, rule_text, denial_reason,
        denial_code, denial_needs, n)
    left join gate.api_key k on k.account_id = p_head.account_id and k.key_id = p_key_ids[g.n]
    where p_outcomes[g.n] = 'recorded'
  ), added as (
    insert into gate.action (
      account_id, id, uuid, kind, status, member_id, member, tier_at_request, source, payload, salt, input, created_at,
      requires_confirmation, denial_reason, denial_code, denial_needs, proposed_key, requested_by, result, executed_at)
    select p_head.account_id, g.id, g.uuid, 'runner_tool', case when g.is_denied then 'denied' else 'executed' end, g.member_id,
      g.member, g.tier, 'runner', g.payload::json, g.salt, g.input, p_head.at, false, g.denial_reason, g.denial_code,
      nullif(g.denial_needs, 'null')::json, g.key_id, g.key_name, case when not g.is_denied then '{"outcome":"done"}'::json end,
      case when not g.is_denied then p_head.at end
    from given g
  )
  select coalesce(array_agg(gate_private.entry(
      gen_random_uuid(), case when g.is_denied then 'denied' else 'tool_allowed' end, g.id, gate_private.tool_tail(
        g.is_denied, g.member_id, g.key_id, g.member, g.tier, g.policy_version, g.uuid, g.payload, g.salt, g.input, g.rule_text,
        g.denial_reason, g.denial_code, g.denial_needs)) order by g.id), '{}')
  into entries from given g;
  p_head.action_seq := p_head.action_seq + cardinality(entries);
  perform gate_private.append_entries(p_head, entries);
end $$;

-- Counts answers by hour, member, key and tool.
create function gate_private.count_tool_calls(p_account text, p_called bigint[]) returns void
language sql volatile as $$
  insert into gate.tool_count as t (account_id, hour, member_id, key_id, tool, allowed, denied, asked)
  select p_account, date_trunc('hour', c.at), c.member_id, c.key_id, c.tool,
    count(*) filter (where c.decision = 'allow'), count(*) filter (where c.decision = 'deny'),
    count(*) filter (where c.decision = 'consent')
  from gate.tool_call c
  where c.account_id = p_account and c.n = any (p_called)
  group by 2, 3, 4, 5
  -- In one order, so that two groups do not wait for each other in a circle.
  order by 2, 3, 4, 5
  on conflict on constraint tool_count_pkey do update
  set allowed = t.allowed + excluded.allowed, denied = t.denied + excluded.denied, asked = t.asked + excluded.asked;
$$;

-- Whether a member is being asked about a call with this binding, or has approved it and the grant can be used.
-- p_required: the consent that it requires now; a weaker grant cannot be used. Null: it is denied, whatever was granted.
create function gate_private.is_call_asked(p_account text, p_binding bytea, p_required text) returns boolean
language sql stable as $$
  select exists (
    select 1 from gate.tool_consent t
    join gate.action a on a.account_id = t.account_id and a.id = t.action_id
    where t.account_id = p_account and t.binding = p_binding and t.spent_at is null
      and (a.status = 'proposed' and (a.decision is not null or a.expires_at > clock_timestamp())
        or t.expires_at > clock_timestamp() and gate_private.is_within(p_required, a.consent_strength)))
$$;

-- Stores the consent that a tool call waits for, with the call. The ledger head must be locked.
create function gate_private.add_tool_consent(p_action gate.action, p_call jsonb) returns void
language plpgsql as $$
declare
  given record;
  new_n bigint;
begin
  select * into given from jsonb_to_record(p_call) as fields(
    binding bytea, runner text, tool text, effect text, ref bytea, rule integer, call text);
  perform gate_private.require_fields(p_call, to_jsonb(given));
  if p_action.status = 'proposed' then
    insert into gate.tool_consent (account_id, action_id, binding)
    values (p_action.account_id, p_action.id, given.binding);
  end if;
  insert into gate.tool_call (
    account_id, at, key_id, member_id, tier_at_request, runner, tool, effect, ref, binding, decision, rule, action_id,
    call)
  values (
    p_action.account_id, p_action.created_at, p_action.proposed_key, p_action.member_id, p_action.tier_at_request, given.runner,
    given.tool, given.effect, given.ref, given.binding, case p_action.status when 'proposed' then 'consent' else 'deny' end, given.rule,
    p_action.id, given.call::json)
  returning n into new_n;
  perform gate_private.count_tool_calls(p_action.account_id, array[new_n]);
end $$;

-- Makes the consent to a tool call a grant, once its member confirmed it. In a suspended account the grant has ended at once.
-- Returns when it ends. A repeat changes nothing.
create function gate.grant_tool_call(p_account text, p_id bigint, p_ttl_ms bigint) returns timestamptz
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  now_at timestamptz := date_trunc('milliseconds', clock_timestamp());
  ends_at timestamptz;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  perform 1 from gate.action a
  where a.account_id = p_account and a.id = p_id and a.kind = 'runner_tool' and a.decision = 'confirm';
  if not found then
    raise exception 'tool call % was not confirmed', p_id using errcode = 'check_violation';
  end if;
  update gate.tool_consent t
  set granted_at = now_at,
    expires_at = case
      when exists (select 1 from gate.account c where c.account_id = p_account and c.suspended_at is not null) then now_at
      -- An hour at most, whatever the caller says.
      else now_at + least(p_ttl_ms, 3600000) * interval '1 millisecond' end
  where t.account_id = p_account and t.action_id = p_id and t.granted_at is null;
  select t.expires_at into ends_at from gate.tool_consent t where t.account_id = p_account and t.action_id = p_id;
  return ends_at;
end $$;

-- Ends the execution of an approved tool call: one that was not granted will not be. Returns when the grant ends; null where there is
-- none that could ever be used.
create function gate.settle_tool_grant(p_account text, p_id bigint) returns timestamptz
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  now_at timestamptz := date_trunc('milliseconds', clock_timestamp());
  settled gate.tool_consent;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  -- Granted and ended at once: a grant that comes later changes nothing.
  update gate.tool_consent t set granted_at = now_at, expires_at = now_at
  where t.account_id = p_account and t.action_id = p_id and t.granted_at is null and exists (
    select from gate.action a
    where a.account_id = p_account and a.id = p_id and a.decision = 'confirm' and a.status = 'proposed');
  select * into settled from gate.tool_consent t where t.account_id = p_account and t.action_id = p_id;
  return case when settled.expires_at > settled.granted_at then settled.expires_at end;
end $$;

-- Uses up a grant for the repeat of its call. Of several that try, one gets `spent`. outcome: spent, gone, stale, suspended,
-- late: it waited longer than within_ms for others, and the grant stays. p_call: see the record below.
create function gate.spend_tool_grant(p_account text, p_id bigint, p_call jsonb) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  given record;
  held gate_private.api_key_hash;
  used_at timestamptz;
  new_n bigint;
  obstacle text;
  approved gate.action;
begin
  select * into given from jsonb_to_record(p_call) as fields(
    api_key bytea, member_id text, member_version bigint, curricula_version bigint, policy_version bigint,
    within_ms double precision,
    binding bytea, runner text, tool text, effect text, ref bytea, rule integer, call text);
  perform gate_private.require_fields(p_call, to_jsonb(given));
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  if clock_timestamp() > statement_timestamp() + given.within_ms * interval '1 millisecond' then
    return 'late';
  end if;
  held := gate_private.require_key(p_account, given.api_key, 'runner', given.member_id, 'runner_tool');
  obstacle := gate_private.confirm_obstacle(
    p_account, given.member_id, given.member_version, given.curricula_version, given.policy_version);
  if obstacle is not null then
    return obstacle;
  end if;
  select * into approved from gate.action a where a.account_id = p_account and a.id = p_id;
  update gate.tool_consent t set spent_at = date_trunc('milliseconds', clock_timestamp())
  where t.account_id = p_account and t.action_id = p_id and t.binding = given.binding
    and t.spent_at is null and t.expires_at > clock_timestamp() and approved.member_id = given.member_id
    and approved.status = 'executed';
  if not found then
    return 'gone';
  end if;
  used_at := gate_private.note(
    p_account, gen_random_uuid(), 'grant_used', p_id, given.member_id, held.key_id,
    jsonb_build_object('policy_version', given.policy_version));
  insert into gate.tool_call (
    account_id, at, key_id, member_id, tier_at_request, runner, tool, effect, ref, binding, decision, action_id, call)
  values (
    p_account, used_at, held.key_id, given.member_id, approved.tier_at_request, given.runner, given.tool, given.effect,
    given.ref, given.binding, 'allow', p_id, given.call::json)
  returning n into new_n;
  perform gate_private.count_tool_calls(p_account, array[new_n]);
  return 'spent';
end $$;

-- Records what a runner reports of a call that was allowed: of the newest one with this ref that has no report.
-- Returns whether there is one. A call with a row gets an entry.
create function gate.report_tool_outcome(p_account text, p_api_key bytea, p_ref bytea, p_outcome text) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  called gate.tool_call;
  held gate_private.api_key_hash;
begin
  perform gate.tenant(p_account);
  held := gate_private.require_key(p_account, p_api_key, 'runner');
  update gate.tool_call t set outcome = p_outcome, reported_at = clock_timestamp()
  where t.account_id = p_account and t.outcome is null and t.n = (
    select f.n from gate.tool_call f
    where f.account_id = p_account and f.ref = p_ref and f.key_id = held.key_id
      and f.decision = 'allow' and f.outcome is null
    order by f.n desc limit 1)
  returning * into called;
  if called.n is null then
    return false;
  end if;
  if called.action_id is not null then
    perform gate_private.note(
      p_account, gen_random_uuid(), 'tool_reported', called.action_id, called.member_id, held.key_id,
      jsonb_build_object('outcome', p_outcome));
  end if;
  return true;
end $$;

-- Appends entries with the counts of past hours, p_rows counts at most in each, and deletes old calls and counts.
-- Returns whether there may be more to do.
create function gate.note_tool_counts(p_account text, p_before timestamptz, p_rows integer, p_forget_before timestamptz)
returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  noted integer;
  forgotten integer;
  told jsonb;
  of_hour timestamptz;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  select min(c.hour) into of_hour from gate.tool_count c
  -- Whatever the caller's clock says, an hour that is not over yet still gets counts.
  where c.account_id = p_account and not c.is_noted
    and c.hour < least(p_before, clock_timestamp() - interval '61 minutes');
  with taken as (
    update gate.tool_count t set is_noted = true
    where (t.account_id, t.hour, t.member_id, t.key_id, t.tool) in (
      select c.account_id, c.hour, c.member_id, c.key_id, c.tool from gate.tool_count c
      where c.account_id = p_account and c.hour = of_hour and not c.is_noted
      order by c.member_id, c.key_id, c.tool
      limit p_rows)
    returning t.*
  )
  select count(*), jsonb_agg(jsonb_build_array(t.member_id, t.key_id, t.tool, t.allowed, t.denied, t.asked)
    order by t.member_id, t.key_id, t.tool)
  into noted, told from taken t;
  if noted > 0 then
    perform gate_private.note(
      p_account, gen_random_uuid(), 'tool_calls_counted', null, 'system', null,
      jsonb_build_object('hour', gate_private.iso(of_hour), 'counts', told));
  end if;
  delete from gate.tool_call t where t.account_id = p_account and t.n in (
    select o.n from (
      select f.n, f.at from gate.tool_call f where f.account_id = p_account order by f.n limit 1000
    ) o where o.at < p_forget_before);
  get diagnostics forgotten = row_count;
  -- The entries keep them.
  delete from gate.tool_count t
  where (t.account_id, t.hour, t.member_id, t.key_id, t.tool) in (
    select c.account_id, c.hour, c.member_id, c.key_id, c.tool from gate.tool_count c
    where c.account_id = p_account and c.is_noted and c.hour < p_forget_before
    order by c.hour
    limit 1000);
  return noted > 0 or forgotten > 0;
end $$;
