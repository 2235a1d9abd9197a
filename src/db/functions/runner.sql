-- Tool calls of agent runners.

-- Records a group of answers that need no consent, of one account. p_calls: an array of objects, see the record below;
-- `row` null: the call gets no row, else what the row holds. A call that was answered the same before is not recorded again.
-- Without an id of its own it counts as the same for p_same_ms.
-- outcome: recorded, replayed, stale (member, policy, curricula or suspension changed), unauthenticated. action_id: its row,
-- if any.
create function gate.record_tool_calls(p_account text, p_calls jsonb, p_same_ms bigint)
returns table (outcome text, action_id bigint)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  given record;
  head gate.ledger_head;
  former record;
  key_known text;
  key_name text;
  is_held boolean := false;
  facts_known text;
  is_current boolean := false;
  now_at timestamptz := date_trunc('milliseconds', clock_timestamp());
  made_id bigint;
  entry text;
  called bigint[] := '{}';
  new_n bigint;
begin
  perform gate.tenant(p_account);
  -- Without rows, no entry is appended: groups need not wait for each other.
  if p_calls @? '$[*].row ? (@ != null)' then
    head := gate_private.lock_head(p_account);
    now_at := greatest(head.at, now_at);
  end if;
  for given in
    select * from jsonb_to_recordset(p_calls) as fields(
      key_id text, api_key bytea, member_id text, member text, tier text, member_version bigint, curricula_version bigint,
      policy_version bigint, is_suspended boolean, runner text, tool text, effect text, ref bytea, binding bytea,
      has_id boolean, decision text, rule integer, call text, "row" jsonb)
  loop
    -- The calls of a group are mostly of few keys: what was just looked up holds for the next one.
    if key_known is distinct from concat_ws(' ', given.api_key, given.key_id, given.member_id) then
      key_known := concat_ws(' ', given.api_key, given.key_id, given.member_id);
      facts_known := null;
      is_held := exists (
        select 1 from gate_private.api_key_hash k
        where k.hash = given.api_key and k.account_id = p_account and k.key_id = given.key_id and k.powers = array['runner']
          and k.actors = array[given.member_id] and gate_private.key_holds(k));
      key_name := null;
    end if;
    if not is_held then
      outcome := 'unauthenticated';
      action_id := null;
      return next;
      continue;
    end if;
    if facts_known is distinct from concat_ws(
      ' ', given.member_version, given.curricula_version, given.policy_version, given.is_suspended)
    then
      facts_known := concat_ws(
        ' ', given.member_version, given.curricula_version, given.policy_version, given.is_suspended);
      is_current := exists (
        select 1 from gate.member m join gate.account c on c.account_id = m.account_id
        where m.account_id = p_account and m.member_id = given.member_id and m.is_active
          and m.version = given.member_version and c.curricula_version = given.curricula_version
          and c.policy_version = given.policy_version and (c.suspended_at is not null) = given.is_suspended);
    end if;
    if not is_current then
      outcome := 'stale';
      action_id := null;
      return next;
      continue;
    end if;
    select t.decision, t.rule, t.action_id into former from gate.tool_call t
    where t.account_id = p_account and t.ref = given.ref and t.binding = given.binding
      and (given.has_id or t.at > clock_timestamp() - p_same_ms * interval '1 millisecond')
    order by t.n desc limit 1;
    -- A call that ran by a consent has a row and no rule: its repeat is no repeat of an answer by the policy.
    if found and former.decision = given.decision and former.rule is not distinct from given.rule
      and (given.decision = 'deny' or former.rule is not null)
    then
      outcome := 'replayed';
      action_id := former.action_id;
      return next;
      continue;
    end if;
    made_id := null;
    if jsonb_typeof(given.row) = 'object' then
      key_name := coalesce(key_name, gate_private.key_name(p_account, given.key_id));
      made_id := head.action_seq + 1;
      entry := gate_private.add_tool_row(p_account, made_id, now_at, key_name, given);
      insert into gate.ledger (account_id, seq, event_id, at, kind, action_id, entry, prev, hash)
      values (
        p_account, head.seq + 1, gen_random_uuid(), now_at,
        case given.decision when 'deny' then 'denied' else 'tool_allowed' end, made_id, entry, head.hash,
        sha256(head.hash || convert_to(
          p_account || ' ' || (head.seq + 1) || ' ' || gate_private.iso(now_at) || E'\n' || entry, 'UTF8')))
      returning hash into head.hash;
      head.seq := head.seq + 1;
      head.action_seq := made_id;
    end if;
    insert into gate.tool_call (
      account_id, at, key_id, member_id, tier_at_request, runner, tool, effect, ref, binding, decision, rule,
      action_id, call)
    values (
      p_account, now_at, given.key_id, given.member_id, given.tier, given.runner, given.tool, given.effect, given.ref,
      given.binding, given.decision, given.rule, made_id, given.call::json)
    returning n into new_n;
    called := called || new_n;
    outcome := 'recorded';
    action_id := made_id;
    return next;
  end loop;
  if head.account_id is not null then
    update gate.ledger_head h
    set seq = head.seq, hash = head.hash, at = now_at, action_seq = head.action_seq
    where h.account_id = p_account and h.seq <> head.seq;
  end if;
  perform gate_private.count_tool_calls(p_account, called);
