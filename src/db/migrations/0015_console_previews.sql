-- What the console knows of previews, and the end that an administrator puts to one.

-- Asks for the end of a preview as an administrator, who need not take part in its conversation. The row is about the member
-- who started it; its entry names the administrator. outcome: asked, already (it has ended, or is ending: no row), missing.
create function gate.stop_preview_as_admin(
  p_account text, p_preview text, p_uuid uuid, p_event uuid, p_entry_tail text,
  p_member_id text, p_member text, p_tier text, p_source text, p_payload text, p_salt bytea, p_result text,
  out outcome text, out preview gate.preview
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  head gate.ledger_head;
begin
  perform gate.tenant(p_account);
  head := gate_private.lock_head(p_account);
  select p.* into preview from gate.preview p where p.account_id = p_account and p.preview_id = p_preview;
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

-- In which ways the hosts that are heard of run previews, and why not in others; nothing of what they run, and for whom.
create function gate.list_preview_hosts(p_dead_ms integer) returns table (modes text[], unavailable json)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select h.modes, h.unavailable
  from gate_private.preview_host h
  where not gate_private.is_host_lost(h.host_id, p_dead_ms)
  order by h.started_at, h.host_id
$$;
