-- What the console knows of previews.

-- In which ways the hosts that are heard of run previews, and why not in others; nothing of what they run, and for whom.
create function gate.list_preview_hosts(p_dead_ms integer) returns table (modes text[], unavailable json)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select h.modes, h.unavailable
  from gate_private.preview_host h
  where not gate_private.is_host_lost(h.host_id, p_dead_ms)
  order by h.started_at, h.host_id
$$;
