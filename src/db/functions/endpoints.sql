-- Endpoints: the addresses of an account that are told of events. p_session and p_event: see accounts.sql.

-- Adds an endpoint, which is on: {endpoint, url, description, types, full, public_key, secret, ciphertext, wrapped_key, kid,
-- endpoints_max}. Returns added (also on a repeat), too_many.
create function gate.add_endpoint(p_account text, p_session bytea, p_endpoint jsonb, p_event uuid) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  given record;
begin
  select * into given from jsonb_to_record(p_endpoint) as fields(
    endpoint text, url text, description text, types text[], "full" boolean, public_key bytea, secret text, ciphertext bytea,
    wrapped_key bytea, kid text, endpoints_max integer);
  perform gate_private.require_fields(p_endpoint, to_jsonb(given));
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session, 'endpoints.write');
  if gate_private.is_noted(p_account, p_event) then
    return 'added';
  end if;
  if given.endpoints_max <= (select count(*) from gate.endpoint e where e.account_id = p_account) then
    return 'too_many';
  end if;
  insert into gate.endpoint (account_id, endpoint_id, url, description, types, is_full, public_key)
  values (p_account, given.endpoint, given.url, given.description, given.types, given.full, given.public_key);
  insert into gate.endpoint_secret (account_id, endpoint_id, secret_id, ciphertext, wrapped_key, kid)
  values (p_account, given.endpoint, given.secret, given.ciphertext, given.wrapped_key, given.kid);
  insert into gate_private.event_account (account_id) values (p_account) on conflict on constraint event_account_pkey do nothing;
  perform gate_private.note_endpoint(p_account, given.endpoint, 'added', actor, p_event);
  update gate.ledger_head h set has_endpoints = true where h.account_id = p_account;
  return 'added';
end $$;

-- Changes what an endpoint is told: {endpoint, url, description, types, full}. Returns changed (also on a repeat), unchanged, missing.
create function gate.change_endpoint(p_account text, p_session bytea, p_endpoint jsonb, p_event uuid) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  given record;
  former gate.endpoint;
begin
  select * into given from jsonb_to_record(p_endpoint) as fields(
    endpoint text, url text, description text, types text[], "full" boolean);
  perform gate_private.require_fields(p_endpoint, to_jsonb(given));
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session, 'endpoints.write');
  if gate_private.is_noted(p_account, p_event) then
    return 'changed';
  end if;
  select * into former from gate.endpoint e where e.account_id = p_account and e.endpoint_id = given.endpoint for no key update;
  if not found then
    return 'missing';
  end if;
  if (former.url, former.description, former.types, former.is_full)
    is not distinct from (given.url, given.description, given.types, given.full)
  then
    return 'unchanged';
  end if;
  update gate.endpoint e set url = given.url, description = given.description, types = given.types, is_full = given.full,
    failing_since = case when e.url = given.url then e.failing_since end,
    paused_until = case when e.url = given.url then e.paused_until end
  where e.account_id = p_account and e.endpoint_id = given.endpoint;
  perform gate_private.wake_sender(p_account);
  perform gate_private.note_endpoint(p_account, given.endpoint, 'changed', actor, p_event);
  return 'changed';
end $$;

-- Turns an endpoint on or off. One that is off is told nothing: what waited for it is given up, and can be replayed later. Returns
-- changed (also on a repeat), unchanged, missing.
create function gate.turn_endpoint(p_account text, p_session bytea, p_endpoint text, p_is_on boolean, p_event uuid) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session, 'endpoints.write');
  if gate_private.is_noted(p_account, p_event) then
    return 'changed';
  end if;
  return gate_private.turn_endpoint(p_account, p_endpoint, case when not p_is_on then 'admin' end, actor, p_event);
end $$;

-- The same, by an actor who was checked. p_reason null: it is turned on. The ledger head must be locked.
create function gate_private.turn_endpoint(p_account text, p_endpoint text, p_reason text, p_actor text, p_event uuid) returns text
language plpgsql as $$
begin
  update gate.endpoint e set off_reason = p_reason, off_at = case when p_reason is not null then clock_timestamp() end,
    failing_since = null, paused_until = null
  where e.account_id = p_account and e.endpoint_id = p_endpoint and (e.off_reason is null) <> (p_reason is null);
  if not found then
    return case when exists (
      select from gate.endpoint e where e.account_id = p_account and e.endpoint_id = p_endpoint) then 'unchanged' else 'missing' end;
  end if;
  if p_reason is not null then
    update gate.event_delivery d set state = 'given_up', ended_at = clock_timestamp(), taken_until = null
    where d.account_id = p_account and d.endpoint_id = p_endpoint and d.state = 'waiting';
  end if;
  perform gate_private.note_endpoint(
    p_account, p_endpoint, case when p_reason is null then 'on' else 'off' end, p_actor, p_event);
  return 'changed';
