drop function gate.list_expired;
-- Open proposals past their expiry, for the reconciler to close: a page by uuid, after p_after where it is given.
create function gate.list_expired(p_limit integer, p_after uuid)
returns table (uuid uuid, account_id text, action_id bigint)
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  select o.uuid, o.account_id, o.action_id
  from gate_private.open_action o
  where o.decided_at is null and o.expires_at <= clock_timestamp() and (p_after is null or o.uuid > p_after)
  order by o.uuid
  limit p_limit
$$;

-- The state of what is open, for `gate doctor`. oldest_due: of what is due by now.
create or replace function gate.open_summary()
returns table (open_proposals bigint, claims_without_end bigint, oldest_due timestamptz, oldest_claim timestamptz)
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  select count(*) filter (where decided_at is null), count(*) filter (where decided_at is not null),
    min(due_at) filter (where due_at <= clock_timestamp()), min(decided_at)
  from gate_private.open_action
$$;
