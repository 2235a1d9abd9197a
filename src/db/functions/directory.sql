-- What the company's directory changes, over SCIM. p_session: the hash of its token, see require_admin. p_event: see accounts.sql.

-- Adds or changes a member of the directory. p_user: member (null: a new one, with the id new_id), and what is given: external_id and
-- email, which an empty text removes, user_name, name, active. No other member is taken over: whose mailbox, user name or external id
-- it is stays with that member, except that a user whom the directory had deleted comes back by their external id.
-- outcome: created, changed, unchanged (also on a repeat of the event), missing, too_many; or what another one has: external_id,
-- user_name, mailbox.
create function gate.put_directory_user(
  p_account text, p_session bytea, p_user jsonb, p_event uuid, out outcome text, out member text
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  given record;
  actor text;
  known gate.member;
  former gate.directory_user;
  kept gate.directory_user;
begin
  select * into given from jsonb_to_record(p_user) as fields(
    member text, new_id text, external_id text, user_name text, name text, email text, active boolean, users_max integer);
  perform gate_private.require_fields(p_user, to_jsonb(given));
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session, 'directory');
  member := given.member;
  if gate_private.is_noted(p_account, p_event) then
    outcome := 'unchanged';
    return;
  end if;
  select * into former from gate.directory_user d
  where d.account_id = p_account and case when member is null
    then d.external_id = given.external_id and d.left_at is not null
    else d.member_id = member and d.left_at is null end;
  if member is not null and not found then
    outcome := 'missing';
    return;
  end if;
  member := former.member_id;
  outcome := case
    when exists (
      select from gate.directory_user d
      where d.account_id = p_account and d.external_id = given.external_id and d.member_id is distinct from member) then 'external_id'
    when exists (
      select from gate.directory_user d
      where d.account_id = p_account and lower(d.user_name) = lower(given.user_name) and d.left_at is null
        and d.member_id is distinct from member) then 'user_name'
    when exists (
      select from gate.member m
      where m.account_id = p_account and lower(m.email) = lower(given.email) and m.member_id is distinct from member) then 'mailbox'
    when former.left_at is not null or member is null then
      case when given.users_max <= (
        select count(*) from gate.directory_user d where d.account_id = p_account and d.left_at is null) then 'too_many' end
  end;
  if outcome is not null then
    return;
  end if;
  if member is null then
    member := given.new_id;
    outcome := 'created';
    insert into gate.member (account_id, member_id, name, email, is_active)
    values (p_account, member, given.name, nullif(given.email, ''), coalesce(given.active, true))
    returning * into known;
    update gate.account set roster_version = roster_version + 1 where account_id = p_account;
    insert into gate.directory_user (account_id, member_id, external_id, user_name)
    values (p_account, member, nullif(given.external_id, ''), given.user_name)
    returning * into kept;
    perform gate_private.note(
      p_account, p_event, 'member_changed', null, actor, null,
      jsonb_build_object(
        'member', member, 'change', 'added', 'active', known.is_active, 'identity_digest', gate_private.identity_digest(known),
        'directory', gate_private.directory_digest(kept)));
    return;
  end if;
  select * into known from gate.member m where m.account_id = p_account and m.member_id = member;
  update gate.directory_user d set
    external_id = nullif(coalesce(given.external_id, d.external_id), ''), user_name = coalesce(given.user_name, d.user_name),
    left_at = null, changed_at = clock_timestamp()
  where d.account_id = p_account and d.member_id = member
  returning * into kept;
  -- Who comes back is active, unless they are said not to be.
  if former.left_at is not null then
    given.active := coalesce(given.active, true);
  end if;
  given.name := nullif(given.name, known.name);
  given.email := nullif(given.email, coalesce(known.email, ''));
  given.active := nullif(given.active, known.is_active);
  if given.name is null and given.email is null and given.active is null
    and (former.external_id, former.user_name, former.left_at) is not distinct from (kept.external_id, kept.user_name, kept.left_at)
  then
    update gate.directory_user d set changed_at = former.changed_at where d.account_id = p_account and d.member_id = member;
    outcome := 'unchanged';
    return;
  end if;
  perform gate_private.change_member(
    p_account, actor, member, given.name, given.email, null, given.active,
    jsonb_build_object('directory', gate_private.directory_digest(kept)), p_event);
  outcome := case when former.left_at is null then 'changed' else 'created' end;
