-- Previews: starting, stopping and ending them.

-- Starts a preview. p_row: the action of the start, see make_executed.
-- outcome: created; live (the conversation has one that runs: its time is extended, up to p_total_ms after its start);
-- stopping (one is still stopping); lost (one is on a host that is gone: end it first); stale (member, policy or curricula
-- changed); suspended; no_participant; too_many.
create function gate.start_preview(
  p_account text, p_preview text, p_conversation text, p_row jsonb,
  p_member_version bigint, p_curricula_version bigint, p_link_secret bytea,
  p_hard_ms bigint, p_total_ms bigint, p_account_max integer, p_dead_ms integer, p_due_ms integer, p_api_key bytea,
  out outcome text, out preview gate.preview
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  head gate.ledger_head;
  made gate.action;
  held gate_private.api_key_hash;
  proposer text := p_row ->> 'member_id';
  obstacle text;
begin
  perform gate.tenant(p_account);
  head := gate_private.lock_head(p_account);
  held := gate_private.require_key(p_account, p_api_key, 'propose', proposer, 'preview');
  select * into preview from gate.preview p where p.account_id = p_account and p.preview_id = p_preview;
  if found then
    outcome := 'created';
    return;
  end if;
  obstacle := gate_private.confirm_obstacle(
    p_account, proposer, p_member_version, p_curricula_version, (p_row ->> 'policy_version')::bigint);
  outcome := case
    when obstacle is not null then obstacle
    when not exists (
      select 1 from gate.member m where m.account_id = p_account and m.member_id = proposer and m.is_active
    ) then 'stale'
    when not exists (
      select 1 from gate.participant t
      where t.account_id = p_account and t.conversation_id = p_conversation and t.member_id = proposer
    ) then 'no_participant'
  end;
  if outcome is not null then
    return;
  end if;
  select * into preview from gate.preview p
  where p.account_id = p_account and p.conversation_id = p_conversation and p.ended_at is null;
  if found then
    outcome := case
      when gate_private.is_host_lost(preview.host_id, p_dead_ms) then 'lost'
      when preview.state = 'stopping' then 'stopping'
      else 'live'
    end;
    if outcome = 'live' then
      update gate.preview p
      set expires_at = least(
        p.started_at + p_total_ms * interval '1 millisecond',
        greatest(p.expires_at, clock_timestamp() + p_hard_ms * interval '1 millisecond'))
      where p.account_id = p_account and p.preview_id = preview.preview_id
      returning * into preview;
      update gate_private.open_preview o set expires_at = preview.expires_at where o.preview_id = preview.preview_id;
    end if;
    return;
  end if;
  if p_account_max <= (
    select count(*) from gate.preview p
    where p.account_id = p_account and p.ended_at is null and not gate_private.is_host_lost(p.host_id, p_dead_ms)
  ) then
    outcome := 'too_many';
    return;
  end if;
  made := gate_private.make_executed(head, p_account, 'preview_started', proposer, held.key_id, p_row);
  insert into gate.preview (account_id, preview_id, conversation_id, action_id, link_secret, started_at, expires_at)
  values (
    p_account, p_preview, p_conversation, made.id, p_link_secret, made.created_at,
    made.created_at + p_hard_ms * interval '1 millisecond')
  returning * into preview;
  insert into gate_private.open_preview (preview_id, account_id, action_id, expires_at, due_at)
  values (
    p_preview, p_account, made.id, preview.expires_at, clock_timestamp() + p_due_ms * interval '1 millisecond');
  outcome := 'created';
end $$;

-- Requests the end of a preview. p_row: the action of the stop, see make_executed.
-- outcome: asked (an action was created for it); already (it has ended or is stopping: no action); missing, also for a
-- member who does not take part in its conversation.
create function gate.stop_preview(
  p_account text, p_preview text, p_row jsonb, p_is_admin boolean, p_api_key bytea, p_session bytea,
  out outcome text, out preview gate.preview
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  head gate.ledger_head;
  held gate_private.api_key_hash;
  proposer text := p_row ->> 'member_id';
  actor text;
begin
  perform gate.tenant(p_account);
  head := gate_private.lock_head(p_account);
  if p_is_admin then
    actor := gate_private.require_admin(p_account, p_session);
  else
    held := gate_private.require_key(p_account, p_api_key, 'propose', proposer, 'preview');
    actor := proposer;
  end if;
  select p.* into preview from gate.preview p
  where p.account_id = p_account and p.preview_id = p_preview and (p_is_admin or exists (
    select 1 from gate.participant t
    where t.account_id = p.account_id and t.conversation_id = p.conversation_id and t.member_id = proposer));
  if not found then
    outcome := 'missing';
    return;
  end if;
  outcome := 'already';
  if exists (select 1 from gate.action a where a.uuid = (p_row ->> 'uuid')::uuid) then
    outcome := 'asked';
  elsif preview.state in ('starting', 'running') then
    perform gate_private.make_executed(head, p_account, 'preview_stopped', actor, held.key_id, p_row);
    update gate.preview p set state = 'stopping'
    where p.account_id = p_account and p.preview_id = p_preview
    returning * into preview;
    outcome := 'asked';
  end if;
end $$;

-- Ends a preview, once: a later call finds it as it ended. If a stop was requested it is `stopped`, however it ended.
create function gate.finish_preview(
  p_account text, p_preview text, p_state text, p_error text, p_exit_code integer, p_log_tail text,
  p_event uuid
) returns gate.preview
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  ended gate.preview;
  is_stopped boolean;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  select * into ended from gate.preview p where p.account_id = p_account and p.preview_id = p_preview for update;
  if not found or ended.ended_at is not null then
    return ended;
  end if;
  is_stopped := ended.state = 'stopping';
  perform gate_private.note(
    p_account, p_event, 'preview_ended', ended.action_id, 'system', null,
    jsonb_build_object(
      'preview', p_preview, 'state', case when is_stopped then 'stopped' else p_state end,
      'error', case when is_stopped then null else p_error end));
  update gate.preview p
  set state = case when is_stopped then 'stopped' else p_state end, error = case when is_stopped then null else p_error end,
    exit_code = p_exit_code, log_tail = p_log_tail, ended_at = clock_timestamp(), link_secret = null
  where p.account_id = p_account and p.preview_id = p_preview
  returning * into ended;
  delete from gate_private.open_preview o where o.preview_id = p_preview;
  perform pg_notify('gate_ended', p_preview);
  return ended;
end $$;

-- A preview, and whether its host is gone; no row if there is none.
create function gate.read_preview(p_account text, p_preview text, p_dead_ms integer)
returns table (preview gate.preview, is_host_lost boolean, is_suspended boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  return query
    select p, p.ended_at is null and gate_private.is_host_lost(p.host_id, p_dead_ms), c.suspended_at is not null
    from gate.preview p
    join gate.account c on c.account_id = p.account_id
    where p.account_id = p_account and p.preview_id = p_preview;
end $$;

-- Creates an action that is executed at once, with its entry. The ledger head must be locked. p_actor: who requested it; for
-- an administrator the entry also names the member. p_row: payload and result are JSON texts; rule: the sentence of the policy
-- that applied.
create function gate_private.make_executed(
  p_head gate.ledger_head, p_account text, p_entry_kind text, p_actor text, p_api_key_id text, p_row jsonb
) returns gate.action
language plpgsql as $$
declare
  given record;
  made gate.action;
begin
  select * into given from jsonb_to_record(p_row) as fields(
    uuid uuid, event uuid, rule text, policy_version bigint, member_id text, member text, tier text, source text,
    payload text, salt bytea, result text
  );
  perform gate_private.require_fields(p_row, to_jsonb(given));
  made.account_id := p_account;
  p_head.action_seq := p_head.action_seq + 1;
  made.id := p_head.action_seq;
  made.uuid := given.uuid;
  made.kind := 'preview';
  made.status := 'executed';
  made.member_id := given.member_id;
  made.member := given.member;
  made.tier_at_request := given.tier;
  made.source := given.source;
  made.payload := given.payload::json;
  made.salt := given.salt;
  made.requires_confirmation := false;
  made.reach_slack := 0;
  made.reach_email := 0;
  made.reach_unreachable := 0;
  made.result := given.result::json;
  made.proposed_key := p_api_key_id;
  made.requested_by := gate_private.key_name(p_account, p_api_key_id);
  made.created_at := p_head.at;
  made.executed_at := p_head.at;
  perform gate_private.append_entries(p_head, array[gate_private.entry(given.event, p_entry_kind, made.id, gate_private.entry_tail(
    p_actor, p_api_key_id, p_entry_kind, gate_private.birth_data(made, given.policy_version, given.rule) || jsonb_strip_nulls(jsonb_build_object(
      'result', given.result::jsonb, 'preview', made.payload->>'preview_id', 'conversation', made.payload->>'conversation_id',
      'member', case when p_actor <> given.member_id then given.member_id end)),
    gate_private.payload_digest(given.salt, given.payload)))]);
  insert into gate.action values (made.*) returning * into made;
  return made;
end $$;