end $$;

-- Inserts the row of a tool call that was denied, or allowed where the policy records every call. Returns the text of its
-- entry, which is written out for speed: as entry_tail and birth_data compose it. p_given: as in record_tool_calls.
create function gate_private.add_tool_row(
  p_account text, p_id bigint, p_at timestamptz, p_key_name text, p_given record
) returns text
language plpgsql as $$
declare
  given record;
  is_denied boolean := p_given.decision = 'deny';
begin
  select * into given from jsonb_to_record(p_given.row) as fields(
    uuid uuid, payload text, salt bytea, input text, rule text, denial_reason text, denial_code text, denial_needs jsonb);
  insert into gate.action (
    account_id, id, uuid, kind, status, member_id, member, tier_at_request, source, payload, salt, input, created_at,
    requires_confirmation, denial_reason, denial_code, denial_needs, proposed_key, requested_by, result, executed_at)
  values (
    p_account, p_id, given.uuid, 'runner_tool', case when is_denied then 'denied' else 'executed' end, p_given.member_id,
    p_given.member, p_given.tier, 'runner', given.payload::json, given.salt, given.input, p_at, false, given.denial_reason,
    given.denial_code, nullif(given.denial_needs, 'null')::json, p_given.key_id, p_key_name,
    case when not is_denied then '{"outcome":"done"}'::json end, case when not is_denied then p_at end);
  return '{"action":' || p_id || ',"actor":' || to_json(p_given.member_id)::text || ',"data":{'
    || coalesce('"denial_code":' || to_json(given.denial_code)::text || ',', '')
    || coalesce('"denial_needs":' || gate_private.canonical(nullif(given.denial_needs, 'null')) || ',', '')
    || coalesce('"input_digest":"' || gate_private.payload_digest(given.salt, to_json(given.input)::text) || '",', '')
    || '"kind":"runner_tool","member_digest":"' || gate_private.text_digest(given.uuid, p_given.member)
    || '","policy_version":' || p_given.policy_version || ',"reach":[0,0,0]'
    || coalesce(',"reason":' || to_json(given.denial_reason)::text, '')
    || case when is_denied then '' else ',"result":{"outcome":"done"}' end
    || ',"rule":' || to_json(given.rule)::text || ',"source":"runner","tier":' || to_json(p_given.tier)::text
    || '},"key":' || to_json(p_given.key_id)::text
    || ',"kind":"' || case when is_denied then 'denied' else 'tool_allowed' end
    || '","payload_digest":"' || gate_private.payload_digest(given.salt, given.payload) || '","v":2}';
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

-- Uses up a grant for the repeat of its call. Of several that try, one gets `spent`. outcome: spent, gone, stale, suspended,
-- unauthenticated. p_call: see the record below.
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
    binding bytea, runner text, tool text, effect text, ref bytea, rule integer, call text);
  perform gate_private.require_fields(p_call, to_jsonb(given));
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
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
