-- Mandates: what a member allows an agent in advance. Those of a scope are for a project's own tools, by a runner; the others are
-- bounded: see mandate_uses.sql.

-- Stores the mandate that an action proposes. p_scope null: a bounded one, whose payload names its agent. The ledger head must be locked.
create function gate_private.add_mandate(p_action gate.action, p_scope bytea) returns void
language sql volatile as $$
  insert into gate.mandate (account_id, action_id, scope, member_id, key_id)
  values (
    p_action.account_id, p_action.id, p_scope, p_action.member_id,
    case when p_scope is null then p_action.payload ->> 'agent' else p_action.proposed_key end)
$$;

-- Whether a member is being asked for a mandate of this scope.
create function gate_private.is_mandate_asked(p_account text, p_scope bytea) returns boolean
language sql stable as $$
  select exists (
    select 1 from gate.mandate t
    join gate.action a on a.account_id = t.account_id and a.id = t.action_id
    where t.account_id = p_account and t.scope = p_scope and a.status = 'proposed'
      and (a.decision is not null or a.expires_at > clock_timestamp()))
$$;

-- Puts a mandate in force, once its member confirmed it, in the place of a former one of its scope. In a suspended account it has
-- ended at once. A repeat changes nothing. p_ttl_ms: of one that names no end of its own.
create function gate.grant_mandate(p_account text, p_id bigint, p_ttl_ms bigint) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  now_at timestamptz := date_trunc('milliseconds', clock_timestamp());
  until_at timestamptz;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  select (a.payload ->> 'until')::timestamptz into until_at from gate.action a
  where a.account_id = p_account and a.id = p_id and a.kind in ('runner_mandate', 'mandate') and a.decision = 'confirm';
  if not found then
    raise exception 'mandate % was not confirmed', p_id using errcode = 'check_violation';
  end if;
  update gate.mandate t
  set granted_at = now_at,
    expires_at = case
      when exists (select 1 from gate.account c where c.account_id = p_account and c.suspended_at is not null) then now_at
      -- 30 days at most, whatever the caller says.
      else greatest(now_at, least(
        coalesce(until_at, now_at + p_ttl_ms * interval '1 millisecond'), now_at + interval '30 days')) end
  where t.account_id = p_account and t.action_id = p_id and t.granted_at is null;
  if found then
    insert into gate_private.mandate_end_due (account_id, mandate_id, due_at)
    select t.account_id, t.action_id, t.expires_at from gate.mandate t
    where t.account_id = p_account and t.action_id = p_id and t.scope is null and t.expires_at > t.granted_at;
    perform gate_private.end_mandate(p_account, o.action_id, 'system')
    from gate.mandate t
    join gate.mandate o on o.account_id = t.account_id and o.scope = t.scope and o.action_id <> t.action_id
    where t.account_id = p_account and t.action_id = p_id and o.granted_at is not null and o.ended_at is null;
    -- An agent has one bounded mandate of a member for a kind: two budgets would add up.
    perform gate_private.end_mandate(p_account, o.action_id, 'system')
    from gate.mandate t
    join gate.action a on a.account_id = t.account_id and a.id = t.action_id
    join gate.mandate o on o.account_id = t.account_id and o.member_id = t.member_id and o.key_id = t.key_id
      and o.scope is null and o.action_id <> t.action_id
    join gate.action b on b.account_id = o.account_id and b.id = o.action_id
    where t.account_id = p_account and t.action_id = p_id and t.scope is null and o.granted_at is not null and o.ended_at is null
      and exists (
        select from json_array_elements(a.payload -> 'allows') x
        join json_array_elements(b.payload -> 'allows') y on y ->> 'kind' = x ->> 'kind');
  end if;
end $$;

-- Ends the execution of an approved mandate: one that was not granted will not be. Returns until when it is in force; null where it
-- never was.
create function gate.settle_mandate(p_account text, p_id bigint) returns timestamptz
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  now_at timestamptz := date_trunc('milliseconds', clock_timestamp());
  settled gate.mandate;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  update gate.mandate t set granted_at = now_at, expires_at = now_at
  where t.account_id = p_account and t.action_id = p_id and t.granted_at is null and exists (
    select from gate.action a
    where a.account_id = p_account and a.id = p_id and a.decision = 'confirm' and a.status = 'proposed');
  select * into settled from gate.mandate t where t.account_id = p_account and t.action_id = p_id;
  return case when settled.expires_at > settled.granted_at then settled.expires_at end;
end $$;