end $$;

-- Lets a user go whom the directory deleted: the member is deactivated, and leaves its groups. The row of the member stays. Returns
-- whether it managed them.
create function gate.remove_directory_user(p_account text, p_session bytea, p_member text, p_event uuid) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  left_groups jsonb;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session, 'directory');
  update gate.directory_user d set left_at = clock_timestamp()
  where d.account_id = p_account and d.member_id = p_member and d.left_at is null;
  if not found then
    return gate_private.is_noted(p_account, p_event);
  end if;
  with gone as (
    delete from gate.group_membership m using gate.member_group g
    where m.account_id = p_account and m.member_id = p_member and g.account_id = p_account and g.group_id = m.group_id
      and g.is_of_directory
    returning m.group_id
  ) select jsonb_agg(g.group_id order by g.group_id collate "C") into left_groups from gone g;
  perform gate_private.change_member(
    p_account, actor, p_member, null, null, null,
    case when gate_private.is_active_member(p_account, p_member) then false end,
    jsonb_build_object('directory', null) || jsonb_strip_nulls(jsonb_build_object('left_groups', left_groups)), p_event);
  return true;
end $$;

-- Lets the directory manage members whom it did not add, by their mailbox as user name: an administrator decides that. p_members null:
-- all active ones with a mailbox. Returns how many it manages now that it did not before; null: too many.
create function gate.adopt_members(p_account text, p_session bytea, p_members text[], p_users_max integer) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  found_members text[];
  adopted text;
  kept gate.directory_user;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session, 'directory.write');
  select coalesce(array_agg(m.member_id order by m.member_id collate "C"), '{}') into found_members
  from gate.member m
  where m.account_id = p_account and m.email is not null and m.is_active and (p_members is null or m.member_id = any (p_members))
    and not exists (
      select from gate.directory_user d
      where d.account_id = p_account and d.left_at is null
        and (d.member_id = m.member_id or lower(d.user_name) = lower(m.email)));
  if p_users_max < cardinality(found_members) + (
    select count(*) from gate.directory_user d where d.account_id = p_account and d.left_at is null)
  then
    return null;
  end if;
  foreach adopted in array found_members loop
    insert into gate.directory_user (account_id, member_id, user_name)
    select p_account, adopted, m.email from gate.member m where m.account_id = p_account and m.member_id = adopted
    on conflict on constraint directory_user_pkey do update set
      user_name = excluded.user_name, external_id = null, left_at = null, changed_at = clock_timestamp()
    returning * into kept;
    perform gate_private.change_member(
      p_account, actor, adopted, null, null, null, null,
      jsonb_build_object('directory', gate_private.directory_digest(kept)), gen_random_uuid());
  end loop;
  return cardinality(found_members);
end $$;

