-- Tool calls of agent runners.

-- Records a group of answers that need no consent, of one account. p_calls: an array of objects, see the record below;
-- `row` null: the call gets no row, else what the row holds. A call that was answered the same before is not recorded again.
-- Without an id of its own it counts as the same for p_same_ms.
-- outcome: recorded, replayed, stale (member, policy or curricula changed), unauthenticated. action_id: its row, if any.
create function gate.record_tool_calls(p_account text, p_calls jsonb, p_same_ms bigint)
returns table (outcome text, action_id bigint)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  given record;
  head gate.ledger_head;
  former gate.tool_call;
  called gate.tool_call;
  made gate.action;
  calls gate.tool_call[] := '{}';
  rows gate.action[] := '{}';
  events uuid[] := '{}';
  kinds text[] := '{}';
  ids bigint[] := '{}';
  entries text[] := '{}';
  prevs bytea[] := '{}';
  hashes bytea[] := '{}';
  key_known bytea;
  key_name text;
  is_held boolean := false;
  is_current boolean := false;
  now_at timestamptz;
begin
  perform gate.tenant(p_account);
  -- Without rows, no entry is appended: groups need not wait for each other.
  if exists (select 1 from jsonb_array_elements(p_calls) c where jsonb_typeof(c -> 'row') = 'object') then
    head := gate_private.lock_head(p_account);
    now_at := greatest(head.at, date_trunc('milliseconds', clock_timestamp()));
  else
    now_at := date_trunc('milliseconds', clock_timestamp());
  end if;
  for given in
    select * from jsonb_to_recordset(p_calls) as fields(
      key_id text, api_key bytea, member_id text, member text, tier text, member_version bigint, curricula_version bigint,
      policy_version bigint, is_suspended boolean, runner text, tool text, effect text, ref bytea, has_id boolean,
      decision text, rule integer, call text, "row" jsonb)
  loop
    if given.api_key is distinct from key_known then
      key_known := given.api_key;
      is_held := exists (
        select 1 from gate_private.api_key_hash k
        where k.hash = given.api_key and k.account_id = p_account and gate_private.key_holds(k)
          and k.powers = array['runner'] and k.actors = array[given.member_id]);
      key_name := gate_private.key_name(p_account, given.key_id);
    end if;
    if not is_held then
      return query select 'unauthenticated', null::bigint;
      continue;
    end if;
    is_current := exists (
      select 1 from gate.member m join gate.account c on c.account_id = m.account_id
      where m.account_id = p_account and m.member_id = given.member_id and m.is_active
        and m.version = given.member_version and c.curricula_version = given.curricula_version
        and c.policy_version = given.policy_version and (c.suspended_at is not null) = given.is_suspended);
    if not is_current then
      return query select 'stale', null::bigint;
      continue;
    end if;
    select * into former from gate.tool_call t
    where t.account_id = p_account and t.ref = given.ref
      and (given.has_id or t.at > clock_timestamp() - p_same_ms * interval '1 millisecond')
    order by t.n desc limit 1;
    if not found then
      select * into former from unnest(calls) u where u.ref = given.ref order by u.n desc limit 1;
    end if;
    -- A call that ran by a consent has a row and no rule: its repeat is no repeat of an answer by the policy.
    if found and former.decision = given.decision and former.rule is not distinct from given.rule
      and (given.decision = 'deny' or former.rule is not null)
    then
      return query select 'replayed', former.action_id;
      continue;
    end if;
    called := null;
    called.account_id := p_account;
    called.at := now_at;
    called.key_id := given.key_id;
    called.member_id := given.member_id;
    called.tier_at_request := given.tier;
    called.runner := given.runner;
    called.tool := given.tool;
    called.effect := given.effect;
    called.ref := given.ref;
    called.decision := given.decision;
    called.rule := given.rule;
    called.call := given.call::json;
    if given.row is not null then
      made := gate_private.tool_row(p_account, head.action_seq + 1, now_at, given.key_id, key_name, to_jsonb(given));
      called.action_id := made.id;
      rows := rows || made;
      events := events || gen_random_uuid();
      kinds := kinds || case made.status when 'denied' then 'denied' else 'tool_allowed' end;
      ids := ids || made.id;
      entries := entries || gate_private.tool_entry(made, given.policy_version, given.row ->> 'rule');
      prevs := prevs || head.hash;
      head.seq := head.seq + 1;
      head.hash := sha256(head.hash || convert_to(
        p_account || ' ' || head.seq || ' ' || gate_private.iso(now_at) || E'\n' || entries[cardinality(entries)], 'UTF8'));
      head.action_seq := made.id;
      hashes := hashes || head.hash;
    end if;
    calls := calls || called;
    return query select 'recorded', called.action_id;
  end loop;
  if cardinality(rows) > 0 then
    insert into gate.action select r.* from unnest(rows) r;
    insert into gate.ledger (account_id, seq, event_id, at, kind, action_id, entry, prev, hash)
    select p_account, head.seq - cardinality(rows) + e.n, e.event, now_at, e.kind, e.id, e.entry, e.prev, e.hash
    from unnest(events, kinds, ids, entries, prevs, hashes) with ordinality e(event, kind, id, entry, prev, hash, n);
    update gate.ledger_head h
    set seq = head.seq, hash = head.hash, at = now_at, action_seq = head.action_seq
    where h.account_id = p_account;
  end if;
  if cardinality(calls) > 0 then
    perform gate_private.keep_tool_calls(calls);
  end if;