-- Allows a call by a mandate, and records it. outcome: used (also on a repeat of the same call, which is not counted again), gone
-- (it ended, or is another's), stale, suspended, late: it waited longer than within_ms for others. p_call: see the record below;
-- has_id: the runner gave the call an id. Without one, it is the same call for same_ms.
-- p_use: of a bounded mandate, which has no scope: see gate_private.draw_mandate; else null.
create function gate.use_mandate(p_account text, p_id bigint, p_call jsonb, p_use jsonb default null) returns text
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
    within_ms double precision, scope bytea, has_id boolean, same_ms bigint,
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
  perform 1 from gate.mandate t
  where t.account_id = p_account and t.action_id = p_id
    and (t.scope = given.scope and t.key_id = held.key_id
      or t.scope is null and p_use is not null and t.key_id = gate_private.agent_of(p_account, held.key_id))
    and t.member_id = given.member_id and t.ended_at is null and t.frozen_at is null and t.expires_at > clock_timestamp()
    and approved.status = 'executed' and approved.salt is not null;
  if not found then
    return 'gone';
  end if;
  perform 1 from gate.tool_call s
  where s.account_id = p_account and s.ref = given.ref and s.binding = given.binding and s.action_id = p_id
    and (given.has_id or s.at > clock_timestamp() - given.same_ms * interval '1 millisecond');
  if found then
    return 'used';
  end if;
  if p_use is null then
    used_at := gate_private.note(
      p_account, gen_random_uuid(), 'mandate_used', p_id, given.member_id, held.key_id,
      jsonb_build_object('policy_version', given.policy_version, 'strength', approved.consent_strength, 'by', 'mandate'));
    update gate.mandate t set uses = t.uses + 1, last_used_at = used_at
    where t.account_id = p_account and t.action_id = p_id;
  elsif (p_use ->> 'id')::bigint is distinct from p_id or not gate_private.draw_mandate(
    p_account, given.member_id, held.key_id, 'runner_tool', p_use, given.policy_version, null)
  then
    return 'gone';
  end if;
  insert into gate.tool_call (
    account_id, at, key_id, member_id, tier_at_request, runner, tool, effect, ref, binding, decision, action_id, call)
  values (
    p_account, coalesce(used_at, date_trunc('milliseconds', clock_timestamp())), held.key_id, given.member_id,
    approved.tier_at_request, given.runner, given.tool, given.effect,
    given.ref, given.binding, 'allow', p_id, given.call::json)
  returning n into new_n;
  perform gate_private.count_tool_calls(p_account, array[new_n]);
  return 'used';
end $$;

-- Ends a mandate at once: its member or an administrator by their session, or the command line. Returns whether it was in force;
-- null: there is none.
create function gate.end_mandate(p_account text, p_id bigint, p_session bytea) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  held gate.mandate;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  select * into held from gate.mandate t where t.account_id = p_account and t.action_id = p_id;
  if not found then
    return null;
  end if;
  return gate_private.end_mandate(p_account, p_id, gate_private.mandate_actor(held, p_session, 'mandates.write'));
end $$;

-- Freezes a mandate at once, or resumes it: its member or an administrator by their session, or the command line. What the
-- administrators froze, only they resume, and what its member froze, only the member.
-- Returns done, same (it is so already), over (it is not in force), others (somebody else froze it); null: there is none.
create function gate.freeze_mandate(p_account text, p_id bigint, p_session bytea, p_is_frozen boolean) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  held gate.mandate;
  actor text;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  select * into held from gate.mandate t where t.account_id = p_account and t.action_id = p_id;
  if not found then
    return null;
  end if;
  actor := gate_private.mandate_actor(held, p_session, case when p_is_frozen then 'mandates.write' end);
  if held.ended_at is not null or held.expires_at is null or held.expires_at <= clock_timestamp() then
    return 'over';
  elsif (held.frozen_at is not null) = p_is_frozen then
    return 'same';
  elsif not p_is_frozen and (held.frozen_by = held.member_id) <> (actor = held.member_id) then
    return 'others';
  end if;
  update gate.mandate t set
    frozen_at = case when p_is_frozen then date_trunc('milliseconds', clock_timestamp()) end,
    frozen_by = case when p_is_frozen then actor end, epoch = t.epoch + 1
  where t.account_id = p_account and t.action_id = p_id;
  perform gate_private.note(
    p_account, gen_random_uuid(), case when p_is_frozen then 'mandate_frozen' else 'mandate_resumed' end, p_id, actor, null, '{}');
  return 'done';
end $$;

-- Who ends or freezes a mandate: the member whose it is, `admin`, or `admin:` and the id of an administrator or an API key.
create function gate_private.mandate_actor(p_mandate gate.mandate, p_session bytea, p_power text) returns text
language plpgsql as $$
declare
  holder record;
  actor text := 'admin';
begin
  if gate_private.is_of_key(p_mandate.account_id, p_session) then
    actor := gate_private.require_admin(p_mandate.account_id, p_session, p_power);
  elsif p_session is not null then
    holder := gate_private.require_session(p_mandate.account_id, p_session);
    actor := case when holder.member_id = p_mandate.member_id then holder.member_id else 'admin:' || holder.admin_id end;
    if actor is null then
      raise exception 'the session is not of the member of the mandate' using errcode = 'GA403', detail = 'member';
    end if;
  end if;
  return actor;
end $$;

-- Ends a mandate that is in force. The ledger head must be locked.
create function gate_private.end_mandate(p_account text, p_id bigint, p_actor text) returns boolean
language plpgsql as $$
declare
  ended gate.mandate;
begin
  update gate.mandate t set ended_at = date_trunc('milliseconds', clock_timestamp()), ended_by = p_actor
  where t.account_id = p_account and t.action_id = p_id and t.ended_at is null and t.expires_at > clock_timestamp()
  returning * into ended;
  if ended.action_id is null then
    return false;
  end if;
  if p_actor = ended.member_id then
    delete from gate_private.mandate_end_due d where d.account_id = p_account and d.mandate_id = p_id;
  else
    update gate_private.mandate_end_due d set due_at = ended.ended_at where d.account_id = p_account and d.mandate_id = p_id;
  end if;
  perform gate_private.note(
    p_account, gen_random_uuid(), 'mandate_ended', p_id, p_actor, null, jsonb_build_object('uses', ended.uses));
  return true;
end $$;

-- Ends every mandate of an account, as the stop switch does. The ledger head must be locked.
create function gate_private.end_mandates(p_account text, p_actor text) returns void
language plpgsql as $$
begin
  perform gate_private.end_mandate(p_account, t.action_id, p_actor)
  from gate.mandate t
  where t.account_id = p_account and t.ended_at is null and t.granted_at is not null and t.expires_at > clock_timestamp();
end $$;

-- Whether a key has had its member asked as often as is allowed. until: when it may again; null: now. As ask_day_left and
-- ask_share_left count. told_id, told_kind: the request that told the member so, within the hour or for the time that still lasts.
create function gate.consent_stop(
  p_account text, p_member_id text, p_key_id text, p_hour_max integer, p_day_max integer,
  out until timestamptz, out told_id bigint, out told_kind text
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  is_shared boolean;
begin
  perform gate.tenant(p_account);
  is_shared := gate_private.is_shared(p_account, p_member_id, p_key_id);
  with sent as (
    select q.created_at, q.asked_key = any (gate_private.keys_beside(p_account, p_key_id)) as is_of_key from gate.consent_request q
    where q.account_id = p_account and q.member_id = p_member_id and q.created_at > clock_timestamp() - interval '1 day'
  ), placed as (
    select s.created_at, s.is_of_key, row_number() over (order by s.created_at desc) as n,
      row_number() over (partition by s.is_of_key order by s.created_at desc) as n_of_key
    from sent s
  ), ends as (
    select p.created_at + interval '1 hour' as at from placed p where p.n = p_hour_max
    union all select p.created_at + interval '1 day' from placed p where p.n = p_day_max
    union all select p.created_at + interval '1 hour' from placed p
      where is_shared and p.is_of_key and p.n_of_key = (p_hour_max + 1) / 2
    union all select p.created_at + interval '1 day' from placed p
      where is_shared and p.is_of_key and p.n_of_key = (p_day_max + 1) / 2
  )
  select max(e.at) into until from ends e where e.at > clock_timestamp();
  if until is not null then
    select a.id, a.kind into told_id, told_kind
    from gate.consent_request q
    join gate.action a on a.account_id = q.account_id and a.id = q.action_id
    where q.account_id = p_account and q.member_id = p_member_id and q.asked_key = p_key_id
      and q.created_at > clock_timestamp() - interval '1 day' and a.payload ->> 'stopped_until' is not null
      and (q.created_at > clock_timestamp() - interval '1 hour'
        or (a.payload ->> 'stopped_until')::timestamptz > clock_timestamp())
    order by q.created_at desc limit 1;
  end if;
end $$;
