-- Calls of tools of MCP servers behind the gate that need no consent. Those that need one are proposals like any other.

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
    select g.*, k.key_id, n.name as key_name, a.id as former_id, case
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
      select i.name from gate.api_key i where i.account_id = p_account and i.key_id = k.key_id offset 0) n on true
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
      head.action_seq := head.action_seq + 1;
      action_id := head.action_seq;
      insert into gate.action (
        account_id, id, uuid, kind, status, member_id, member, tier_at_request, source, payload, salt, created_at,
        requires_confirmation, proposed_key, requested_by, result, executed_at)
      values (
        p_account, action_id, given.uuid, 'upstream_tool', 'executed', given.member_id, given.member, given.tier, given.source,
        given.payload::json, given.salt, head.at, false, given.key_id, given.key_name, '{"outcome":"unknown"}', head.at);
      -- Written out for speed, as entry_tail and birth_data compose it.
      entries := entries || gate_private.entry(given.uuid, 'tool_called', action_id, '"actor":' || to_json(given.member_id)::text
        || ',"data":{"kind":"upstream_tool","member_digest":"' || gate_private.text_digest(given.uuid, given.member)
        || '","policy_version":' || given.policy_version || ',"reach":[0,0,0],"result":{"outcome":"unknown"},"rule":'
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
