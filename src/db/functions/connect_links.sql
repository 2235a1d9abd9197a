-- Connect links: the pages by which a signed-in person connects a provider. The link alone does nothing.

-- Stores a link.
create function gate.make_connect_link(
  p_token bytea, p_account text, p_action bigint, p_provider text, p_expires timestamptz
) returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  insert into gate_private.connect_link (token, account_id, action_id, provider, expires_at)
  values (p_token, p_account, p_action, p_provider, p_expires)
$$;

-- Stores a link that an administrator begins in the console, instead of an earlier one of theirs that was not used.
create function gate.make_console_link(
  p_token bytea, p_account text, p_session bytea, p_provider text, p_lasts_ms bigint
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session);
  if p_session is null then
    raise exception 'a connection is begun in a session' using errcode = 'check_violation';
  end if;
  delete from gate_private.connect_link l
  where l.account_id = p_account and l.admin_id = substr(actor, length('admin:') + 1) and l.provider = p_provider
    and l.used_at is null;
  insert into gate_private.connect_link (token, account_id, admin_id, provider, expires_at)
  values (
    p_token, p_account, substr(actor, length('admin:') + 1), p_provider,
    clock_timestamp() + p_lasts_ms * interval '1 millisecond');
end $$;

-- A link, the state of its action, the connection in use and the one that is to replace it; no row if the token is unknown.
-- Reads a link that was begun in the console: its administrator instead of an action and its member. Changes nothing.
create function gate.find_connect_link(p_token bytea)
returns table (
  account_id text, action_id bigint, uuid uuid, admin_id text, admin text, is_used boolean,
  provider text, expires_at timestamptz, is_over boolean, tries integer, account_name text, is_suspended boolean, member_id text, member text, member_name text, is_active boolean,
  status text, decision text, closed_reason text, denial_reason text, in_use json, draft json
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  link gate_private.connect_link;
begin
  select * into link from gate_private.connect_link l where l.token = p_token;
  if not found then
    return;
  end if;
  perform gate.tenant(link.account_id);
  return query
    select link.account_id, link.action_id, a.uuid, link.admin_id, d.email, link.used_at is not null,
      link.provider, link.expires_at, link.expires_at <= clock_timestamp(), link.tries, c.name, c.suspended_at is not null,
      a.member_id, a.member, m.name, coalesce(m.is_active, d.removed_at is null), a.status, a.decision, a.closed_reason, a.denial_reason,
      (
        select json_build_object(
          'id', i.integration_id, 'provider', i.provider, 'settings', i.settings, 'fingerprint', i.fingerprint)
        from gate.integration i
        where i.account_id = link.account_id and gate_private.use_of(i.provider) = gate_private.use_of(link.provider)
          and i.state = 'connected'
      ),
      (
        select json_build_object(
          'id', d.integration_id, 'settings', d.settings, 'fingerprint', d.fingerprint, 'kid', d.kid)
        from gate_private.connect_draft d
        where d.token = link.token
      )
    from gate.account c
    left join gate.action a on a.account_id = c.account_id and a.id = link.action_id
    left join gate.member m on m.account_id = a.account_id and m.member_id = a.member_id
    left join gate.admin d on d.account_id = c.account_id and d.admin_id = link.admin_id
    where c.account_id = link.account_id;
end $$;

-- Counts a try, and stores the state of an install that begins and the session that began it. Returns whether the link had a
-- try left.
create function gate.try_connect_link(p_token bytea, p_tries_max integer, p_state bytea, p_session bytea) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  update gate_private.connect_link l set
    tries = l.tries + 1, state = p_state, state_session = case when p_state is not null then p_session end
  where l.token = p_token and l.used_at is null and l.expires_at > clock_timestamp() and l.tries < p_tries_max;
  return found;
end $$;

-- Takes the state that an install began with, once. No row if it is unknown.
create function gate.take_connect_state(p_state bytea)
returns table (token bytea, session bytea)
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  update gate_private.connect_link l set state = null where l.state = p_state returning l.token, l.state_session
$$;

-- Stores a credential that its provider accepted, instead of the link's former one. Puts nothing into use.
-- Returns kept, no_session, or missing (the link can no longer be used).
create function gate.keep_connect_draft(
  p_token bytea, p_session bytea, p_idle_ms bigint, p_integration text, p_settings text, p_fingerprint text,
  p_field text, p_ciphertext bytea, p_wrapped_key bytea, p_kid text
) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  link gate_private.connect_link;
begin
  select * into link from gate_private.connect_link l
  where l.token = p_token and l.used_at is null and l.expires_at > clock_timestamp()
  for update;
  if not found then
    return 'missing';
  end if;
  perform gate.tenant(link.account_id);
  if gate_private.connects_link_as(p_session, link, p_idle_ms) is null then
    return 'no_session';
  end if;
  insert into gate_private.connect_draft (
    token, integration_id, settings, fingerprint, field, ciphertext, wrapped_key, kid)
  values (
    p_token, p_integration, p_settings::json, p_fingerprint, p_field, p_ciphertext, p_wrapped_key, p_kid)
  on conflict on constraint connect_draft_pkey do update set
    integration_id = excluded.integration_id, settings = excluded.settings, fingerprint = excluded.fingerprint,
    field = excluded.field, ciphertext = excluded.ciphertext, wrapped_key = excluded.wrapped_key, kid = excluded.kid,
    created_at = excluded.created_at;
  return 'kept';
end $$;

-- The name under which a session may connect for a member: the member's id, or `admin:` and an administrator's id. Null: it may not, also
-- if the member's mailbox changed recently. The session cannot be ended before this statement ends.
create function gate_private.connects_as(p_session bytea, p_account text, p_member text, p_idle_ms bigint) returns text
language plpgsql as $$
declare
  used gate_private.session;
begin
  select * into used from gate_private.session s
  where s.token = p_session and s.account_id = p_account and s.expires_at > clock_timestamp()
    and s.seen_at > clock_timestamp() - p_idle_ms * interval '1 millisecond'
  for share;
  if not found then
    return null;
  end if;
  if used.member_id = p_member and gate_private.is_active_member(p_account, p_member)
    and gate_private.stands_for(used, p_member) and gate_private.session_cap(p_account, p_member, p_session) is null
  then
    return p_member;
  end if;
  return (
    select 'admin:' || a.admin_id from gate.admin a
    where a.account_id = p_account and a.admin_id = used.admin_id and a.removed_at is null and a.role = 'administrator'
      and gate_private.stands_for(used, a.admin_id)
  );
end $$;

-- The name under which a session may connect by a link: see connects_as. One that was begun in the console is its administrator's alone.
create function gate_private.connects_link_as(
  p_session bytea, p_link gate_private.connect_link, p_idle_ms bigint
) returns text
language plpgsql as $$
declare
  who text;
begin
  who := gate_private.connects_as(p_session, p_link.account_id, (
    select a.member_id from gate.action a where a.account_id = p_link.account_id and a.id = p_link.action_id
  ), p_idle_ms);
  return case when p_link.admin_id is null or who = 'admin:' || p_link.admin_id then who end;
end $$;

-- Deletes drafts whose link expired, links an hour after their expiry, and what was stored for a connection that was never
-- put into use. Returns how many links.
create function gate.forget_connect_links(p_limit integer) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  link gate_private.connect_link;
  left_over text;
  forgotten bigint := 0;
begin
  delete from gate_private.connect_draft d
  using gate_private.connect_link l
  where l.token = d.token and l.expires_at < clock_timestamp();
  for link in
    select * from gate_private.connect_link l
    where l.expires_at < clock_timestamp() - interval '1 hour'
    order by l.expires_at
    limit p_limit
    for update skip locked
  loop
    perform gate.tenant(link.account_id);
    -- Confirmed and not executed yet.
    continue when exists (
      select 1 from gate.action a
      where a.account_id = link.account_id and a.id = link.action_id and a.status = 'proposed'
    );
    select i.integration_id into left_over from gate.integration i
    where i.account_id = link.account_id and i.action_id = link.action_id and i.state = 'pending';
    if found then
      perform gate_private.forget_secrets(link.account_id, left_over);
      delete from gate.integration i where i.account_id = link.account_id and i.integration_id = left_over;
    end if;
    delete from gate_private.connect_link l where l.token = link.token;
    forgotten := forgotten + 1;
  end loop;
  return forgotten;
end $$;
