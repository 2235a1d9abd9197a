-- Calls of the administration API. p_session and p_event: see accounts.sql.

-- Begins a call by an API key: checks the key and its power, counts the call towards the daily limit of its family, and appends the
-- entry that names the key. p_count: as how many calls it counts. GA429: the limit is reached; the detail is the seconds until a
-- counted call is a day old.
create function gate.begin_admin_call(
  p_account text, p_session bytea, p_power text, p_operation text, p_count integer, p_event uuid
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  held gate_private.api_key_hash;
  actor text;
  used bigint;
  oldest timestamptz;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  select * into held from gate_private.api_key_hash k where k.hash = p_session and k.account_id = p_account;
  if not found then
    raise exception 'the API key does not hold' using errcode = 'GA401';
  end if;
  actor := gate_private.require_admin(p_account, p_session, p_power);
  select coalesce(sum((l.entry::json #>> '{data,count}')::integer), 0), min(l.at) into used, oldest
  from unnest(gate_private.keys_of_family(p_account, held.family)) f(key_id)
  join gate.ledger l on l.account_id = p_account and l.kind = 'admin_called' and l.actor = 'admin:' || f.key_id
  where l.seq >= gate.first_entry_from(p_account, clock_timestamp() - interval '1 day');
  if used + p_count > held.admin_calls_per_day then
    raise exception 'the daily limit of the API key is reached' using
      errcode = 'GA429',
      detail = greatest(1, ceil(extract(epoch from coalesce(oldest, clock_timestamp()) + interval '1 day' - clock_timestamp())))::text;
  end if;
  perform gate_private.note(
    p_account, p_event, 'admin_called', null, actor, held.key_id,
    jsonb_build_object('operation', p_operation, 'count', p_count));
end $$;
