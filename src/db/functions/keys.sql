-- API keys: authentication, what a key may do, and their administration.

-- The key with this hash, valid or not; no row if there is none. `ceilings`: as key_ceilings, or null.
create function gate.authenticate(p_hash bytea)
returns table (
  account_id text, key_id text, actors text[], powers text[], kinds text[], networks text[], ceilings json, hash bytea,
  is_valid boolean, touch_due boolean, key_limits text, upstreams_version bigint,
  kinds_version bigint, is_of_app boolean
)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  k gate_private.api_key_hash;
begin
  select * into k from gate_private.api_key_hash h where h.hash = p_hash;
  if not found then
    return;
  end if;
  perform gate.tenant(k.account_id);
  return query select k.account_id, k.key_id, k.actors, k.powers, k.kinds, k.networks,
    case when k.actions_per_day is not null or k.cents_per_day is not null
      then (select row_to_json(c) from gate_private.ceilings_of(k) c) end,
    k.hash, gate_private.key_holds(k),
    k.last_used_at is null or k.last_used_at < clock_timestamp() - interval '5 minutes',
    (select d.key_limits from gate_private.account_directory d where d.account_id = k.account_id),
    c.upstreams_version, c.kinds_version, k.family like 'app\_%'
  from (select 1) one left join gate.account c on c.account_id = k.account_id;
end $$;

-- Whether a key of an account is valid now.
create function gate.holds_key(p_account text, p_hash bytea) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select exists (
    select 1 from gate_private.api_key_hash k
    where k.hash = p_hash and k.account_id = p_account and gate_private.key_holds(k))
$$;

-- The secret that the runner key of this name signs with, and the hash of the key; no row if there is no such key.
create function gate.runner_signing(p_name bytea)
returns table (account_id text, key_id text, hash bytea, ciphertext bytea, wrapped_key bytea, kid text)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select s.account_id, s.key_id, h.hash, s.ciphertext, s.wrapped_key, s.kid
  from gate_private.runner_signing s
  join gate_private.api_key_hash h on h.account_id = s.account_id and h.key_id = s.key_id
  where s.name = p_name
$$;

-- Whether a request of a runner key is the first with this nonce; the same request again is. Forgets those older than p_kept_ms.
create function gate.claim_nonce(
  p_account text, p_key text, p_nonce bytea, p_request uuid, p_kept_ms bigint
) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  first uuid;
begin
  if octet_length(p_nonce) <> 16 then
    raise exception 'a nonce has 16 bytes' using errcode = 'check_violation';
  end if;
  perform gate.tenant(p_account);
  delete from gate_private.runner_nonce n
  where n.account_id = p_account and n.key_id = p_key
    and n.at < clock_timestamp() - p_kept_ms * interval '1 millisecond';
  insert into gate_private.runner_nonce (account_id, key_id, nonce, request)
  select k.account_id, k.key_id, p_nonce, p_request from gate.api_key k
  where k.account_id = p_account and k.key_id = p_key
  on conflict on constraint runner_nonce_pkey do nothing;
  select n.request into first from gate_private.runner_nonce n
  where n.account_id = p_account and n.key_id = p_key and n.nonce = p_nonce;
  return coalesce(first = p_request, false);
end $$;

-- The signing secrets of an account that are wrapped under another key than p_kid, or not encrypted.
create function gate.list_signing_elsewhere(p_account text, p_kid text)
returns table (key_id text, ciphertext bytea, wrapped_key bytea, kid text)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select s.key_id, s.ciphertext, s.wrapped_key, s.kid from gate_private.runner_signing s
  where s.account_id = p_account and s.kid is distinct from p_kid
  order by s.key_id
$$;

-- Stores a secret that was wrapped again, or encrypted. False where someone else did so meanwhile.
create function gate.rewrap_signing(
  p_account text, p_key text, p_old_kid text, p_kid text, p_ciphertext bytea, p_wrapped_key bytea
) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  update gate_private.runner_signing s set ciphertext = p_ciphertext, wrapped_key = p_wrapped_key, kid = p_kid
  where s.account_id = p_account and s.key_id = p_key and s.kid is not distinct from p_old_kid;
  return found;
end $$;