-- Adds or changes a group of the directory. p_group: group (null: a new one, with the id new_id), and what is given: external_id, which
-- an empty text removes, name; add and remove: members; replace: those of add are all. Only members whom the directory manages.
-- outcome: created, changed, unchanged (also on a repeat of the event), missing, no_member, too_many, too_many_members; or what another
-- one has: external_id, name.
create function gate.put_directory_group(
  p_account text, p_session bytea, p_group jsonb, p_event uuid, out outcome text, out group_id text
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  given record;
  actor text;
  former gate.member_group;
  kept gate.member_group;
  added text[];
  removed text[];
  counts timestamptz;
begin
  select * into given from jsonb_to_record(p_group) as fields(
    "group" text, new_id text, external_id text, name text, replace boolean, add text[], remove text[], groups_max integer,
    members_max integer);
  perform gate_private.require_fields(p_group, to_jsonb(given));
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session, 'directory');
  group_id := given.group;
  if gate_private.is_noted(p_account, p_event) then
    outcome := 'unchanged';
    return;
  end if;
  select * into former from gate.member_group g
  where g.account_id = p_account and g.group_id = given.group and g.is_of_directory;
  outcome := case
    when given.group is not null and not found then 'missing'
    when exists (
      select from gate.member_group g
      where g.account_id = p_account and lower(g.name) = lower(given.name) and g.group_id is distinct from given.group) then 'name'
    when exists (
      select from gate.member_group g
      where g.account_id = p_account and g.external_id = given.external_id and g.group_id is distinct from given.group)
      then 'external_id'
    when given.group is null and given.groups_max <= (
      select count(*) from gate.member_group g where g.account_id = p_account) then 'too_many'
    when exists (
      select from unnest(given.add) a(member)
      where not exists (
        select from gate.directory_user d
        where d.account_id = p_account and d.member_id = a.member and d.left_at is null)) then 'no_member'
  end;
  if outcome is not null then
    return;
  end if;
  select coalesce(array_agg(m.member_id order by m.member_id collate "C"), '{}') into removed
  from gate.group_membership m
  where m.account_id = p_account and m.group_id = given.group and m.member_id <> all (given.add)
    and (given.replace or m.member_id = any (given.remove));
  select coalesce(array_agg(a.member order by a.member collate "C"), '{}') into added
  from (select distinct unnest(given.add) as member) a
  where not exists (
    select from gate.group_membership m
    where m.account_id = p_account and m.group_id = given.group and m.member_id = a.member);
  if given.members_max < cardinality(added) - cardinality(removed) + (
    select count(*) from gate.group_membership m where m.account_id = p_account and m.group_id = given.group)
  then
    outcome := 'too_many_members';
    return;
  end if;
  if given.group is null then
    group_id := given.new_id;
    insert into gate.member_group (account_id, group_id, name, created_at, is_of_directory, external_id)
    values (p_account, given.new_id, given.name, clock_timestamp(), true, nullif(given.external_id, ''))
    returning * into kept;
  else
    update gate.member_group g set
      name = coalesce(given.name, g.name), external_id = nullif(coalesce(given.external_id, g.external_id), '')
    where g.account_id = p_account and g.group_id = given.group
    returning * into kept;
    if cardinality(added || removed) = 0 and (kept.name, kept.external_id) is not distinct from (former.name, former.external_id) then
      outcome := 'unchanged';
      return;
    end if;
  end if;
  -- An administrator of the directory must not approve at once what their agent proposed.
  counts := date_trunc('milliseconds', clock_timestamp()
    + gate_private.settles_after_hours(p_account)::double precision * interval '1 hour');
  delete from gate.group_membership m
  where m.account_id = p_account and m.group_id = kept.group_id and m.member_id = any (removed);
  insert into gate.group_membership (account_id, group_id, member_id, counts_from)
  select p_account, kept.group_id, unnest(added), counts;
  outcome := case when given.group is null then 'created' else 'changed' end;
  perform gate_private.note_change(
    p_account, p_event, 'group_changed', null, actor, null,
    jsonb_build_object(
      'group', kept.group_id, 'origin', 'directory',
      'change', case when given.group is null then 'created' when cardinality(added || removed) = 0 then 'renamed' else 'members' end,
      'name_digest', gate_private.group_name_digest(kept), 'external_digest', gate_private.group_external_digest(kept))
    || case when cardinality(added || removed) = 0 then '{}' else jsonb_build_object(
      'added', to_jsonb(added), 'removed', to_jsonb(removed), 'counts_from', gate_private.iso(counts)) end);
end $$;

-- Removes a group of the directory. Returns removed, missing, or named: by the policy in force.
create function gate.remove_directory_group(p_account text, p_session bytea, p_group text, p_event uuid) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session, 'directory');
  if not exists (
    select from gate.member_group g where g.account_id = p_account and g.group_id = p_group and g.is_of_directory)
  then
    return case when gate_private.is_noted(p_account, p_event) then 'removed' else 'missing' end;
  end if;
  return gate_private.remove_group(p_account, actor, p_group, p_event);
end $$;

