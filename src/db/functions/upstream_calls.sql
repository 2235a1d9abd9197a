-- Calls of tools of MCP servers behind the gate that need no consent. Those that need one are proposals like any other.

-- Records that a tool is about to be called: a row that is executed with an unknown outcome, until answer_tool says more. Only if
-- everything that the call was judged by still holds. p_call: see the record below; payload: canonical JSON.
-- outcome: called (also on a repeat), stale (member, policy, curricula or the tools of the account changed, or it is suspended).
create function gate.call_tool(p_account text, p_call jsonb, out outcome text, out action_id bigint)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  given record;
  head gate.ledger_head;
  held gate_private.api_key_hash;
  called_at timestamptz;
  new_entry text;
  new_hash bytea;
begin
  select * into given from jsonb_to_record(p_call) as fields(
    uuid uuid, rule text, member_id text, member text, tier text, source text, payload text, salt bytea, member_version bigint,
    curricula_version bigint, policy_version bigint, upstreams_version bigint, api_key bytea);
  perform gate_private.require_fields(p_call, to_jsonb(given));
  perform gate.tenant(p_account);
  head := gate_private.lock_head(p_account);
  held := gate_private.require_key(p_account, given.api_key, 'propose', given.member_id, 'upstream_tool');
  select a.id into action_id from gate.action a where a.uuid = given.uuid;
  if found then
    outcome := 'called';
    return;
  end if;
  perform 1
  from gate.account c
  join gate.member m on m.account_id = c.account_id and m.member_id = given.member_id
  where c.account_id = p_account and c.suspended_at is null and c.curricula_version = given.curricula_version
    and c.policy_version = given.policy_version and c.upstreams_version = given.upstreams_version
    and m.is_active and m.version = given.member_version;
  if not found then
    outcome := 'stale';
    return;
  end if;
  outcome := 'called';
  action_id := head.action_seq + 1;
  called_at := greatest(head.at, date_trunc('milliseconds', clock_timestamp()));
  insert into gate.action (
    account_id, id, uuid, kind, status, member_id, member, tier_at_request, source, payload, salt, created_at,
    requires_confirmation, proposed_key, requested_by, result, executed_at)
  values (
    p_account, action_id, given.uuid, 'upstream_tool', 'executed', given.member_id, given.member, given.tier, given.source,
    given.payload::json, given.salt, called_at, false, held.key_id, gate_private.key_name(p_account, held.key_id),
    '{"outcome":"unknown"}', called_at);
  -- Written out for speed, as entry_tail and birth_data compose it.
  new_entry := '{"action":' || action_id || ',"actor":' || to_json(given.member_id)::text
    || ',"data":{"kind":"upstream_tool","member_digest":"' || gate_private.text_digest(given.uuid, given.member)
    || '","policy_version":' || given.policy_version || ',"reach":[0,0,0],"result":{"outcome":"unknown"},"rule":'
    || to_json(given.rule)::text || ',"source":' || to_json(given.source)::text || ',"tier":' || to_json(given.tier)::text
    || '},"key":' || to_json(held.key_id)::text || ',"kind":"tool_called","payload_digest":"'
    || gate_private.payload_digest(given.salt, given.payload) || '","v":2}';
  new_hash := sha256(head.hash || convert_to(
    p_account || ' ' || (head.seq + 1) || ' ' || gate_private.iso(called_at) || E'\n' || new_entry, 'UTF8'));
  insert into gate.ledger (account_id, seq, event_id, at, kind, action_id, entry, prev, hash)
  values (p_account, head.seq + 1, given.uuid, called_at, 'tool_called', action_id, new_entry, head.hash, new_hash);
  update gate.ledger_head h set seq = head.seq + 1, hash = new_hash, at = called_at, action_seq = action_id
  where h.account_id = p_account;
end $$;

-- Records what became of a call that call_tool recorded, once. p_result: its result as JSON; with the outcome `refused`, nothing
-- was done. What the tool answered is not kept.
create function gate.answer_tool(p_account text, p_id bigint, p_event uuid, p_result text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  is_refused boolean := p_result::json ->> 'outcome' = 'refused';
  called gate.action;
begin
  -- Where a crash loses it, the outcome stays unknown.
  perform gate.tenant(p_account), gate_private.commit_behind(), gate_private.lock_head(p_account);
  if gate_private.is_noted(p_account, p_event) then
    return;
  end if;
  select * into called from gate.action a where a.account_id = p_account and a.id = p_id for update;
  if called.kind is distinct from 'upstream_tool' or called.requires_confirmation or called.status <> 'executed'
    or called.result ->> 'outcome' <> 'unknown'
  then
    raise exception 'action % does not wait for an answer', p_id using errcode = 'check_violation';
  end if;
  perform gate_private.note_change(
    p_account, p_event, case when is_refused then 'tool_not_called' else 'tool_answered' end, p_id, 'system', null,
    p_result::jsonb || case when is_refused then '{"closed_reason":"refused"}' else '{}' end::jsonb);
  update gate.action a set
    result = p_result::json,
    status = case when is_refused then 'cancelled' else 'executed' end,
    closed_reason = case when is_refused then 'refused' end,
    executed_at = case when not is_refused then a.executed_at end
  where a.account_id = p_account and a.id = p_id;
end $$;
