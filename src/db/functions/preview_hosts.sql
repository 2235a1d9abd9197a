-- Preview hosts: the processes that run previews.

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
