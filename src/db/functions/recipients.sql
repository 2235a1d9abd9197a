-- Recipient sets: what a broadcast is frozen to.

-- Stores a recipient set under its hash, once, and again if it was forgotten.
create function gate.keep_recipients(
  p_account text, p_sha256 bytea, p_members text[], p_channels text[], p_addresses text[]
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  insert into gate.recipient_set as s (account_id, sha256, members, channels, addresses)
  values (p_account, p_sha256, p_members, p_channels, p_addresses)
  on conflict on constraint recipient_set_pkey do update set
    kept_at = clock_timestamp(),
    forgotten_at = null,
    -- A set that a proposal may be frozen to never changes.
    members = case when s.forgotten_at is null then s.members else excluded.members end,
    channels = case when s.forgotten_at is null then s.channels else excluded.channels end,
    addresses = case when s.forgotten_at is null then s.addresses else excluded.addresses end;
end $$;

-- Empties recipient sets that no proposal was frozen to for 90 days and no open action needs. Their hashes stay, and what was
-- delivered to whom is with the deliveries. Returns how many.
create function gate.forget_recipients(p_account text, p_limit integer) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  forgotten bigint;
begin
  perform gate.tenant(p_account);
  update gate.recipient_set s set members = '{}', channels = '{}', addresses = '{}', forgotten_at = clock_timestamp()
  where s.account_id = p_account and s.sha256 in (
    select old.sha256 from gate.recipient_set old
    where old.account_id = p_account and old.forgotten_at is null and old.kept_at < clock_timestamp() - interval '90 days'
      and not exists (
        select 1 from gate.action a
        where a.account_id = p_account and a.status = 'proposed' and a.recipients = old.sha256
      )
    order by old.kept_at
    limit p_limit
    for update skip locked
  );
  get diagnostics forgotten = row_count;
  return forgotten;
end $$;
