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
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  answer record;
  given record;
  head gate.ledger_head;
  new_at timestamptz;
  new_entry text;
  new_hash bytea;
begin
  perform gate.tenant(p_account);
  head := gate_private.lock_head(p_account);
  for answer in select * from jsonb_to_recordset(p_answers) as a(id bigint, event uuid, result text) loop
    perform gate_private.answer_tool(p_account, answer.id, answer.event, answer.result);
  end loop;
  if jsonb_array_length(p_calls) = 0 then
    -- Where a crash loses them, these outcomes stay unknown.
    perform gate_private.commit_behind();
    return;
  end if;
  if jsonb_array_length(p_answers) > 0 then
    head := gate_private.lock_head(p_account);
  end if;
  new_at := greatest(head.at, date_trunc('milliseconds', clock_timestamp()));
  for given in
    select g.*, k.key_id, n.name as key_name, a.id as former_id, case
        when a.id is not null then 'called'
        when k.hash is null or not gate_private.key_holds(k) then 'unauthenticated'
        when m.account_id is null or o.tool is null then 'stale'
        else 'called' end as outcome
    from rows from (jsonb_to_recordset(p_calls) as (
      uuid uuid, rule text, member_id text, member text, tier text, source text, payload text, salt bytea, member_version bigint,
      curricula_version bigint, policy_version bigint, upstreams_version bigint, api_key bytea)) with ordinality
      g(uuid, rule, member_id, member, tier, source, payload, salt, member_version, curricula_version, policy_version,
        upstreams_version, api_key, n)
    left join gate_private.api_key_hash k on k.hash = g.api_key and k.account_id = p_account and 'propose' = any (k.powers)
      and (k.kinds is null or 'upstream_tool' = any (k.kinds)) and (k.actors is null or g.member_id = any (k.actors))
    left join gate.api_key n on n.account_id = p_account and n.key_id = k.key_id
    left join gate.account c on c.account_id = p_account and c.suspended_at is null
      and c.curricula_version = g.curricula_version and c.policy_version = g.policy_version
      and c.upstreams_version = g.upstreams_version
    left join gate.member m on m.account_id = c.account_id and m.member_id = g.member_id and m.is_active
      and m.version = g.member_version
    left join gate.upstream_tool o on o.account_id = c.account_id and o.upstream = g.payload::json ->> 'upstream'
      and o.tool = g.payload::json ->> 'tool' and o.reviewed_hash = g.payload::json ->> 'definition_hash'
      and o.quarantined_at is null and o.gone_at is null and o.rule ->> 'rule' = 'allow'
    left join gate.action a on a.uuid = g.uuid
    order by g.n
  loop
    outcome := given.outcome;
    action_id := given.former_id;
    if outcome = 'called' and action_id is null then
      head.action_seq := head.action_seq + 1;
      head.seq := head.seq + 1;
      action_id := head.action_seq;
      insert into gate.action (
        account_id, id, uuid, kind, status, member_id, member, tier_at_request, source, payload, salt, created_at,
        requires_confirmation, proposed_key, requested_by, result, executed_at)
      values (
        p_account, action_id, given.uuid, 'upstream_tool', 'executed', given.member_id, given.member, given.tier, given.source,
        given.payload::json, given.salt, new_at, false, given.key_id, given.key_name, '{"outcome":"unknown"}', new_at);
      -- Written out for speed, as entry_tail and birth_data compose it.
      new_entry := '{"action":' || action_id || ',"actor":' || to_json(given.member_id)::text
        || ',"data":{"kind":"upstream_tool","member_digest":"' || gate_private.text_digest(given.uuid, given.member)
        || '","policy_version":' || given.policy_version || ',"reach":[0,0,0],"result":{"outcome":"unknown"},"rule":'
        || to_json(given.rule)::text || ',"source":' || to_json(given.source)::text || ',"tier":' || to_json(given.tier)::text
        || '},"key":' || to_json(given.key_id)::text || ',"kind":"tool_called","payload_digest":"'
        || gate_private.payload_digest(given.salt, given.payload) || '","v":2}';
      new_hash := sha256(head.hash || convert_to(
        p_account || ' ' || head.seq || ' ' || gate_private.iso(new_at) || E'\n' || new_entry, 'UTF8'));
      insert into gate.ledger (account_id, seq, event_id, at, kind, action_id, entry, prev, hash)
      values (p_account, head.seq, given.uuid, new_at, 'tool_called', pass_tool_calls.action_id, new_entry, head.hash, new_hash);
      head.hash := new_hash;
    end if;
    return next;
  end loop;
  update gate.ledger_head h set seq = head.seq, hash = head.hash, at = new_at, action_seq = head.action_seq
  where h.account_id = p_account and h.seq < head.seq;
end $$;

-- Records the outcome of one call, once; nothing where it is not expected. The ledger head is locked.
create function gate_private.answer_tool(p_account text, p_id bigint, p_event uuid, p_result text) returns void
language plpgsql as $$
declare
  is_refused boolean := p_result::json ->> 'outcome' = 'refused';
begin
  update gate.action a set
    result = p_result::json,
    status = case when is_refused then 'cancelled' else 'executed' end,
    closed_reason = case when is_refused then 'refused' end,
    executed_at = case when not is_refused then a.executed_at end
  where a.account_id = p_account and a.id = p_id and a.kind = 'upstream_tool' and not a.requires_confirmation
    and a.status = 'executed' and a.result ->> 'outcome' = 'unknown' and not gate_private.is_noted(p_account, p_event);
  if not found then
    return;
  end if;
  perform gate_private.note_change(
    p_account, p_event, case when is_refused then 'tool_not_called' else 'tool_answered' end, p_id, 'system', null,
    p_result::jsonb || case when is_refused then '{"closed_reason":"refused"}' else '{}' end::jsonb);
end $$;
