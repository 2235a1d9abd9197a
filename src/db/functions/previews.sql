-- Previews: starting, stopping and ending them; and their hosts, the processes that run them.

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
  made.reach_teams := 0;
  made.result := given.result::json;
  made.proposed_key := p_api_key_id;
  made.requested_by := gate_private.key_name(p_account, p_api_key_id);
  made.requested_host := gate_private.app_host_of_key(p_account, p_api_key_id);
  made.created_at := p_head.at;
  made.executed_at := p_head.at;
  perform gate_private.append_entries(p_head, array[gate_private.entry(
    given.event, p_entry_kind, made.id, gate_private.entry_tail(
      p_actor, p_api_key_id, p_entry_kind,
      gate_private.birth_data(made, given.policy_version, given.rule) || jsonb_strip_nulls(jsonb_build_object(
        'result', given.result::jsonb, 'preview', made.payload->>'preview_id',
        'conversation', made.payload->>'conversation_id',
        'member', case when p_actor <> given.member_id then given.member_id end)),
      gate_private.payload_digest(given.salt, given.payload)))]);
  insert into gate.action values (made.*) returning * into made;
  return made;
end $$;

-- Records that a host is alive, and when its previews were last viewed (parallel arrays). Returns the previews that it must
-- end, and why: stopping, suspended, expired, over (already ended, or on another host).
create function gate.beat_preview_host(
  p_host text, p_gateway_url text, p_modes text[], p_unavailable text,
  p_accounts text[], p_previews text[], p_accessed timestamptz[]
) returns table (preview_id text, verdict text)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  told record;
  known gate.preview;
begin
  perform gate_private.commit_behind();
  insert into gate_private.preview_host (host_id, gateway_url, modes, unavailable)
  values (p_host, p_gateway_url, p_modes, p_unavailable::json)
  on conflict on constraint preview_host_pkey do update set beat_at = clock_timestamp();
  for told in
    select * from unnest(p_accounts, p_previews, p_accessed) as u(account, preview, accessed) order by u.account, u.preview
  loop
    perform gate.tenant(told.account);
    update gate.preview p set last_access_at = told.accessed
    where p.account_id = told.account and p.preview_id = told.preview and p.host_id = p_host and p.ended_at is null
    returning * into known;
    preview_id := told.preview;
    verdict := case
      when not found then 'over'
      when known.state = 'stopping' then 'stopping'
      when known.expires_at <= clock_timestamp() then 'expired'
      when exists (select 1 from gate.account c where c.account_id = told.account and c.suspended_at is not null)
        then 'suspended'
    end;
    if verdict is not null then
      return next;
    end if;
  end loop;
end $$;

-- Removes a host that has ended in order, after its previews.
create function gate.remove_preview_host(p_host text) returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  delete from gate_private.preview_host h where h.host_id = p_host
$$;

-- The modes that each live host can run, and why not the others; nothing about what they run, and for whom.
create function gate.list_preview_hosts(p_dead_ms integer) returns table (modes text[], unavailable json)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select h.modes, h.unavailable
  from gate_private.preview_host h
  where not gate_private.is_host_lost(h.host_id, p_dead_ms)
  order by h.started_at, h.host_id
$$;

-- Which of these hosts are alive.
create function gate.live_preview_hosts(p_hosts text[], p_dead_ms integer) returns setof text
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select h.host_id from gate_private.preview_host h
  where h.host_id = any (p_hosts) and not gate_private.is_host_lost(h.host_id, p_dead_ms)
$$;

-- Chooses the host of a preview: of the live hosts with room the one with the most modes, then the one with the fewest
-- previews. outcome: placed (a repeat finds the same host), none (no host has room), over (it has ended or is to end).
create function gate.place_preview(
  p_account text, p_preview text, p_host_max integer, p_dead_ms integer, out outcome text, out host text
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  placed gate.preview;
  url text;
begin
  perform gate.tenant(p_account);
  -- One at a time: two that count at once would both take the last room.
  perform pg_advisory_xact_lock(7203146002);
  -- The preview before its host, in the order of all other functions.
  select * into placed from gate.preview p where p.account_id = p_account and p.preview_id = p_preview for update;
  update gate_private.open_preview o set due_at = null where o.preview_id = p_preview;
  if not found or placed.state <> 'starting' then
    outcome := 'over';
    return;
  end if;
  host := placed.host_id;
  outcome := 'placed';
  if host is not null then
    return;
  end if;
  select h.host_id, h.gateway_url into host, url
  from gate_private.preview_host h
  cross join lateral (select count(*) as previews from gate_private.open_preview o where o.host_id = h.host_id) l
  where h.beat_at > clock_timestamp() - p_dead_ms * interval '1 millisecond' and l.previews < p_host_max
  order by cardinality(h.modes) desc, l.previews, random()
  limit 1;
  if not found then
    outcome := 'none';
    return;
  end if;
  update gate.preview p set host_id = host, gateway_url = url where p.account_id = p_account and p.preview_id = p_preview;
  update gate_private.open_preview o set host_id = host where o.preview_id = p_preview;
end $$;

-- Records that a preview runs. Returns its state: another than `running` means that it must end.
create function gate.run_preview(p_account text, p_preview text, p_host text, p_mode text) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  noted gate.preview;
begin
  perform gate.tenant(p_account);
  update gate.preview p
  set state = 'running', mode = p_mode, running_at = clock_timestamp(), last_access_at = clock_timestamp()
  where p.account_id = p_account and p.preview_id = p_preview and p.state = 'starting' and p.host_id = p_host;
  select * into noted from gate.preview p where p.account_id = p_account and p.preview_id = p_preview;
  perform pg_notify('gate_ended', p_preview);
  return noted.state;
end $$;

-- Previews that the reconciler must repair, and why: start (its workflow gave no sign), lost (its host is gone), late (past
-- its time and not ended). Deletes hosts that have been dead for an hour.
create function gate.list_stray_previews(p_limit integer, p_dead_ms integer, p_late_ms integer)
returns table (account_id text, preview_id text, action_id bigint, expires_at timestamptz, stray text)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  delete from gate_private.preview_host h where h.beat_at < clock_timestamp() - interval '1 hour';
  return query
    select o.account_id, o.preview_id, o.action_id, o.expires_at, f.stray
    from gate_private.open_preview o
    cross join lateral (select case
      when o.expires_at < clock_timestamp() - p_late_ms * interval '1 millisecond' then 'late'
      when gate_private.is_host_lost(o.host_id, p_dead_ms) then 'lost'
      when o.due_at < clock_timestamp() then 'start'
    end as stray) f
    where f.stray is not null
    order by o.preview_id
    limit p_limit;
end $$;

-- Whether a preview's host is gone or has sent no beat for p_dead_ms.
create function gate_private.is_host_lost(p_host text, p_dead_ms integer) returns boolean
language sql stable as $$
  select p_host is not null and not exists (
    select 1 from gate_private.preview_host h
    where h.host_id = p_host and h.beat_at > clock_timestamp() - p_dead_ms * interval '1 millisecond'
  )
$$;
