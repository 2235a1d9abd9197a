-- Previews of what conversations built: where they run, since when, and how they ended.

-- A process that runs previews, from its start to its end; another start is another host. Alive while it beats.
create table gate_private.preview_host (
  host_id text not null,
  gateway_url text not null,
  modes text[] not null,
  unavailable json not null,
  started_at timestamptz not null default clock_timestamp(),
  beat_at timestamptz not null default clock_timestamp(),
  constraint preview_host_pkey primary key (host_id),
  constraint preview_host_id_form check (host_id ~ '^host_[0-9A-Za-z]{16}$')
);

-- One preview of a conversation's workspace. starting: on its way. running: its links work. stopping: a stop was asked for.
-- stopped, failed, expired: over, its link secret forgotten. `mode` is what it is expected to be until it runs.
create table gate.preview (
  account_id text not null,
  preview_id text not null,
  conversation_id text not null,
  action_id bigint not null,
  mode text not null default 'static',
  state text not null default 'starting',
  host_id text,
  gateway_url text,
  link_secret bytea,
  started_at timestamptz not null,
  running_at timestamptz,
  expires_at timestamptz not null,
  last_access_at timestamptz,
  ended_at timestamptz,
  error text,
  exit_code integer,
  log_tail text,
  constraint preview_pkey primary key (account_id, preview_id),
  constraint preview_action_key unique (account_id, action_id),
  constraint preview_action_fkey foreign key (account_id, action_id) references gate.action,
  constraint preview_conversation_fkey foreign key (account_id, conversation_id) references gate.conversation,
  constraint preview_id_form check (preview_id ~ '^prev_[0-9a-z]{20}$'),
  constraint preview_mode_known check (mode in ('static', 'command')),
  constraint preview_state_known check (state in ('starting', 'running', 'stopping', 'stopped', 'failed', 'expired')),
  constraint preview_failed_has_error check (state <> 'failed' or error is not null),
  constraint preview_log_length check (length(log_tail) <= 65536),
  constraint preview_ended_is_dated check ((state in ('stopped', 'failed', 'expired')) = (ended_at is not null)),
  constraint preview_ended_has_no_link check (ended_at is null or link_secret is null)
);
create unique index preview_live_key on gate.preview (account_id, conversation_id) where ended_at is null;
create index preview_by_start on gate.preview (account_id, started_at, preview_id);

-- One row per preview that has not ended, of all accounts: the load of the hosts, and what the reconciler looks at.
-- `due_at` says when its workflow must be started again; null once it has taken its first step.
create table gate_private.open_preview (
  preview_id text not null,
  account_id text not null,
  action_id bigint not null,
  host_id text,
  expires_at timestamptz not null,
  due_at timestamptz,
  constraint open_preview_pkey primary key (preview_id)
);
create index open_preview_by_host on gate_private.open_preview (host_id);

alter table gate.preview enable row level security, force row level security;
create policy tenant on gate.preview using (account_id = gate.current_account());

-- Whether a preview was placed on a host that is gone, or has not been heard of for so long.
create function gate_private.is_host_lost(p_host text, p_dead_ms integer) returns boolean
language sql stable as $$
  select p_host is not null and not exists (
    select 1 from gate_private.preview_host h
    where h.host_id = p_host and h.beat_at > clock_timestamp() - p_dead_ms * interval '1 millisecond'
  )
$$;

-- One preview, and whether its host is lost; no row where there is none.
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

-- Makes a row that is executed as it is made, with its entry. Assumes the head's lock.
create function gate_private.make_executed(
  p_head gate.ledger_head, p_account text, p_uuid uuid, p_event uuid, p_entry_kind text, p_entry_tail text,
  p_member_id text, p_member text, p_tier text, p_source text, p_payload text, p_salt bytea, p_result text
) returns gate.action
language plpgsql as $$
declare
  made gate.action;
  new_id bigint := p_head.action_seq + 1;
  new_at timestamptz;
begin
  update gate.ledger_head set action_seq = new_id where account_id = p_account;
  new_at := gate_private.append(p_account, p_event, p_entry_kind, new_id, p_entry_tail);
  insert into gate.action (
    account_id, id, uuid, kind, status, member_id, member, tier_at_request, source, payload, salt, created_at,
    requires_confirmation, result, executed_at
  ) values (
    p_account, new_id, p_uuid, 'preview', 'executed', p_member_id, p_member, p_tier, p_source, p_payload::json, p_salt,
    new_at, false, p_result::json, new_at
  ) returning * into made;
  return made;
end $$;