-- Takes up to p_share requests of the p_max that a key has in its minute, for one process. A new minute begins with the first
-- taken after the last one ended, or where the clock was set back: otherwise a key would wait for as long as it was set back.
-- taken: how many it got, 0 where none are left; left_ms: until the minute ends.
create function gate.take_requests(
  p_account text, p_key text, p_share integer, p_max integer,
  out taken integer, out left_ms double precision
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  m gate_private.key_minute;
  is_over boolean;
begin
  insert into gate_private.key_minute (account_id, key_id, ends_at, taken)
  select h.account_id, h.key_id, '-infinity', 0 from gate_private.api_key_hash h
  where h.account_id = p_account and h.key_id = p_key
  on conflict on constraint key_minute_pkey do nothing;
  select * into m from gate_private.key_minute k where k.account_id = p_account and k.key_id = p_key for update;
  if not found then
    raise exception 'there is no such key' using errcode = 'foreign_key_violation';
  end if;
  is_over := m.ends_at <= clock_timestamp() or m.ends_at > clock_timestamp() + interval '61 seconds';
  if is_over then
    m.ends_at := clock_timestamp() + interval '1 minute';
    m.taken := 0;
  end if;
  taken := greatest(0, least(p_share, p_max - m.taken));
  left_ms := extract(epoch from m.ends_at - clock_timestamp()) * 1000;
  if taken > 0 then
    update gate_private.key_minute k set ends_at = m.ends_at, taken = m.taken + take_requests.taken
    where k.account_id = p_account and k.key_id = p_key;
  end if;
end $$;

-- Records that a key was used, at most every five minutes.
create function gate.touch_key(p_hash bytea) returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  update gate_private.api_key_hash set last_used_at = clock_timestamp()
  where hash = p_hash and (last_used_at is null or last_used_at < clock_timestamp() - interval '5 minutes')
$$;

-- The daily limits of a key, and the keys that count towards them; no row if the key has no limit.
create function gate.key_ceilings(p_account text, p_key text)
returns table (keys text[], actions_per_day integer, cents_per_day json)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select c.* from gate_private.api_key_hash h, gate_private.ceilings_of(h) c
  where h.account_id = p_account and h.key_id = p_key
$$;

-- The keys of an account that somebody made. used_today: the actions confirmed within a day that the key's family proposed or confirmed.
-- The index action_decided finds them.
create function gate.list_keys(p_account text)
returns table (
  key_id text, name text, last4 text, actors text[], created_at timestamptz, expires_at timestamptz,
  revoked_at timestamptz, last_used_at timestamptz, powers text[], kinds text[], networks text[],
  actions_per_day integer, cents_per_day json, rotated_from text, admin_calls_per_day integer, minted_by text,
  used_today bigint
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  return query
    with confirmed as materialized (
      select a.id, a.proposed_key, a.decided_key from gate.action a
      where a.account_id = p_account and a.decision = 'confirm' and a.decided_at > clock_timestamp() - interval '1 day'
    ), used as (
      select h.family, count(distinct u.id) as count
      from (
        select c.id, c.proposed_key as key from confirmed c union select c.id, c.decided_key from confirmed c
      ) u
      join gate_private.api_key_hash h on h.account_id = p_account and h.key_id = u.key
      group by h.family
    )
    select k.key_id, k.name, k.last4, k.actors, k.created_at, k.expires_at, k.revoked_at, h.last_used_at, k.powers,
      k.kinds, k.networks, k.actions_per_day, k.cents_per_day, k.rotated_from, k.admin_calls_per_day, k.minted_by,
      coalesce(u.count, 0)
    from gate.api_key k
    join gate_private.api_key_hash h on h.account_id = k.account_id and h.key_id = k.key_id
    left join used u on u.family = h.family
    where k.account_id = p_account and k.grant_id is null
    order by k.created_at, k.key_id;
end $$;

-- Creates a key. p_networks are addresses in CIDR form; the bits beyond the prefix are set to zero. p_signing: of a runner key, as
-- store_signing takes it.
-- Returns the networks as they are stored.
create function gate.mint_key(
  p_account text, p_session bytea, p_key text, p_name text, p_last4 text, p_hash bytea, p_actors text[],
  p_expires timestamptz, p_powers text[], p_kinds text[], p_networks text[], p_actions_per_day integer,
  p_cents_per_day json, p_event uuid, p_signing json default null, p_admin_calls_per_day integer default null
) returns text[]
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  made gate.api_key;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session, 'keys.write');
  made.account_id := p_account;
  made.key_id := p_key;
  made.name := p_name;
  made.last4 := p_last4;
  made.actors := p_actors;
  made.created_at := clock_timestamp();
  made.expires_at := date_trunc('milliseconds', p_expires);
  made.powers := p_powers;
  made.kinds := p_kinds;
  made.networks := (
    select array_agg(n.cidr order by n.at) from (
      select network(given::inet)::text as cidr, min(o) as at from unnest(p_networks) with ordinality u(given, o) group by 1
    ) n);
  made.actions_per_day := p_actions_per_day;
  made.cents_per_day := p_cents_per_day;
  made.admin_calls_per_day := p_admin_calls_per_day;
  perform gate_private.require_within(made, p_session);
  perform gate_private.store_key(made, p_hash, p_key, actor, p_event);
  perform gate_private.store_signing(p_account, p_key, p_signing);
  return made.networks;
end $$;

-- Creates a key with the rights of another, which then expires after p_overlap_ms at the latest. Both count as one towards
-- their daily limits. outcome: rotated, missing, over (revoked or expired), twice (already rotated).
create function gate.rotate_key(
  p_account text, p_session bytea, p_key text, p_new_key text, p_last4 text, p_hash bytea, p_overlap_ms bigint,
  p_event uuid, p_signing json default null,
  out outcome text, out expires_at timestamptz
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  former gate.api_key;
  made gate.api_key;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session, 'keys.write');
  select * into former from gate.api_key k
  where k.account_id = p_account and k.key_id = p_key and k.grant_id is null;
  outcome := case
    when not found then 'missing'
    when former.revoked_at is not null or former.expires_at <= clock_timestamp() then 'over'
    when exists (select 1 from gate.api_key k where k.account_id = p_account and k.rotated_from = p_key) then 'twice'
  end;
  if outcome is not null then
    return;
  end if;
  made := former;
  made.key_id := p_new_key;
  made.last4 := p_last4;
  made.created_at := clock_timestamp();
  made.rotated_from := p_key;
  perform gate_private.require_within(made, p_session);
  perform gate_private.store_key(
    made, p_hash,
    (select h.family from gate_private.api_key_hash h where h.account_id = p_account and h.key_id = p_key),
    actor, gen_random_uuid());
  perform gate_private.store_signing(p_account, p_new_key, p_signing);
  expires_at := least(
    former.expires_at, date_trunc('milliseconds', clock_timestamp() + p_overlap_ms * interval '1 millisecond'));
  update gate.api_key k set expires_at = rotate_key.expires_at where k.account_id = p_account and k.key_id = p_key;
  update gate_private.api_key_hash h set expires_at = rotate_key.expires_at
  where h.account_id = p_account and h.key_id = p_key;
  perform gate_private.note(
    p_account, p_event, 'key_rotated', null, actor, null,
    jsonb_build_object('key', p_key, 'expires_at', gate_private.iso(expires_at), 'to', p_new_key));
  outcome := 'rotated';
end $$;

-- Returns whether the key exists. Revoking a revoked key changes nothing.
create function gate.revoke_key(p_account text, p_session bytea, p_key text, p_event uuid) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session, 'keys.write');
  perform 1 from gate.api_key where account_id = p_account and key_id = p_key and grant_id is null;
  if not found then
    return false;
  end if;
  update gate.api_key set revoked_at = clock_timestamp()
  where account_id = p_account and key_id = p_key and revoked_at is null;
  if found then
    update gate_private.api_key_hash set revoked_at = clock_timestamp() where account_id = p_account and key_id = p_key;
    perform gate_private.note_change(
      p_account, p_event, 'key_revoked', null, actor, null, jsonb_build_object('key', p_key));
  end if;
  return true;
