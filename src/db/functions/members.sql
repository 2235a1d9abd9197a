-- Members. p_session and p_event: see accounts.sql.

-- Adds a member.
create function gate.add_member(
  p_account text, p_session bytea, p_member text, p_name text, p_email text, p_slack text, p_event uuid,
  p_teams text default null
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  added gate.member;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session, 'members.write');
  insert into gate.member (account_id, member_id, name, email, slack, teams)
  values (p_account, p_member, p_name, p_email, p_slack, p_teams)
  returning * into added;
  update gate.account set roster_version = roster_version + 1 where account_id = p_account;
  perform gate_private.note(
    p_account, p_event, 'member_changed', null, actor, null,
    jsonb_build_object(
      'member', p_member, 'change', 'added', 'identity_digest', gate_private.identity_digest(added)));
end $$;

-- Adds members, all or none: an array of {member_id, name, email, slack, teams, event_id}. Each has its entry, as if added alone.
create function gate.import_members(p_account text, p_session bytea, p_members jsonb) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  listed jsonb;
  given record;
  added gate.member;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session, 'members.write');
  for listed in select e.value from jsonb_array_elements(p_members) e loop
    -- Processes that were started before it was known do not give `teams`.
    listed := '{"teams":null}' || listed;
    select * into given from jsonb_to_record(listed) as fields(
      member_id text, name text, email text, slack text, teams text, event_id uuid);
    perform gate_private.require_fields(listed, to_jsonb(given));
    insert into gate.member (account_id, member_id, name, email, slack, teams)
    values (p_account, given.member_id, given.name, given.email, given.slack, given.teams)
    returning * into added;
    perform gate_private.note(
      p_account, given.event_id, 'member_changed', null, actor, null,
      jsonb_build_object(
        'member', given.member_id, 'change', 'added', 'identity_digest', gate_private.identity_digest(added)));
  end loop;
  if jsonb_array_length(p_members) > 0 then
    update gate.account set roster_version = roster_version + 1 where account_id = p_account;
  end if;
  return jsonb_array_length(p_members);
end $$;

-- Changes what is given; an empty text removes an identity. Returns whether the member exists.
create function gate.update_member(
  p_account text, p_session bytea, p_member text, p_name text, p_email text, p_slack text, p_active boolean, p_event uuid,
  p_teams text default null
) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session, 'members.write');
  return gate_private.is_noted(p_account, p_event)
    or gate_private.change_member(p_account, actor, p_member, p_name, p_email, p_slack, p_active, '{}', p_event, p_teams);
end $$;

-- Sets a member's tier; null removes the setting. Returns whether the member exists.
create function gate.set_tier(
  p_account text, p_session bytea, p_member text, p_tier text, p_event uuid
) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session, 'members.write');
  if gate_private.is_noted(p_account, p_event) then
    return true;
  end if;
  update gate.member set admin_tier = p_tier, version = version + 1
  where account_id = p_account and member_id = p_member;
  if not found then
    return false;
  end if;
  perform gate_private.note(
    p_account, p_event, 'tier_set', null, actor, null, jsonb_build_object('member', p_member, 'tier', p_tier));
  return true;
end $$;

-- The digest of a member's name and identities, for their entry: SHA-256 of the salt and {active, email, name, slack}, and `teams`
-- where they have it.
create function gate_private.identity_digest(p_member gate.member) returns text
language sql stable
return encode(sha256(p_member.salt || convert_to(gate_private.canonical(jsonb_build_object(
  'active', p_member.is_active, 'email', p_member.email, 'name', p_member.name, 'slack', p_member.slack)
  || case when p_member.teams is null then '{}' else jsonb_build_object('teams', p_member.teams) end), 'UTF8')), 'hex');