end $$;

-- The row of a tool call that was denied, or allowed where the policy records every call.
create function gate_private.tool_row(
  p_account text, p_id bigint, p_at timestamptz, p_key text, p_key_name text, p_given jsonb
) returns gate.action
language plpgsql as $$
declare
  made gate.action;
  given record;
begin
  select * into given from jsonb_to_record(p_given -> 'row') as fields(
    uuid uuid, payload text, salt bytea, input text, rule text, denial_reason text, denial_code text, denial_needs jsonb);
  perform gate_private.require_fields(p_given -> 'row', to_jsonb(given));
  made.account_id := p_account;
  made.id := p_id;
  made.uuid := given.uuid;
  made.kind := 'runner_tool';
  made.status := case p_given ->> 'decision' when 'deny' then 'denied' else 'executed' end;
  made.member_id := p_given ->> 'member_id';
  made.member := p_given ->> 'member';
  made.tier_at_request := p_given ->> 'tier';
  made.source := 'runner';
  made.payload := given.payload::json;
  made.salt := given.salt;
  made.input := given.input;
  made.created_at := p_at;
  made.requires_confirmation := false;
  made.denial_reason := given.denial_reason;
  made.denial_code := given.denial_code;
  made.denial_needs := given.denial_needs::json;
  made.reach_slack := 0;
  made.reach_email := 0;
  made.reach_unreachable := 0;
  made.proposed_key := p_key;
  made.requested_by := p_key_name;
  if made.status = 'executed' then
    made.result := '{"outcome":"done"}';
    made.executed_at := p_at;
  end if;
  return made;
end $$;

-- The entry of such a row.
create function gate_private.tool_entry(p_row gate.action, p_policy_version bigint, p_rule text) returns text
language sql stable
return '{"action":' || p_row.id || ',' || gate_private.entry_tail(
  p_row.member_id, p_row.proposed_key, case p_row.status when 'denied' then 'denied' else 'tool_allowed' end,
  gate_private.birth_data(p_row, p_policy_version, p_rule)
    || case when p_row.result is null then '{}' else jsonb_build_object('result', p_row.result::jsonb) end,
  gate_private.payload_digest(p_row.salt, p_row.payload::text));

-- Stores answers, and counts them.
create function gate_private.keep_tool_calls(p_calls gate.tool_call[]) returns void
language sql volatile as $$
  insert into gate.tool_call (
    account_id, at, key_id, member_id, tier_at_request, runner, tool, effect, ref, decision, rule, action_id, call)
  select c.account_id, c.at, c.key_id, c.member_id, c.tier_at_request, c.runner, c.tool, c.effect, c.ref, c.decision, c.rule,
    c.action_id, c.call
  from unnest(p_calls) c;
  insert into gate.tool_count as t (account_id, hour, member_id, key_id, tool, allowed, denied, asked)
  select c.account_id, date_trunc('hour', c.at), c.member_id, c.key_id, c.tool,
    count(*) filter (where c.decision = 'allow'), count(*) filter (where c.decision = 'deny'),
    count(*) filter (where c.decision = 'consent')
  from unnest(p_calls) c
  group by 1, 2, 3, 4, 5
  -- In one order, so that two groups do not wait for each other in a circle.
  order by 1, 2, 3, 4, 5
  on conflict on constraint tool_count_pkey do update
  set allowed = t.allowed + excluded.allowed, denied = t.denied + excluded.denied, asked = t.asked + excluded.asked;
$$;

