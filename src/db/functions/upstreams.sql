-- MCP servers behind the gate, the tools that they offer, and calls of tools that need no consent. Calls that need one are proposals
-- like any other. p_session and p_event: see accounts.sql.

-- Adds a server: {upstream, transport, url, command, headers, ciphertext, wrapped_key, kid, upstreams_max, due_ms}. The last of
-- these: when the worker reads its tools. outcome: added (also on a repeat), exists, too_many.
create function gate.add_upstream(p_account text, p_session bytea, p_upstream jsonb, p_event uuid) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  given record;
  stored gate.upstream;
begin
  select * into given from jsonb_to_record(p_upstream) as fields(
    upstream text, transport text, url text, command text, headers text[], ciphertext bytea, wrapped_key bytea, kid text,
    upstreams_max integer, due_ms bigint);
  perform gate_private.require_fields(p_upstream, to_jsonb(given));
  -- A command runs on the machine of the service: only its operator adds one.
  if given.transport = 'stdio' and p_session is not null then
    raise exception 'only the command line adds a command' using errcode = 'insufficient_privilege';
  end if;
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session, 'upstreams.write');
  if gate_private.is_noted(p_account, p_event) then
    return 'added';
  end if;
  if exists (select 1 from gate.upstream u where u.account_id = p_account and u.upstream = given.upstream) then
    return 'exists';
  end if;
  if given.upstreams_max <= (select count(*) from gate.upstream u where u.account_id = p_account) then
    return 'too_many';
  end if;
  insert into gate.upstream (account_id, upstream, transport, url, command, headers)
  values (p_account, given.upstream, given.transport, given.url, given.command, given.headers)
  returning * into stored;
  if given.ciphertext is not null then
    insert into gate.upstream_secret (account_id, upstream, ciphertext, wrapped_key, kid)
    values (p_account, given.upstream, given.ciphertext, given.wrapped_key, given.kid);
  end if;
  insert into gate_private.upstream_due (account_id, upstream, due_at)
  values (p_account, given.upstream, clock_timestamp() + given.due_ms * interval '1 millisecond');
  perform gate_private.count_upstream_change(p_account);
  perform gate_private.note(p_account, p_event, 'upstream_added', null, actor, null, gate_private.upstream_data(stored));
  return 'added';
end $$;

-- Replaces the headers of a server, and what its address has after the `?`: {upstream, headers, ciphertext, wrapped_key, kid}.
-- Returns whether there is such a server, reached over HTTP.
create function gate.change_upstream(p_account text, p_session bytea, p_upstream jsonb, p_event uuid) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  given record;
  stored gate.upstream;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session, 'upstreams.write');
  select * into given from jsonb_to_record(p_upstream) as fields(
    upstream text, headers text[], ciphertext bytea, wrapped_key bytea, kid text);
  perform gate_private.require_fields(p_upstream, to_jsonb(given));
  if gate_private.is_noted(p_account, p_event) then
    return true;
  end if;
  update gate.upstream u set headers = given.headers, connection = gen_random_uuid()
  where u.account_id = p_account and u.upstream = given.upstream and u.transport = 'http'
  returning * into stored;
  if not found then
    return false;
  end if;
  delete from gate.upstream_secret s where s.account_id = p_account and s.upstream = given.upstream;
  if given.ciphertext is not null then
    insert into gate.upstream_secret (account_id, upstream, ciphertext, wrapped_key, kid)
    values (p_account, given.upstream, given.ciphertext, given.wrapped_key, given.kid);
  end if;
  perform gate_private.count_upstream_change(p_account);
  perform gate_private.note(
    p_account, p_event, 'upstream_changed', null, actor, null,
    gate_private.upstream_data(stored) || jsonb_build_object('change', 'headers'));
  return true;
end $$;

-- Removes a server with its tools, their rules and its secrets. Returns whether there was one.
create function gate.remove_upstream(p_account text, p_session bytea, p_upstream text, p_event uuid) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session, 'upstreams.write');
  if gate_private.is_noted(p_account, p_event) then
    return true;
  end if;
  delete from gate_private.upstream_due d where d.account_id = p_account and d.upstream = p_upstream;
  delete from gate.upstream_secret s where s.account_id = p_account and s.upstream = p_upstream;
  delete from gate.upstream_tool o where o.account_id = p_account and o.upstream = p_upstream;
  delete from gate.upstream u where u.account_id = p_account and u.upstream = p_upstream;
  if not found then
    return false;
  end if;
  perform gate_private.count_upstream_change(p_account);
  perform gate_private.note(
    p_account, p_event, 'upstream_removed', null, actor, null, jsonb_build_object('upstream', p_upstream));
  return true;