end $$;

-- Refuses a new key that could do more than the API key that makes it. Powers of administration are given by people alone. A key with a
-- limit for a day makes none: each of them would have the limit again.
create function gate_private.require_within(p_key gate.api_key, p_session bytea) returns void
language plpgsql as $$
declare
  held gate_private.api_key_hash;
begin
  select * into held from gate_private.api_key_hash k where k.hash = p_session and k.account_id = p_key.account_id;
  -- What is null is not limited, and so is not within a limit.
  if found and coalesce(
    p_key.admin_calls_per_day is null and p_key.powers <@ held.powers
    and held.actions_per_day is null and held.cents_per_day is null
    and (held.kinds is null or p_key.kinds <@ held.kinds)
    and (held.expires_at is null or p_key.expires_at <= held.expires_at)
    and (held.networks is null or p_key.networks is not null and not exists (
      select from unnest(p_key.networks) n
      where not exists (select from unnest(held.networks) h where n::cidr <<= h::cidr))),
    false) is false
  then
    raise exception 'the new key would do more than the key that makes it' using errcode = 'GA403', detail = 'within';
  end if;
end $$;

-- Stores a key and its hash, and appends the entry. The ledger head must be locked.
create function gate_private.store_key(
  p_key gate.api_key, p_hash bytea, p_family text, p_actor text, p_event uuid
) returns void
language plpgsql as $$
begin
  p_key.minted_by := coalesce(gate_private.minter_of(p_key.account_id, p_actor), p_actor);
  insert into gate.api_key values (p_key.*);
  insert into gate_private.api_key_hash (
    hash, account_id, key_id, family, actors, expires_at, powers, kinds, networks, actions_per_day, cents_per_day,
    admin_calls_per_day)
  values (
    p_hash, p_key.account_id, p_key.key_id, p_family, p_key.actors, p_key.expires_at, p_key.powers, p_key.kinds,
    p_key.networks, p_key.actions_per_day, p_key.cents_per_day, p_key.admin_calls_per_day);
  perform gate_private.note(
    p_key.account_id, p_event, 'key_minted', null, p_actor, null, gate_private.minted_data(p_key, p_hash));