-- Whether a member is being asked about a call with this binding, or has approved it and the grant can be used.
create function gate_private.is_call_asked(p_account text, p_binding bytea) returns boolean
language sql stable as $$
  select exists (
    select 1 from gate.tool_consent t
    join gate.action a on a.account_id = t.account_id and a.id = t.action_id
    where t.account_id = p_account and t.binding = p_binding and t.spent_at is null
      and (a.status = 'proposed' and (a.decision is not null or a.expires_at > clock_timestamp())
        or t.expires_at > clock_timestamp()))
$$;

-- Stores the consent that a tool call waits for, with the call. The ledger head must be locked.
create function gate_private.add_tool_consent(p_action gate.action, p_call jsonb) returns void
language plpgsql as $$
declare
  given record;
  called gate.tool_call;
begin
  select * into given from jsonb_to_record(p_call) as fields(
    binding bytea, runner text, tool text, effect text, ref bytea, rule integer, call text);
  perform gate_private.require_fields(p_call, to_jsonb(given));
  if p_action.status = 'proposed' then
    insert into gate.tool_consent (account_id, action_id, binding)
    values (p_action.account_id, p_action.id, given.binding);
  end if;
  called.account_id := p_action.account_id;
  called.at := p_action.created_at;
  called.key_id := p_action.proposed_key;
  called.member_id := p_action.member_id;
  called.tier_at_request := p_action.tier_at_request;
  called.runner := given.runner;
  called.tool := given.tool;
  called.effect := given.effect;
  called.ref := given.ref;
  called.decision := case p_action.status when 'proposed' then 'consent' else 'deny' end;
  called.rule := given.rule;
  called.action_id := p_action.id;
  called.call := given.call::json;
  perform gate_private.keep_tool_calls(array[called]);
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
      else now_at + p_ttl_ms * interval '1 millisecond' end
  where t.account_id = p_account and t.action_id = p_id and t.granted_at is null;
  select t.expires_at into ends_at from gate.tool_consent t where t.account_id = p_account and t.action_id = p_id;
  return ends_at;
end $$;

-- Uses up a grant for the repeat of its call. Of several that try, one gets `spent`. outcome: spent, gone, stale, suspended,
-- unauthenticated. p_call: see the record below.
create function gate.spend_tool_grant(p_account text, p_id bigint, p_call jsonb) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  given record;
  called gate.tool_call;
  obstacle text;
  approved gate.action;
begin
  select * into given from jsonb_to_record(p_call) as fields(
    api_key bytea, member_id text, member_version bigint, curricula_version bigint, policy_version bigint,
    binding bytea, runner text, tool text, effect text, ref bytea, rule integer, call text);
  perform gate_private.require_fields(p_call, to_jsonb(given));
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  perform gate_private.require_key(p_account, given.api_key, 'runner', given.member_id, 'runner_tool');
  obstacle := gate_private.confirm_obstacle(
    p_account, given.member_id, given.member_version, given.curricula_version, given.policy_version);
  if obstacle is not null then
    return obstacle;
  end if;
  select * into approved from gate.action a where a.account_id = p_account and a.id = p_id;
  update gate.tool_consent t set spent_at = date_trunc('milliseconds', clock_timestamp())
  where t.account_id = p_account and t.action_id = p_id and t.binding = given.binding
    and t.spent_at is null and t.expires_at > clock_timestamp() and approved.member_id = given.member_id;
  if not found then
    return 'gone';
  end if;
  called.account_id := p_account;
  called.at := gate_private.note(
    p_account, gen_random_uuid(), 'grant_used', p_id, given.member_id,
    (select k.key_id from gate_private.api_key_hash k where k.hash = given.api_key),
    jsonb_build_object('policy_version', given.policy_version));
  called.key_id := (select k.key_id from gate_private.api_key_hash k where k.hash = given.api_key);
  called.member_id := given.member_id;
  called.tier_at_request := approved.tier_at_request;
  called.runner := given.runner;
  called.tool := given.tool;
  called.effect := given.effect;
  called.ref := given.ref;
  called.decision := 'allow';
  called.action_id := p_id;
  called.call := given.call::json;
  perform gate_private.keep_tool_calls(array[called]);
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
    where f.account_id = p_account and f.ref = p_ref and f.member_id = any (held.actors)
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

-- Appends entries with the counts of past hours, p_rows counts at most in each, and deletes old calls.
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
  where c.account_id = p_account and not c.is_noted and c.hour < p_before;
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
  return noted > 0 or forgotten > 0;
end $$;