end $$;

-- Whether the rule of a tool is still the one that somebody was shown. p_shown: JSON, `null` where nobody had set one; null: they
-- were shown none, and any will do.
create function gate_private.is_rule_shown(p_stored json, p_shown text) returns boolean
language sql immutable
return p_shown is null or coalesce(p_stored::jsonb, 'null') = p_shown::jsonb;

-- Sets the rule of a tool. p_shown: see is_rule_shown. outcome: changed, missing, outdated (another rule was set since).
create function gate.set_upstream_rule(
  p_account text, p_session bytea, p_upstream text, p_tool text, p_rule text, p_event uuid, p_shown text default null
) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  is_shown boolean;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session, 'upstreams.write');
  select gate_private.is_rule_shown(o.rule, p_shown) into is_shown from gate.upstream_tool o
  where o.account_id = p_account and o.upstream = p_upstream and o.tool = p_tool
  for update;
  if not found then
    return 'missing';
  elsif not is_shown then
    return 'outdated';
  end if;
  update gate.upstream_tool o set rule = p_rule::json
  where o.account_id = p_account and o.upstream = p_upstream and o.tool = p_tool;
  perform gate_private.count_upstream_change(p_account);
  perform gate_private.note_upstream_rule(p_account, p_event, actor, p_upstream, p_tool, p_rule);
  return 'changed';
end $$;

-- Notes that a tool has another rule.
create function gate_private.note_upstream_rule(
  p_account text, p_event uuid, p_actor text, p_upstream text, p_tool text, p_rule text
) returns void
language sql volatile as $$
  select gate_private.note(
    p_account, p_event, 'upstream_changed', null, p_actor, null,
    jsonb_build_object('upstream', p_upstream, 'change', 'rule', 'tool', p_tool, 'rule', p_rule::jsonb))
$$;

-- Records that an administrator reviewed tools as they are listed now: all of them or none. p_hashes: the hash of the definition
-- that they were shown, for each tool. p_rule: the rule that they get with it; null: they keep theirs. p_shown: the rule that
-- they were shown with, see is_rule_shown. outcome: reviewed, missing (a tool is not listed), changed (its definition or its rule
-- is another one).
create function gate.review_upstream_tools(
  p_account text, p_session bytea, p_upstream text, p_tools text[], p_hashes text[], p_event uuid,
  p_rule text default null, p_shown text default null
) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  noted jsonb[];
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session, 'upstreams.write');
  if gate_private.is_noted(p_account, p_event) then
    return 'reviewed';
  end if;
  if exists (
    select 1 from unnest(p_tools) s(tool)
    left join gate.upstream_tool o on o.account_id = p_account and o.upstream = p_upstream and o.tool = s.tool
    where o.tool is null or o.gone_at is not null
  ) then
    return 'missing';
  end if;
  if exists (
    select 1 from unnest(p_tools, p_hashes) s(tool, hash)
    join gate.upstream_tool o on o.account_id = p_account and o.upstream = p_upstream and o.tool = s.tool
    where o.hash is distinct from s.hash or not gate_private.is_rule_shown(o.rule, p_shown)
  ) then
    return 'changed';
  end if;
  noted := array(
    select jsonb_build_object('tool', o.tool, 'hash', o.hash, 'replaces', o.reviewed_hash) from gate.upstream_tool o
    where o.account_id = p_account and o.upstream = p_upstream and o.tool = any (p_tools)
    order by o.tool);
  update gate.upstream_tool o set
    reviewed_definition = o.definition, reviewed_hash = o.hash, reviewed_at = clock_timestamp(), reviewed_by = actor,
    quarantined_at = null, rule = coalesce(p_rule::json, o.rule)
  where o.account_id = p_account and o.upstream = p_upstream and o.tool = any (p_tools);
  perform gate_private.count_upstream_change(p_account);
  -- Fifty tools an entry, a quarter of a kilobyte each: an entry has a greatest length.
  for n in 1 .. cardinality(noted) by 50 loop
    perform gate_private.note(
      p_account, case n when 1 then p_event else gen_random_uuid() end, 'upstream_tool_reviewed', null, actor, null,
      jsonb_build_object('upstream', p_upstream, 'tools', to_jsonb(noted[n : n + 49])));
  end loop;
  if p_rule is not null then
    perform gate_private.note_upstream_rule(p_account, gen_random_uuid(), actor, p_upstream, s.tool, p_rule)
    from unnest(p_tools) s(tool);
  end if;
  return 'reviewed';
end $$;