-- Makes the token of the directory, or another one instead: those before then hold for p_overlap_ms at most. p_name: null keeps it.
-- expires_at: of the former; null: there was none.
create function gate.make_directory_token(
  p_account text, p_session bytea, p_key text, p_name text, p_last4 text, p_hash bytea, p_overlap_ms bigint, p_event uuid,
  out expires_at timestamptz
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  former gate.api_key;
  made gate.api_key;
  earlier text;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session, 'directory.write');
  select * into former from gate.api_key k
  where k.account_id = p_account and k.powers = array['directory'] and gate_private.is_key_in_force(k.revoked_at, k.expires_at)
    and not exists (select from gate.api_key n where n.account_id = p_account and n.rotated_from = k.key_id)
  order by k.created_at desc
  limit 1;
  made.account_id := p_account;
  made.key_id := p_key;
  made.name := coalesce(p_name, former.name, 'Directory');
  made.last4 := p_last4;
  made.created_at := clock_timestamp();
  made.powers := array['directory'];
  made.rotated_from := former.key_id;
  perform gate_private.store_key(
    made, p_hash, coalesce(
      (select h.family from gate_private.api_key_hash h where h.account_id = p_account and h.key_id = former.key_id), p_key),
    actor, p_event);
  if former.key_id is null then
    return;
  end if;
  expires_at := date_trunc('milliseconds', clock_timestamp() + p_overlap_ms * interval '1 millisecond');
  -- Also those before it, whose overlap is not over.
  for earlier in
    update gate.api_key k set expires_at = make_directory_token.expires_at
    where k.account_id = p_account and k.powers = array['directory'] and k.key_id <> p_key
      and gate_private.is_key_in_force(k.revoked_at, k.expires_at)
      and (k.expires_at is null or k.expires_at > make_directory_token.expires_at)
    returning k.key_id
  loop
    update gate_private.api_key_hash h set expires_at = make_directory_token.expires_at
    where h.account_id = p_account and h.key_id = earlier;
    perform gate_private.note(
      p_account, gen_random_uuid(), 'key_rotated', null, actor, null,
      jsonb_build_object('key', earlier, 'expires_at', gate_private.iso(expires_at), 'to', p_key));
  end loop;
end $$;

-- Ends every token of the directory. Its members stay as they are. Returns how many ended.
create function gate.end_directory_tokens(p_account text, p_session bytea) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  ended text;
  done integer := 0;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session, 'directory.write');
  for ended in
    update gate.api_key k set revoked_at = clock_timestamp()
    where k.account_id = p_account and k.powers = array['directory'] and gate_private.is_key_in_force(k.revoked_at, k.expires_at)
    returning k.key_id
  loop
    update gate_private.api_key_hash h set revoked_at = clock_timestamp() where h.account_id = p_account and h.key_id = ended;
    perform gate_private.note(
      p_account, gen_random_uuid(), 'key_revoked', null, actor, null, jsonb_build_object('key', ended));
    done := done + 1;
  end loop;
  return done;
end $$;

-- Whether the account has a directory: then it alone changes its groups.
create function gate_private.has_directory(p_account text) returns boolean
language sql stable as $$
  select exists (
    select from gate.api_key k
    where k.account_id = p_account and k.powers = array['directory'] and gate_private.is_key_in_force(k.revoked_at, k.expires_at))
$$;

-- Whether a group is changed by the directory alone.
create function gate_private.is_of_directory(p_account text, p_group text) returns boolean
language sql stable as $$
  select gate_private.has_directory(p_account) and exists (
    select from gate.member_group g where g.account_id = p_account and g.group_id = p_group and g.is_of_directory)
$$;

-- The digest of whom the directory knows a member as, for their entry: SHA-256 of the salt and {external_id, user_name}. Null: it lets them go.
create function gate_private.directory_digest(p_user gate.directory_user) returns text
language sql stable
return (
  select encode(sha256(m.salt || convert_to(gate_private.canonical(jsonb_build_object(
    'external_id', p_user.external_id, 'user_name', p_user.user_name)), 'UTF8')), 'hex')
  from gate.member m
  where m.account_id = p_user.account_id and m.member_id = p_user.member_id and p_user.left_at is null);

-- The digest of the directory's own id of a group, for its entries; null: it has none.
create function gate_private.group_external_digest(p_group gate.member_group) returns text
language sql immutable
return encode(sha256(convert_to(p_group.group_id || ' ' || p_group.external_id, 'UTF8')), 'hex');