end $$;

-- Gives an endpoint new secrets: {endpoint, public_key, secret, ciphertext, wrapped_key, kid, overlap_ms}. Those before them sign
-- beside them for overlap_ms; those before these are deleted. Returns whether there is such an endpoint.
create function gate.rotate_endpoint(p_account text, p_session bytea, p_endpoint jsonb, p_event uuid) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  given record;
begin
  select * into given from jsonb_to_record(p_endpoint) as fields(
    endpoint text, public_key bytea, secret text, ciphertext bytea, wrapped_key bytea, kid text, overlap_ms bigint);
  perform gate_private.require_fields(p_endpoint, to_jsonb(given));
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session, 'endpoints.write');
  if gate_private.is_noted(p_account, p_event) then
    return true;
  end if;
  update gate.endpoint e set public_key = given.public_key
  where e.account_id = p_account and e.endpoint_id = given.endpoint;
  if not found then
    return false;
  end if;
  delete from gate.endpoint_secret s
  where s.account_id = p_account and s.endpoint_id = given.endpoint and s.valid_until is not null;
  update gate.endpoint_secret s set valid_until = clock_timestamp() + given.overlap_ms * interval '1 millisecond'
  where s.account_id = p_account and s.endpoint_id = given.endpoint;
  insert into gate.endpoint_secret (account_id, endpoint_id, secret_id, ciphertext, wrapped_key, kid)
  values (p_account, given.endpoint, given.secret, given.ciphertext, given.wrapped_key, given.kid);
  perform gate_private.note_endpoint(p_account, given.endpoint, 'rotated', actor, p_event);
  return true;
end $$;

-- Removes an endpoint with its secrets and the log of its deliveries. Returns whether there was one (also on a repeat).
create function gate.remove_endpoint(p_account text, p_session bytea, p_endpoint text, p_event uuid) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session, 'endpoints.write');
  if gate_private.is_noted(p_account, p_event) then
    return true;
  end if;
  perform 1 from gate.endpoint e where e.account_id = p_account and e.endpoint_id = p_endpoint for update;
  if not found then
    return false;
  end if;
  delete from gate.event_delivery d where d.account_id = p_account and d.endpoint_id = p_endpoint;
  delete from gate.endpoint_secret s where s.account_id = p_account and s.endpoint_id = p_endpoint;
  delete from gate.endpoint e where e.account_id = p_account and e.endpoint_id = p_endpoint;
  perform gate_private.note_change(
    p_account, p_event, 'endpoint_removed', null, actor, null, jsonb_build_object('endpoint', p_endpoint));
  update gate.ledger_head h
  set has_endpoints = exists (select from gate.endpoint e where e.account_id = p_account)
  where h.account_id = p_account;
  return true;
end $$;

-- What an entry says of an endpoint. Its address may hold a secret: a digest stands for it.
create function gate_private.endpoint_data(p_endpoint gate.endpoint) returns jsonb
language sql stable
return jsonb_build_object(
  'endpoint', p_endpoint.endpoint_id,
  'url_digest', encode(sha256(convert_to(p_endpoint.endpoint_id || ' ' || p_endpoint.url, 'UTF8')), 'hex'),
  'description_digest', encode(sha256(convert_to(p_endpoint.endpoint_id || ' ' || p_endpoint.description, 'UTF8')), 'hex'),
  'types', p_endpoint.types, 'full', p_endpoint.is_full, 'off', p_endpoint.off_reason,
  'public_key', encode(p_endpoint.public_key, 'hex'));

-- p_change: added, changed, rotated, on, off.
create function gate_private.note_endpoint(p_account text, p_endpoint text, p_change text, p_actor text, p_event uuid) returns void
language sql volatile as $$
  select gate_private.note_change(
    p_account, p_event, 'endpoint_set', null, p_actor, null,
    gate_private.endpoint_data(e) || jsonb_build_object('change', p_change))
  from gate.endpoint e where e.account_id = p_account and e.endpoint_id = p_endpoint
$$;

-- Stores the data key of a secret that was wrapped again. Returns whether it still had the old wrapping.
create function gate.rewrap_endpoint_secret(
  p_account text, p_endpoint text, p_secret text, p_old_kid text, p_kid text, p_wrapped_key bytea
) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  update gate.endpoint_secret s set wrapped_key = p_wrapped_key, kid = p_kid
  where s.account_id = p_account and s.endpoint_id = p_endpoint and s.secret_id = p_secret and s.kid = p_old_kid;
  return found;
end $$;