-- Records the whole list of tools that a server gave: p_tools with p_definitions in RFC 8785 form. A tool that differs from its
-- review goes into quarantine, with an entry of the ledger. p_connection: that the list was read over. p_listing: {server, refused}.
-- Returns the tools that went into quarantine; null: the server was removed or its address changed meanwhile.
create function gate.record_upstream_listing(
  p_account text, p_upstream text, p_connection uuid, p_tools text[], p_definitions text[], p_listing text
) returns text[]
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  changed bigint;
  gone bigint;
  quarantined text[] := '{}';
  suspect record;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  update gate.upstream u set
    checked_at = clock_timestamp(), failing_since = null, failure = null,
    server = p_listing::json -> 'server', refused = p_listing::json -> 'refused'
  where u.account_id = p_account and u.upstream = p_upstream and u.connection = p_connection;
  if not found then
    return null;
  end if;
  for suspect in
    select o.tool, o.reviewed_hash, l.hash
    from gate_private.listed_tools(p_tools, p_definitions) l
    join gate.upstream_tool o on o.account_id = p_account and o.upstream = p_upstream and o.tool = l.tool
    where o.reviewed_hash <> l.hash and o.quarantined_at is null
    order by o.tool
  loop
    quarantined := quarantined || suspect.tool;
    perform gate_private.note(
      p_account, gen_random_uuid(), 'upstream_tool_quarantined', null, 'system', null,
      jsonb_build_object(
        'upstream', p_upstream, 'tool', suspect.tool, 'reviewed', suspect.reviewed_hash, 'hash', suspect.hash));
  end loop;
  insert into gate.upstream_tool as o (account_id, upstream, tool, definition, hash)
  select p_account, p_upstream, l.tool, l.definition, l.hash from gate_private.listed_tools(p_tools, p_definitions) l
  on conflict on constraint upstream_tool_pkey do update set
    definition = excluded.definition, hash = excluded.hash, seen_at = clock_timestamp(), gone_at = null,
    quarantined_at = case when o.tool = any (quarantined) then clock_timestamp() else o.quarantined_at end
  where o.hash <> excluded.hash or o.gone_at is not null;
  get diagnostics changed = row_count;
  update gate.upstream_tool o set gone_at = clock_timestamp()
  where o.account_id = p_account and o.upstream = p_upstream and o.gone_at is null and o.tool <> all (p_tools);
  get diagnostics gone = row_count;
  -- Nobody has looked at these: a server that lists other names each time would fill the disk.
  delete from gate.upstream_tool o
  where o.account_id = p_account and o.upstream = p_upstream and o.gone_at is not null
    and o.reviewed_hash is null and o.rule is null;
  if changed + gone > 0 then
    perform gate_private.count_upstream_change(p_account);
  end if;
  return quarantined;
end $$;

-- Tools of a list with the hashes of their definitions.
create function gate_private.listed_tools(p_tools text[], p_definitions text[])
returns table (tool text, definition text, hash text)
language sql immutable as $$
  select l.tool, l.definition, encode(sha256(convert_to(l.definition, 'UTF8')), 'hex')
  from unnest(p_tools, p_definitions) l(tool, definition)
$$;