end $$;

-- Stores what a runner key signs with. p_signing: { name, ciphertext, wrapped_key, kid }, bytes in hex; null: nothing.
create function gate_private.store_signing(p_account text, p_key text, p_signing json) returns void
language sql as $$
  insert into gate_private.runner_signing (account_id, key_id, name, ciphertext, wrapped_key, kid)
  select p_account, p_key, decode(s.name, 'hex'), decode(s.ciphertext, 'hex'), decode(s.wrapped_key, 'hex'), s.kid
  from json_to_record(p_signing) as s(name text, ciphertext text, wrapped_key text, kid text)
  where p_signing is not null
$$;

-- The data of the entry of a new key: its limits, and digests of its name and of the key.
create function gate_private.minted_data(p_key gate.api_key, p_hash bytea) returns jsonb
language sql stable
return jsonb_build_object(
  'key', p_key.key_id, 'name_digest', encode(sha256(convert_to(p_key.key_id || ' ' || p_key.name, 'UTF8')), 'hex'),
  'actors', p_key.actors, 'expires_at', gate_private.iso(p_key.expires_at), 'powers', p_key.powers,
  'kinds', p_key.kinds, 'networks', p_key.networks, 'actions_per_day', p_key.actions_per_day,
  'cents_per_day', p_key.cents_per_day, 'key_hash', encode(p_hash, 'hex'))
|| case when p_key.admin_calls_per_day is null then '{}' else jsonb_build_object('admin_calls_per_day', p_key.admin_calls_per_day) end
|| case when p_key.rotated_from is null then '{}' else jsonb_build_object('rotated_from', p_key.rotated_from) end
|| case when p_key.grant_id is null then '{}' else jsonb_build_object('app', p_key.grant_id) end;

-- Whether a key was neither revoked nor has expired.
create function gate_private.is_key_in_force(p_revoked_at timestamptz, p_expires_at timestamptz) returns boolean
language sql volatile
return p_revoked_at is null and (p_expires_at is null or p_expires_at > clock_timestamp());

-- Whether a key is valid. A key that is bound to members is not while all of them are inactive.
create function gate_private.key_holds(p_key gate_private.api_key_hash) returns boolean
language plpgsql volatile as $$
begin
  if not gate_private.is_key_in_force(p_key.revoked_at, p_key.expires_at) then
    return false;
  end if;
  if p_key.actors is null then
    return true;
  end if;
  perform gate.tenant(p_key.account_id);
  return exists (
    select 1 from gate.member m
    where m.account_id = p_key.account_id and m.member_id = any (p_key.actors) and m.is_active);
end $$;

-- The daily limits of a key and the keys of its family; no row if it has no limit.
create function gate_private.ceilings_of(p_key gate_private.api_key_hash)
returns table (keys text[], actions_per_day integer, cents_per_day json)
language sql stable as $$
  select gate_private.keys_of_family(p_key.account_id, p_key.family), p_key.actions_per_day, p_key.cents_per_day
  where p_key.actions_per_day is not null or p_key.cents_per_day is not null
$$;

-- The keys that count as one: a key and those that replace it, or the access tokens of an app.
create function gate_private.keys_of_family(p_account text, p_family text) returns text[]
language sql stable as $$
  select array(
    select h.key_id from gate_private.api_key_hash h
    where h.account_id = p_account and h.family = p_family
    order by h.key_id)
$$;

-- The same, of the family of a key.
create function gate_private.keys_beside(p_account text, p_key text) returns text[]
language sql stable as $$
  select gate_private.keys_of_family(p_account, h.family) from gate_private.api_key_hash h
  where h.account_id = p_account and h.key_id = p_key
$$;

-- The name of a key, for the actions that it proposes.
create function gate_private.key_name(p_account text, p_key text) returns text
language sql stable as $$
  select k.name from gate.api_key k where k.account_id = p_account and k.key_id = p_key
$$;