-- Starts a preview, if the facts still hold. outcome: created; live (one of the conversation runs: its time begins anew,
-- p_total_ms after its start at most); stopping (one is on its way out); lost (one stands on a host that is gone: end it
-- first); stale; suspended; no_participant; too_many.
create function gate.start_preview(
  p_account text, p_preview text, p_conversation text, p_uuid uuid, p_event uuid, p_entry_tail text,
  p_member_id text, p_member text, p_member_version bigint, p_curricula_version bigint, p_policy_version bigint,
  p_tier text, p_source text, p_payload text, p_salt bytea, p_result text, p_link_secret bytea,
  p_hard_ms bigint, p_total_ms bigint, p_account_max integer, p_dead_ms integer, p_due_ms integer,
  out outcome text, out preview gate.preview
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  head gate.ledger_head;
  made gate.action;
begin
  perform gate.tenant(p_account);
  head := gate_private.lock_head(p_account);
  select * into preview from gate.preview p where p.account_id = p_account and p.preview_id = p_preview;
  if found then
    outcome := 'created';
    return;
  end if;
  outcome := case
    when gate_private.confirm_obstacle(
      p_account, p_member_id, p_member_version, p_curricula_version, p_policy_version) is not null
    then gate_private.confirm_obstacle(
      p_account, p_member_id, p_member_version, p_curricula_version, p_policy_version)
    when not exists (
      select 1 from gate.member m where m.account_id = p_account and m.member_id = p_member_id and m.is_active
    ) then 'stale'
    when not exists (
      select 1 from gate.participant t
      where t.account_id = p_account and t.conversation_id = p_conversation and t.member_id = p_member_id
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
  made := gate_private.make_executed(
    head, p_account, p_uuid, p_event, 'preview_started', p_entry_tail, p_member_id, p_member, p_tier, p_source, p_payload,
    p_salt, p_result);
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

-- Asks for the end of a preview. outcome: asked (the row of the stop was made); already (it has ended, or is ending: no
-- row); missing, also for a member who does not take part in its conversation.
create function gate.stop_preview(
  p_account text, p_preview text, p_uuid uuid, p_event uuid, p_entry_tail text,
  p_member_id text, p_member text, p_tier text, p_source text, p_payload text, p_salt bytea, p_result text,
  p_is_admin boolean,
  out outcome text, out preview gate.preview
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  head gate.ledger_head;
begin
  perform gate.tenant(p_account);
  head := gate_private.lock_head(p_account);
  select p.* into preview from gate.preview p
  where p.account_id = p_account and p.preview_id = p_preview and (p_is_admin or exists (
    select 1 from gate.participant t
    where t.account_id = p.account_id and t.conversation_id = p.conversation_id and t.member_id = p_member_id));
  if not found then
    outcome := 'missing';
    return;
  end if;
  outcome := 'already';
  if exists (select 1 from gate.action a where a.uuid = p_uuid) then
    outcome := 'asked';
  elsif preview.state in ('starting', 'running') then
    perform gate_private.make_executed(
      head, p_account, p_uuid, p_event, 'preview_stopped', p_entry_tail, p_member_id, p_member, p_tier, p_source,
      p_payload, p_salt, p_result);
    update gate.preview p set state = 'stopping'
    where p.account_id = p_account and p.preview_id = p_preview
    returning * into preview;
    outcome := 'asked';
  end if;
end $$;

-- Chooses the host of a preview: of those that are alive and have room, one that can run most ways, then the one that runs
-- least. outcome: placed (a repeat finds the same host), none (nobody has room), over (it has ended, or is to).
create function gate.place_preview(
  p_account text, p_preview text, p_host_max integer, p_dead_ms integer, out outcome text, out host text
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  placed gate.preview;
  url text;
begin
  perform gate.tenant(p_account);
  -- One after the other: two that count at once would both take the last room.
  perform pg_advisory_xact_lock(7203146002);
  -- The preview first, as everybody else takes them.
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

-- Notes that a preview runs. Returns its state: another than running where it is to end.
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

-- Ends a preview, once: whoever comes later finds it as it ended. One whose stop was asked for is stopped, however it went.
create function gate.finish_preview(
  p_account text, p_preview text, p_state text, p_error text, p_exit_code integer, p_log_tail text,
  p_event uuid, p_entry_tail text, p_stopped_tail text
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
  perform gate_private.append(
    p_account, p_event, 'preview_ended', ended.action_id, case when is_stopped then p_stopped_tail else p_entry_tail end);
  update gate.preview p
  set state = case when is_stopped then 'stopped' else p_state end, error = case when is_stopped then null else p_error end,
    exit_code = p_exit_code, log_tail = p_log_tail, ended_at = clock_timestamp(), link_secret = null
  where p.account_id = p_account and p.preview_id = p_preview
  returning * into ended;
  delete from gate_private.open_preview o where o.preview_id = p_preview;
  perform pg_notify('gate_ended', p_preview);
  return ended;
end $$;

-- A host says that it lives and when its previews were last looked at (parallel arrays). Answers those that are to end,
-- and why: stopping, suspended, expired, over (already ended, or of another host).
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

-- A host has ended in order, its previews before it.
create function gate.remove_preview_host(p_host text) returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  delete from gate_private.preview_host h where h.host_id = p_host
$$;

-- Which of these hosts are alive.
create function gate.live_preview_hosts(p_hosts text[], p_dead_ms integer) returns setof text
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select h.host_id from gate_private.preview_host h
  where h.host_id = any (p_hosts) and not gate_private.is_host_lost(h.host_id, p_dead_ms)
$$;

-- What the reconciler mends, and why: start (its workflow has not been heard of), lost (its host is gone), late (past its
-- time, and nobody ended it). Forgets hosts that have long been dead.
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
