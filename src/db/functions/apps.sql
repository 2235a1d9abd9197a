-- Apps that people connect by signing in. p_session and p_event: see accounts.sql.

-- A client that has a row; no row if there is none.
create function gate.find_app_client(p_client text)
returns table (account_id text, name text, redirects text[], secret bytea)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select c.account_id, c.name, c.redirects, c.secret from gate_private.app_client c where c.client_id = p_client
$$;

-- Registers a client for anyone, unless p_unused_max were registered within a day and not connected. Returns whether it is there.
create function gate.register_app_client(p_client text, p_name text, p_redirects text[], p_unused_max integer) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  delete from gate_private.app_client c
  where c.account_id is null and c.connected_at is null and c.created_at < clock_timestamp() - interval '1 day';
  insert into gate_private.app_client (client_id, name, redirects)
  select p_client, p_name, p_redirects
  where (
    select count(*) from gate_private.app_client c where c.account_id is null and c.connected_at is null
  ) < p_unused_max;
  return found;
end $$;

-- Stores a client with a secret, which only members of the account can connect. p_secret: the hash of the secret.
create function gate.add_app_client(
  p_account text, p_session bytea, p_client text, p_name text, p_redirects text[], p_secret bytea, p_event uuid
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session);
  insert into gate_private.app_client (client_id, account_id, name, redirects, secret)
  values (p_client, p_account, p_name, p_redirects, p_secret);
  perform gate_private.note_change(
    p_account, p_event, 'app_client_added', null, actor, null, jsonb_build_object(
      'client', p_client, 'name_digest', encode(sha256(convert_to(p_client || ' ' || p_name, 'UTF8')), 'hex'),
      'redirects_digest', encode(sha256(convert_to(array_to_string(p_redirects, ' '), 'UTF8')), 'hex')));
end $$;

-- Removes such a client, and ends what it was allowed. Returns whether it was there.
create function gate.remove_app_client(p_account text, p_session bytea, p_client text, p_event uuid) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session);
  delete from gate_private.app_client c where c.client_id = p_client and c.account_id = p_account;
  if not found then
    return gate_private.is_noted(p_account, p_event);
  end if;
  perform gate_private.note_change(
    p_account, p_event, 'app_client_removed', null, actor, null, jsonb_build_object('client', p_client));
  perform gate_private.end_grant(g, actor, 'client_removed') from gate.app_grant g
  where g.account_id = p_account and g.client_id = p_client and g.ended_at is null;
  return true;
end $$;

-- The clients with a secret that an account has, oldest first.
create function gate.list_app_clients(p_account text)
returns table (client_id text, name text, redirects text[], created_at timestamptz)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select c.client_id, c.name, c.redirects, c.created_at from gate_private.app_client c
  where c.account_id = p_account
  order by c.created_at, c.client_id
$$;

-- Connects an app: stores what a person allowed it, and the code that it takes its first token with. A member allows it for
-- themselves, an administrator for anyone. Returns connected, or why not: suspended, forbidden, missing (no such active member).
create function gate.connect_app(
  p_account text, p_session bytea, p_grant text, p_client text, p_name text, p_host text, p_member text, p_powers text[],
  p_kinds text[], p_actions_per_day integer, p_cents_per_day json, p_code bytea, p_challenge bytea, p_redirect text,
  p_lasts_ms bigint, p_event uuid
) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  holder record;
  actor text;
  ends_at timestamptz := clock_timestamp() + p_lasts_ms * interval '1 millisecond';
  made gate.app_grant;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  holder := gate_private.require_session(p_account, p_session);
  actor := case
    when holder.member_id = p_member then p_member when holder.admin_id is not null then 'admin:' || holder.admin_id end;
  if actor is null or exists (
    select from gate_private.app_client c where c.client_id = p_client and c.account_id <> p_account
  ) then
    return 'forbidden';
  elsif exists (select from gate.account a where a.account_id = p_account and a.suspended_at is not null) then
    return 'suspended';
  elsif not gate_private.is_active_member(p_account, p_member) then
    return 'missing';
  end if;
  insert into gate.app_grant (
    account_id, grant_id, client_id, name, host, member_id, granted_by, powers, kinds, actions_per_day, cents_per_day, expires_at)
  values (
    p_account, p_grant, p_client, p_name, p_host, p_member, actor, p_powers, p_kinds, p_actions_per_day, p_cents_per_day, ends_at)
  returning * into made;
  insert into gate_private.app_code (code, account_id, grant_id, challenge, redirect, expires_at)
  values (p_code, p_account, p_grant, p_challenge, p_redirect, ends_at);
  perform gate_private.keep_app_client(p_client);
  perform gate_private.note_change(
    p_account, p_event, 'app_connected', null, actor, null, gate_private.grant_data(made));
  return 'connected';
