-- Recipient sets: what a broadcast is frozen to.

-- SHA-256 over the RFC 8785 form of the recipients, as src/ledger/digest.ts computes it.
create function gate_private.recipients_hash(p_members text[], p_channels text[], p_addresses text[]) returns bytea
language sql immutable
return (
  select sha256(convert_to('[' || coalesce(string_agg(
    '[' || coalesce(to_json(r.member)::text, 'null') || ',' || coalesce(to_json(r.channel)::text, 'null') || ','
      || coalesce(to_json(r.address)::text, 'null') || ']', ',' order by r.n), '') || ']', 'UTF8'))
  from unnest(p_members, p_channels, p_addresses) with ordinality as r(member, channel, address, n)
);

-- Stores a recipient set under its hash, once, and again if it was forgotten. The hash is computed here too: a set under the
-- hash of another would be delivered to instead of the one that was shown.
create function gate.keep_recipients(
  p_account text, p_sha256 bytea, p_members text[], p_channels text[], p_addresses text[]
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  if p_sha256 <> gate_private.recipients_hash(p_members, p_channels, p_addresses) then
    raise exception 'the recipients do not match their hash' using errcode = 'check_violation';
  end if;
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
