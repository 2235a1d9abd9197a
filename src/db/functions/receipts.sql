-- Keys that sign receipts of consent. They are the service's, not of an account.

-- Every key, oldest first.
create function gate.receipt_keys() returns table (
  kid text, public_key bytea, ciphertext bytea, wrapped_key bytea, secrets_kid text, signs_from timestamptz,
  created_at timestamptz
)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select k.kid, k.public_key, k.ciphertext, k.wrapped_key, k.secrets_kid, k.signs_from, k.created_at
  from gate_private.receipt_key k
  order by k.signs_from
$$;

-- Adds a key. p_is_first: only where there is none. p_lead_ms: how long it is published before it signs, so that those who keep
-- the published keys know it by then; the first key signs at once. p_keys_max: how many there may be.
-- Returns added (also on a repeat), standing (there is one, or one that does not sign yet), too_many.
create function gate.add_receipt_key(
  p_kid text, p_public_key bytea, p_ciphertext bytea, p_wrapped_key bytea, p_secrets_kid text, p_is_first boolean,
  p_lead_ms bigint, p_keys_max integer
) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  now_at timestamptz;
  known integer;
begin
  -- If several processes make the first key, one of them succeeds.
  lock table gate_private.receipt_key in share row exclusive mode;
  now_at := date_trunc('milliseconds', clock_timestamp());
  if exists (select 1 from gate_private.receipt_key k where k.kid = p_kid) then
    return 'added';
  end if;
  select count(*) into known from gate_private.receipt_key;
  if known > 0 and (p_is_first or exists (select 1 from gate_private.receipt_key k where k.signs_from > now_at)) then
    return 'standing';
  end if;
  if known >= p_keys_max then
    return 'too_many';
  end if;
  insert into gate_private.receipt_key (kid, public_key, ciphertext, wrapped_key, secrets_kid, signs_from)
  values (
    p_kid, p_public_key, p_ciphertext, p_wrapped_key, p_secrets_kid,
    now_at + case when known = 0 then 0 else p_lead_ms end * interval '1 millisecond');
  return 'added';
end $$;

-- Deletes a key at once. Returns whether there was one.
create function gate.revoke_receipt_key(p_kid text) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  delete from gate_private.receipt_key k where k.kid = p_kid;
  return found;
end $$;

-- Deletes the keys that a later one replaced longer ago than p_overlap_ms. Returns how many.
create function gate.forget_receipt_keys(p_overlap_ms bigint) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  forgotten bigint;
begin
  delete from gate_private.receipt_key k where exists (
    select 1 from gate_private.receipt_key later
    where later.signs_from > k.signs_from
      and later.signs_from <= clock_timestamp() - p_overlap_ms * interval '1 millisecond');
  get diagnostics forgotten = row_count;
  return forgotten;
end $$;

-- Stores the data key of a private key that was wrapped again. Returns whether it still had the old wrapping.
create function gate.rewrap_receipt_key(p_kid text, p_old_secrets_kid text, p_secrets_kid text, p_wrapped_key bytea)
returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  update gate_private.receipt_key k set wrapped_key = p_wrapped_key, secrets_kid = p_secrets_kid
  where k.kid = p_kid and k.secrets_kid = p_old_secrets_kid;
  return found;
end $$;