end $$;

-- Uses up a code and issues the first tokens. p_redirect null: the app did not repeat it. p_refresh: the hash of the refresh token.
-- outcome: issued, or why not: unknown, reused and mismatch (both end the grant), expired, ended.
create function gate.redeem_app_code(
  p_code bytea, p_client text, p_redirect text, p_challenge bytea, p_key text, p_last4 text, p_hash bytea, p_refresh bytea,
  p_lasts_ms bigint, p_refresh_ms bigint, p_event uuid, out outcome text, out powers text[]
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  used gate_private.app_code;
  granted gate.app_grant;
begin
  select * into used from gate_private.app_code c where c.code = p_code;
  if not found then
    outcome := 'unknown';
    return;
  end if;
  perform gate.tenant(used.account_id), gate_private.lock_head(used.account_id);
  -- As it is now: another request may have used it before the lock.
  select * into used from gate_private.app_code c where c.code = p_code;
  select * into granted from gate.app_grant g where g.account_id = used.account_id and g.grant_id = used.grant_id;
  update gate_private.app_code c set used_at = clock_timestamp() where c.code = p_code and c.used_at is null;
  outcome := case
    when used.used_at is not null then 'reused'
    when granted.client_id <> p_client or used.redirect <> p_redirect or used.challenge <> p_challenge then 'mismatch'
    when used.expires_at <= clock_timestamp() then 'expired'
    when not gate_private.is_grant_in_force(granted) then 'ended'
  end;
  if outcome is null then
    powers := granted.powers;
    perform gate_private.issue_app_token(granted, powers, p_key, p_last4, p_hash, p_refresh, p_lasts_ms, p_refresh_ms, p_event);
    outcome := 'issued';
  elsif outcome in ('reused', 'mismatch') then
    perform gate_private.end_grant(granted, 'system', 'code_' || outcome);
  end if;
end $$;

-- Uses up a refresh token and issues the next tokens. p_powers: fewer than were granted; null: all of these. outcome: issued, or why
-- not: unknown, reused and mismatch (both end the grant), ended, scope (more than was granted; the token stays good).
create function gate.refresh_app(
  p_token bytea, p_client text, p_powers text[], p_key text, p_last4 text, p_hash bytea, p_refresh bytea, p_lasts_ms bigint,
  p_refresh_ms bigint, p_event uuid, out outcome text, out powers text[]
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  used gate_private.app_refresh;
  granted gate.app_grant;
begin
  select * into used from gate_private.app_refresh r where r.token = p_token;
  if not found then
    outcome := 'unknown';
    return;
  end if;
  perform gate.tenant(used.account_id), gate_private.lock_head(used.account_id);
  select * into used from gate_private.app_refresh r where r.token = p_token;
  select * into granted from gate.app_grant g where g.account_id = used.account_id and g.grant_id = used.grant_id;
  outcome := case
    when used.used_at is not null then 'reused'
    when granted.client_id <> p_client then 'mismatch'
    when not gate_private.is_grant_in_force(granted) then 'ended'
    when not p_powers <@ granted.powers then 'scope'
  end;
  if outcome is null then
    powers := coalesce(p_powers, granted.powers);
    update gate_private.app_refresh r set used_at = clock_timestamp() where r.token = p_token;
    delete from gate_private.app_refresh r
    where r.account_id = granted.account_id and r.grant_id = granted.grant_id
      and r.created_at < clock_timestamp() - p_refresh_ms * interval '1 millisecond';
    perform gate_private.issue_app_token(granted, powers, p_key, p_last4, p_hash, p_refresh, p_lasts_ms, p_refresh_ms, p_event);
    outcome := 'issued';
  elsif outcome in ('reused', 'mismatch') then
    perform gate_private.end_grant(granted, 'system', 'refresh_' || outcome);
  end if;
end $$;

-- Ends the grant of a token that its own app gives back. p_token: its hash as a refresh token; p_hash: as an access token.
create function gate.revoke_app_token(p_token bytea, p_hash bytea, p_client text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  found_in record;
  granted gate.app_grant;
begin
  select r.account_id, r.grant_id into found_in from gate_private.app_refresh r where r.token = p_token
  union all
  select h.account_id, h.family from gate_private.api_key_hash h where h.hash = p_hash and h.family like 'app\_%';
  if not found then
    return;
  end if;
  perform gate.tenant(found_in.account_id), gate_private.lock_head(found_in.account_id);
  select * into granted from gate.app_grant g
  where g.account_id = found_in.account_id and g.grant_id = found_in.grant_id and g.client_id = p_client;
  if found then
    perform gate_private.end_grant(granted, 'system', 'given_back');
  end if;
end $$;

-- Ends a grant, as an administrator (the command line where p_session is null) or as the member whom the app acts for. Returns
-- whether it is theirs. One that has ended stays as it is.
create function gate.end_app(p_account text, p_session bytea, p_grant text) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  holder record;
  granted gate.app_grant;
  actor text := 'admin';
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  select * into granted from gate.app_grant g where g.account_id = p_account and g.grant_id = p_grant;
  if not found then
    return false;
  end if;
  if gate_private.is_of_key(p_account, p_session) then
    actor := gate_private.require_admin(p_account, p_session, 'apps.write');
  elsif p_session is not null then
    holder := gate_private.require_session(p_account, p_session);
    actor := case
      when holder.member_id = granted.member_id then holder.member_id
      when holder.admin_id is not null then 'admin:' || holder.admin_id end;
  end if;
  if actor is null then
    return false;
  end if;
  perform gate_private.end_grant(granted, actor, 'disconnected');
  return true;
end $$;

-- The apps that have taken a token, newest first: of the account, or of one member.
create function gate.list_apps(p_account text, p_member text, p_limit integer)
returns table (
  grant_id text, client_id text, name text, host text, member_id text, member_name text, granted_by text, powers text[],
  kinds text[], actions_per_day integer, cents_per_day json, created_at timestamptz, expires_at timestamptz,
  ended_at timestamptz, last_used_at timestamptz, state text
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  return query
    select g.grant_id, g.client_id, g.name, g.host, g.member_id, m.name, g.granted_by, g.powers, g.kinds, g.actions_per_day,
      g.cents_per_day, g.created_at, g.expires_at, g.ended_at, k.last_used_at,
      case when g.ended_at is not null then 'ended' when g.expires_at <= clock_timestamp() then 'expired' else 'connected' end
    from gate.app_grant g
    join gate.member m on m.account_id = g.account_id and m.member_id = g.member_id
    cross join lateral (
      select count(*) as tokens, max(h.last_used_at) as last_used_at from gate.api_key a
      join gate_private.api_key_hash h on h.account_id = a.account_id and h.key_id = a.key_id
      where a.account_id = p_account and a.grant_id = g.grant_id
    ) k
    where g.account_id = p_account and (p_member is null or g.member_id = p_member) and k.tokens > 0
    order by g.ended_at is not null or g.expires_at <= clock_timestamp(), g.created_at desc, g.grant_id
    limit p_limit;
end $$;

-- Deletes access tokens that expired p_kept_ms ago and that nothing names, but for the one of each grant that was used last; and
-- refresh tokens of grants that ended, or expired, as long ago. Returns how many.
create function gate.forget_app_tokens(p_account text, p_kept_ms bigint, p_limit integer) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  until timestamptz := clock_timestamp() - p_kept_ms * interval '1 millisecond';
  old text[];
  forgotten bigint;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  old := array(
    select h.key_id from gate_private.api_key_hash h
    where h.account_id = p_account and h.family like 'app\_%' and h.named_at is null and h.expires_at < until
      and exists (
        select from gate.api_key k
        join gate_private.api_key_hash o on o.account_id = k.account_id and o.key_id = k.key_id
        where k.account_id = p_account and k.grant_id = h.family
          and (coalesce(o.last_used_at, '-infinity'), o.expires_at, o.key_id)
            > (coalesce(h.last_used_at, '-infinity'), h.expires_at, h.key_id))
    limit p_limit);
  delete from gate_private.key_minute m where m.account_id = p_account and m.key_id = any (old);
  delete from gate_private.api_key_hash h where h.account_id = p_account and h.key_id = any (old);
  delete from gate.api_key k where k.account_id = p_account and k.key_id = any (old);
  delete from gate_private.app_refresh r where r.token in (
    select o.token from gate.app_grant g
    join gate_private.app_refresh o on o.account_id = g.account_id and o.grant_id = g.grant_id
    where g.account_id = p_account and least(g.ended_at, g.expires_at) < until
    limit p_limit);
  get diagnostics forgotten = row_count;
  return greatest(forgotten, cardinality(old));
end $$;

-- Deletes apps that registered themselves and were not connected within a day, or hold no token for p_kept_ms; and old codes.
-- Returns how many.
create function gate.forget_apps(p_kept_ms bigint, p_limit integer) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  forgotten bigint;
  more bigint;
begin
  with picked as materialized (
    select o.client_id from gate_private.app_client o
    where o.account_id is null and case
      when o.connected_at is null then o.created_at < clock_timestamp() - interval '1 day'
      else o.connected_at < clock_timestamp() - p_kept_ms * interval '1 millisecond' end
    limit p_limit for update skip locked
  )
  delete from gate_private.app_client c where c.client_id in (select p.client_id from picked p);
  get diagnostics forgotten = row_count;
  with picked as materialized (
    select o.code from gate_private.app_code o
    where o.expires_at < clock_timestamp() - interval '1 day'
    limit p_limit for update skip locked
  )
  delete from gate_private.app_code c where c.code in (select p.code from picked p);
  get diagnostics more = row_count;
  return greatest(forgotten, more);
end $$;

-- The data of the entry of a grant. The host is not secret: it tells apps apart that have one name.
create function gate_private.grant_data(p_grant gate.app_grant) returns jsonb
language sql stable
return jsonb_build_object(
  'app', p_grant.grant_id, 'host', p_grant.host,
  'name_digest', encode(sha256(convert_to(p_grant.grant_id || ' ' || p_grant.name, 'UTF8')), 'hex'),
  'client_digest', encode(sha256(convert_to(p_grant.client_id, 'UTF8')), 'hex'),
  'member', p_grant.member_id, 'powers', p_grant.powers, 'kinds', p_grant.kinds,
  'actions_per_day', p_grant.actions_per_day, 'cents_per_day', p_grant.cents_per_day);

-- The host of the app whose tokens are a family of keys. Null: it is no app's.
create function gate_private.app_host(p_account text, p_family text) returns text
language sql stable as $$
  select g.host from gate.app_grant g where g.account_id = p_account and g.grant_id = p_family
$$;

-- The host of the app that a key is an access token of. Null: it is none.
create function gate_private.app_host_of_key(p_account text, p_key text) returns text
language sql stable as $$
  select gate_private.app_host(p_account, k.grant_id) from gate.api_key k where k.account_id = p_account and k.key_id = p_key
$$;

-- Issues an access token, which is an API key, and a refresh token. The ledger head must be locked.
create function gate_private.issue_app_token(
  p_grant gate.app_grant, p_powers text[], p_key text, p_last4 text, p_hash bytea, p_refresh bytea, p_lasts_ms bigint,
  p_refresh_ms bigint, p_event uuid
) returns void
language plpgsql as $$
declare
  made gate.api_key;
begin
  made.account_id := p_grant.account_id;
  made.key_id := p_key;
  made.name := p_grant.name;
  made.last4 := p_last4;
  made.actors := array[p_grant.member_id];
  made.created_at := clock_timestamp();
  made.expires_at := date_trunc('milliseconds', clock_timestamp() + p_lasts_ms * interval '1 millisecond');
  made.powers := p_powers;
  made.kinds := p_grant.kinds;
  made.actions_per_day := p_grant.actions_per_day;
  made.cents_per_day := p_grant.cents_per_day;
  made.grant_id := p_grant.grant_id;
  -- Limits of a day count over all tokens of the grant.
  perform gate_private.store_key(made, p_hash, p_grant.grant_id, p_grant.granted_by, p_event);
  insert into gate_private.app_refresh (token, account_id, grant_id) values (p_refresh, p_grant.account_id, p_grant.grant_id);
  update gate.app_grant g set expires_at = clock_timestamp() + p_refresh_ms * interval '1 millisecond'
  where g.account_id = p_grant.account_id and g.grant_id = p_grant.grant_id;
  perform gate_private.keep_app_client(p_grant.client_id);
end $$;

-- Records that a client was connected or took a token, accurate to a day.
create function gate_private.keep_app_client(p_client text) returns void
language sql volatile as $$
  update gate_private.app_client c set connected_at = clock_timestamp()
  where c.client_id = p_client and (c.connected_at is null or c.connected_at < clock_timestamp() - interval '1 day')
$$;

-- Whether a grant can issue tokens.
create function gate_private.is_grant_in_force(p_grant gate.app_grant) returns boolean
language sql volatile as $$
  select p_grant.ended_at is null and p_grant.expires_at > clock_timestamp()
    and gate_private.is_active_member(p_grant.account_id, p_grant.member_id)
$$;

create function gate_private.is_active_member(p_account text, p_member text) returns boolean
language sql stable as $$
  select exists (select from gate.member m where m.account_id = p_account and m.member_id = p_member and m.is_active)
$$;

-- Ends a grant and its tokens. p_reason: for the entry. The ledger head must be locked.
create function gate_private.end_grant(p_grant gate.app_grant, p_actor text, p_reason text) returns void
language plpgsql as $$
declare
  token text;
begin
  update gate.app_grant g set ended_at = clock_timestamp()
  where g.account_id = p_grant.account_id and g.grant_id = p_grant.grant_id and g.ended_at is null;
  if not found then
    return;
  end if;
  perform gate_private.note(
    p_grant.account_id, gen_random_uuid(), 'app_ended', null, p_actor, null,
    jsonb_build_object('app', p_grant.grant_id, 'reason', p_reason));
  for token in
    update gate.api_key k set revoked_at = clock_timestamp()
    where k.account_id = p_grant.account_id and k.grant_id = p_grant.grant_id and k.revoked_at is null
      and k.expires_at > clock_timestamp()
    returning k.key_id
  loop
    update gate_private.api_key_hash h set revoked_at = clock_timestamp()
    where h.account_id = p_grant.account_id and h.key_id = token;
    perform gate_private.note(
      p_grant.account_id, gen_random_uuid(), 'key_revoked', null, p_actor, null, jsonb_build_object('key', token));
  end loop;
end $$;

-- Ends the grants of an account, or of one member of it. The ledger head must be locked.
create function gate_private.end_grants(p_account text, p_member text, p_actor text, p_reason text) returns void
language sql volatile as $$
  select gate_private.end_grant(g, p_actor, p_reason) from gate.app_grant g
  where g.account_id = p_account and (p_member is null or g.member_id = p_member) and g.ended_at is null
$$;