-- Records that the tools of a server could not be read. Those that are known stay as they are. The longer that lasts, the later
-- it is asked again, up to p_put_off_ms.
create function gate.record_upstream_failure(
  p_account text, p_upstream text, p_connection uuid, p_failure text, p_put_off_ms bigint
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  failing timestamptz;
begin
  perform gate.tenant(p_account);
  update gate.upstream u set failing_since = coalesce(u.failing_since, clock_timestamp()), failure = p_failure
  where u.account_id = p_account and u.upstream = p_upstream and u.connection = p_connection
  returning u.failing_since into failing;
  if failing is null then
    return;
  end if;
  update gate_private.upstream_due d set due_at = greatest(
    d.due_at,
    clock_timestamp() + least((clock_timestamp() - failing) / 2, p_put_off_ms * interval '1 millisecond'))
  where d.account_id = p_account and d.upstream = p_upstream;
end $$;

-- Takes servers of any account whose tools are due to be read, and puts their next reading off by p_every_ms. p_reading: the
-- account of each reading that the caller has under way; with them, an account has at most p_per_account.
-- The defaults are for workers of the version before, until they are replaced.
create function gate.take_due_upstreams(
  p_limit integer, p_every_ms bigint, p_per_account integer default 5, p_reading text[] default '{}'
)
returns table (account_id text, upstream text)
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  with due as materialized (
    select w.account_id, w.upstream from gate_private.upstream_due w
    where w.due_at <= clock_timestamp()
      and p_per_account > (select count(*) from unnest(p_reading) r(account) where r.account = w.account_id) + (
        select count(*) from gate_private.upstream_due o
        where o.account_id = w.account_id and (o.due_at, o.upstream) < (w.due_at, w.upstream))
    order by w.due_at
    limit p_limit
    for update skip locked
  )
  update gate_private.upstream_due d set due_at = clock_timestamp() + p_every_ms * interval '1 millisecond'
  from due
  where d.account_id = due.account_id and d.upstream = due.upstream
  returning d.account_id, d.upstream
$$;

-- The accounts that have servers, the first p_limit by id.
create function gate.accounts_with_upstreams(p_limit integer) returns setof text
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select distinct d.account_id from gate_private.upstream_due d order by d.account_id limit p_limit
$$;

-- Has the tools of a server read within p_within_ms.
create function gate.hasten_upstream(p_account text, p_upstream text, p_within_ms bigint) returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  update gate_private.upstream_due d
  set due_at = least(d.due_at, clock_timestamp() + p_within_ms * interval '1 millisecond')
  where d.account_id = p_account and d.upstream = p_upstream
$$;

-- Stores the data key of a server's secrets that was wrapped again. Returns how many: 0 where someone else did that meanwhile.
create function gate.rewrap_upstream_secret(
  p_account text, p_upstream text, p_old_kid text, p_kid text, p_wrapped_key bytea
) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  rewrapped bigint;
begin
  perform gate.tenant(p_account);
  update gate.upstream_secret s set wrapped_key = p_wrapped_key, kid = p_kid
  where s.account_id = p_account and s.upstream = p_upstream and s.kid = p_old_kid;
  get diagnostics rewrapped = row_count;
  return rewrapped;
end $$;

-- Has everyone who keeps the servers and tools of the account in memory read them again.
create function gate_private.count_upstream_change(p_account text) returns void
language sql volatile as $$
  update gate.account c set upstreams_version = c.upstreams_version + 1 where c.account_id = p_account
$$;

-- The digest that stands for the address of a server in its entry. Null: the server has no address.
create function gate_private.upstream_address_digest(p_stored gate.upstream) returns text
language sql stable
return encode(sha256(convert_to(p_stored.upstream || ' ' || p_stored.url, 'UTF8')), 'hex');

-- The part of an entry that describes a server.
create function gate_private.upstream_data(p_stored gate.upstream) returns jsonb
language sql stable
return jsonb_build_object(
  'upstream', p_stored.upstream, 'transport', p_stored.transport, 'command', p_stored.command,
  'headers', p_stored.headers, 'address_digest', gate_private.upstream_address_digest(p_stored));

-- Records a group of what happened to such calls, of one account.
-- p_answers: [{id, event, result}], the outcomes of calls that were made; each is recorded once. result: JSON text; with the outcome
-- `refused`, nothing was done. What the tool answered is not kept.
-- p_calls: see the record below; payload: canonical JSON. Each gets a row that is executed with an unknown outcome, which stands
-- until its answer is recorded, if everything that it was judged by still holds. Returns for each, in their order:
-- called (also on a repeat), stale (member, policy, curricula or the tools of the account changed, the account is suspended, or the tool
-- is not allowed as it is),
-- unauthenticated (the key is no longer valid for it).
create function gate.pass_tool_calls(p_account text, p_answers jsonb, p_calls jsonb)
returns table (outcome text, action_id bigint)
-- Planned once: with their values in view, the statements below would be planned again for each call, which takes longer than they do.
language plpgsql security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  answer record;
  given record;
  head gate.ledger_head;
  entries gate.ledger[] := '{}';
begin
  perform gate.tenant(p_account);
  head := gate_private.lock_head(p_account);
  for answer in select * from jsonb_to_recordset(p_answers) as a(id bigint, event uuid, result text) loop
    entries := entries || gate_private.answer_tool(p_account, answer.id, answer.event, answer.result);
  end loop;
  for given in
    select g.*, k.key_id, k.whole as key, n.name as key_name, n.host, a.id as former_id, case
        when a.id is not null then 'called'
        when k.hash is null or not gate_private.key_holds(k.whole) then 'unauthenticated'
        when c.found is null or m.found is null or o.found is null then 'stale'
        else 'called' end as outcome
    from rows from (jsonb_to_recordset(p_calls) as (
      uuid uuid, rule text, member_id text, member text, tier text, source text, payload text, salt bytea, member_version bigint,
      curricula_version bigint, policy_version bigint, upstreams_version bigint, api_key bytea)) with ordinality
      g(uuid, rule, member_id, member, tier, source, payload, salt, member_version, curricula_version, policy_version,
        upstreams_version, api_key, n)
    -- Each by its index: the planner cannot know how few rows are given.
    left join lateral (select h.*, h as whole from gate_private.api_key_hash h where h.hash = g.api_key offset 0) k
      on k.account_id = p_account and 'propose' = any (k.powers)
      and (k.kinds is null or 'upstream_tool' = any (k.kinds)) and (k.actors is null or g.member_id = any (k.actors))
    left join lateral (
      select i.name, gate_private.app_host(p_account, i.grant_id) as host from gate.api_key i where i.account_id = p_account and i.key_id = k.key_id offset 0) n on true
    left join lateral (
      select 1 as found from gate.account i where i.account_id = p_account and i.suspended_at is null
        and i.curricula_version = g.curricula_version and i.policy_version = g.policy_version
        and i.upstreams_version = g.upstreams_version offset 0) c on true
    left join lateral (
      select 1 as found from gate.member i where i.account_id = p_account and i.member_id = g.member_id and i.is_active
        and i.version = g.member_version offset 0) m on true
    left join lateral (
      select 1 as found from gate.upstream_tool i where i.account_id = p_account and i.upstream = g.payload::json ->> 'upstream'
        and i.tool = g.payload::json ->> 'tool' and i.reviewed_hash = g.payload::json ->> 'definition_hash'
        and i.quarantined_at is null and i.gone_at is null and i.rule ->> 'rule' = 'allow' offset 0) o on true
    left join lateral (select i.id from gate.action i where i.uuid = g.uuid offset 0) a on true
    order by g.n
  loop
    outcome := given.outcome;
    action_id := given.former_id;
    if outcome = 'called' and action_id is null then
      perform gate_private.name_key(given.key);
      head.action_seq := head.action_seq + 1;
      action_id := head.action_seq;
      insert into gate.action (
        account_id, id, uuid, kind, status, member_id, member, tier_at_request, source, payload, salt, created_at,
        requires_confirmation, proposed_key, requested_by, requested_host, result, executed_at)
      values (
        p_account, action_id, given.uuid, 'upstream_tool', 'executed', given.member_id, given.member, given.tier, given.source,
        given.payload::json, given.salt, head.at, false, given.key_id, given.key_name, given.host, '{"outcome":"unknown"}', head.at);
      -- Written out for speed, as entry_tail and birth_data compose it.
      entries := entries || gate_private.entry(given.uuid, 'tool_called', action_id, '"actor":' || to_json(given.member_id)::text
        || ',"data":{"kind":"upstream_tool","member_digest":"' || gate_private.text_digest(given.uuid, given.member)
        || '","policy_version":' || given.policy_version || ',"reach":[0,0,0],'
        || coalesce('"requested_host":' || to_json(given.host)::text || ',', '') || '"result":{"outcome":"unknown"},"rule":'
        || to_json(given.rule)::text || ',"source":' || to_json(given.source)::text || ',"tier":' || to_json(given.tier)::text
        || '},"key":' || to_json(given.key_id)::text || ',"kind":"tool_called","payload_digest":"'
        || gate_private.payload_digest(given.salt, given.payload) || '","v":2}');
    end if;
    return next;
  end loop;
  perform gate_private.append_entries(head, entries);
  if jsonb_array_length(p_calls) = 0 then
    -- Where a crash loses them, these outcomes stay unknown.
    perform gate_private.commit_behind();
  end if;
end $$;

-- Records the outcome of one call, once, and returns its entry. Where no outcome is expected: nothing, and no entry.
create function gate_private.answer_tool(p_account text, p_id bigint, p_event uuid, p_result text) returns gate.ledger[]
language plpgsql as $$
declare
  is_refused boolean := p_result::json ->> 'outcome' = 'refused';
  entry_kind text := case when is_refused then 'tool_not_called' else 'tool_answered' end;
begin
  update gate.action a set
    result = p_result::json,
    status = case when is_refused then 'cancelled' else 'executed' end,
    closed_reason = case when is_refused then 'refused' end,
    executed_at = case when not is_refused then a.executed_at end
  where a.account_id = p_account and a.id = p_id and a.kind = 'upstream_tool' and not a.requires_confirmation
    and a.status = 'executed' and a.result ->> 'outcome' = 'unknown' and not gate_private.is_noted(p_account, p_event);
  if not found then
    return '{}';
  end if;
  return array[gate_private.entry(p_event, entry_kind, p_id, gate_private.entry_tail(
    'system', null, entry_kind, p_result::jsonb || case when is_refused then '{"closed_reason":"refused"}' else '{}' end::jsonb))];
end $$;
