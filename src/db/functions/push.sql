-- Devices that are told by Web Push, and the key of the service for it.

-- Adds the browser of a session as a device of its member, or keeps what it says now. A browser that another member used before is
-- theirs no longer. Returns added (also on a repeat), too_many.
create function gate.add_push_device(p_account text, p_session bytea, p_device jsonb) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  given record;
  holder record;
  known gate.push_device;
  own_browser text;
begin
  select * into given from jsonb_to_record(p_device) as fields(
    event uuid, left_event uuid, device text, endpoint text, public_key bytea, auth bytea, devices_max integer
  );
  perform gate_private.require_fields(p_device, to_jsonb(given));
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  holder := gate_private.require_session(p_account, p_session);
  if holder.member_id is null then
    raise exception 'the session is not of a member' using errcode = 'GA403', detail = 'member';
  end if;
  select s.browser into own_browser from gate_private.session s where s.token = p_session;
  update gate.push_device d set public_key = given.public_key, auth = given.auth, browser = own_browser
  where d.account_id = p_account and d.endpoint = given.endpoint and d.member_id = holder.member_id;
  if found then
    return 'added';
  end if;
  if given.devices_max <= (
    select count(*) from gate.push_device d where d.account_id = p_account and d.member_id = holder.member_id
  ) then
    return 'too_many';
  end if;
  select * into known from gate.push_device d where d.account_id = p_account and d.endpoint = given.endpoint;
  if found then
    perform gate_private.end_push_device(known, given.left_event, holder.member_id, 'other_member');
  end if;
  insert into gate.push_device (account_id, device_id, member_id, endpoint, public_key, auth, browser)
  values (p_account, given.device, holder.member_id, given.endpoint, given.public_key, given.auth, own_browser);
  perform gate_private.note(
    p_account, given.event, 'device_added', null, holder.member_id, null,
    jsonb_build_object('member', holder.member_id, 'device', given.device));
  return 'added';
end $$;

-- Removes a device of the member of a session. Returns whether it was theirs.
create function gate.remove_push_device(p_account text, p_session bytea, p_device text, p_event uuid) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  holder record;
  known gate.push_device;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  holder := gate_private.require_session(p_account, p_session);
  if exists (select from gate.ledger l where l.account_id = p_account and l.event_id = p_event) then
    return true;
  end if;
  select * into known from gate.push_device d
  where d.account_id = p_account and d.device_id = p_device and d.member_id = holder.member_id;
  if not found then
    return false;
  end if;
  perform gate_private.end_push_device(known, p_event, known.member_id, 'removed');
  return true;
end $$;

-- Removes a device that its push service no longer knows.
create function gate.drop_push_device(p_account text, p_device text, p_event uuid) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  known gate.push_device;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  select * into known from gate.push_device d where d.account_id = p_account and d.device_id = p_device;
  if found then
    perform gate_private.end_push_device(known, p_event, 'system', 'gone');
  end if;
end $$;

-- Ends all sessions of the person of a session, that one included, and their devices. Returns how many devices there were.
create function gate.sign_out_everywhere(p_account text, p_session bytea) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  holder record;
  known gate.push_device;
  devices integer := 0;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  holder := gate_private.require_session(p_account, p_session);
  for known in
    select * from gate.push_device d where d.account_id = p_account and d.member_id = holder.member_id order by d.device_id
  loop
    perform gate_private.end_push_device(known, gen_random_uuid(), known.member_id, 'signed_out');
    devices := devices + 1;
  end loop;
  delete from gate_private.session s
  where s.account_id = p_account and (s.admin_id = holder.admin_id or s.member_id = holder.member_id);
  return devices;
end $$;

-- Deletes a device, and records it. The ledger head must be locked.
create function gate_private.end_push_device(p_device gate.push_device, p_event uuid, p_actor text, p_reason text) returns void
language plpgsql as $$
begin
  delete from gate.push_device d where d.account_id = p_device.account_id and d.device_id = p_device.device_id;
  perform gate_private.note(
    p_device.account_id, p_event, 'device_removed', null, p_actor, null,
    jsonb_build_object('member', p_device.member_id, 'device', p_device.device_id, 'reason', p_reason));
end $$;

-- The devices to tell of a consent request: none once the action is decided or over, its account suspended, or its member gone.
create function gate.devices_to_tell(p_account text, p_id bigint, p_n integer)
returns table (device_id text, endpoint text, public_key bytea, auth bytea)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  return query
    select d.device_id, d.endpoint, d.public_key, d.auth
    from gate.action a
    join gate.account c on c.account_id = a.account_id
    join gate.consent_request q on q.account_id = a.account_id and q.action_id = a.id and q.n = p_n
    join gate.member m on m.account_id = a.account_id and m.member_id = coalesce(q.member_id, a.member_id)
    join gate.push_device d on d.account_id = a.account_id and d.member_id = m.member_id
    where a.account_id = p_account and a.id = p_id and a.status = 'proposed' and a.decision is null
      and a.expires_at > clock_timestamp() and c.suspended_at is null and m.is_active
    order by d.device_id
    limit 100;
end $$;

-- Records which devices were told of a consent request, once. Returns for how many ms its message is held: p_hold_ms after the
-- request where a device was told; otherwise below 0.
create function gate.hold_consent_request(p_account text, p_id bigint, p_n integer, p_devices text[], p_hold_ms bigint)
returns double precision
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  held timestamptz;
begin
  perform gate.tenant(p_account);
  update gate.push_device d set notified_at = clock_timestamp()
  where d.account_id = p_account and d.device_id = any (p_devices);
  update gate.consent_request q set held_until = coalesce(
    q.held_until,
    q.created_at + case when cardinality(p_devices) = 0 then 0 else p_hold_ms end * interval '1 millisecond')
  where q.account_id = p_account and q.action_id = p_id and q.n = p_n
  returning q.held_until into held;
  return extract(epoch from held - clock_timestamp()) * 1000;
end $$;

-- The key of the service for push services; no row: it has none yet.
create function gate.push_key() returns table (public_key bytea, ciphertext bytea, wrapped_key bytea, secrets_kid text)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select k.public_key, k.ciphertext, k.wrapped_key, k.secrets_kid from gate_private.push_key k
$$;

-- Adds the key, where there is none. If several processes make it, one of them succeeds.
create function gate.add_push_key(p_public_key bytea, p_ciphertext bytea, p_wrapped_key bytea, p_secrets_kid text) returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  insert into gate_private.push_key (public_key, ciphertext, wrapped_key, secrets_kid)
  values (p_public_key, p_ciphertext, p_wrapped_key, p_secrets_kid)
  on conflict on constraint push_key_pkey do nothing
$$;

-- Stores the data key of the private key that was wrapped again. Returns whether it still had the old wrapping.
create function gate.rewrap_push_key(p_old_secrets_kid text, p_secrets_kid text, p_wrapped_key bytea) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  update gate_private.push_key k set wrapped_key = p_wrapped_key, secrets_kid = p_secrets_kid
  where k.secrets_kid = p_old_secrets_kid;
  return found;
end $$;
