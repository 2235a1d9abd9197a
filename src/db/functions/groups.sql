-- Groups of members. p_session and p_event: see accounts.sql.

-- Creates a group. Returns created (also on a repeat of the event), or too_many.
create function gate.create_group(
  p_account text, p_session bytea, p_group text, p_name text, p_groups_max integer, p_event uuid
) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session, 'groups.write');
  if gate_private.is_noted(p_account, p_event) then
    return 'created';
  end if;
  if p_groups_max <= (select count(*) from gate.member_group g where g.account_id = p_account) then
    return 'too_many';
  end if;
  insert into gate.member_group (account_id, group_id, name, created_at)
  values (p_account, p_group, p_name, clock_timestamp());
  perform gate_private.note_group(p_account, p_group, 'created', actor, p_event);
  return 'created';
end $$;

-- Renames a group. Returns renamed, missing, or of_directory: it alone does.
create function gate.rename_group(p_account text, p_session bytea, p_group text, p_name text, p_event uuid) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session, 'groups.write');
  if gate_private.is_of_directory(p_account, p_group) then
    return 'of_directory';
  end if;
  update gate.member_group g set name = p_name where g.account_id = p_account and g.group_id = p_group;
  if not found then
    return 'missing';
  end if;
  perform gate_private.note_group(p_account, p_group, 'renamed', actor, p_event);
  return 'renamed';
end $$;

-- Removes a group. Returns removed (also on a repeat of the event), missing, of_directory, or named: by the policy in force.
create function gate.remove_group(p_account text, p_session bytea, p_group text, p_event uuid) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session, 'groups.write');
  if gate_private.is_of_directory(p_account, p_group) then
    return 'of_directory';
  end if;
  return gate_private.remove_group(p_account, actor, p_group, p_event);
end $$;

-- The same, by an actor who was checked.
create function gate_private.remove_group(p_account text, p_actor text, p_group text, p_event uuid) returns text
language plpgsql as $$
begin
  if gate_private.is_noted(p_account, p_event) then
    return 'removed';
  end if;
  if exists (
    select from gate.account c
    join gate.policy p on p.account_id = c.account_id and p.version = c.policy_version
    where c.account_id = p_account
      and jsonb_path_exists(p.document::jsonb, '$.**.group ? (@ == $group)', jsonb_build_object('group', p_group))
  ) then
    return 'named';
  end if;
  delete from gate.group_membership m where m.account_id = p_account and m.group_id = p_group;
  delete from gate.member_group g where g.account_id = p_account and g.group_id = p_group;
  if not found then
    return 'missing';
  end if;
  perform gate_private.note_change(
    p_account, p_event, 'group_changed', null, p_actor, null, jsonb_build_object('group', p_group, 'change', 'removed'));
  return 'removed';
end $$;

-- Adds members to a group, and removes some. Those that are in it, or are not, stay so. Returns changed (also on a repeat of the event),
-- unchanged, missing (the group), of_directory, or too_many.
create function gate.change_group_members(
  p_account text, p_session bytea, p_group text, p_add text[], p_remove text[], p_members_max integer, p_event uuid
) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session, 'groups.write');
  return case when gate_private.is_of_directory(p_account, p_group) then 'of_directory' else gate_private.change_group_members(
    p_account, actor, p_group, p_add, p_remove, p_members_max, p_event) end;
end $$;

-- The same, by an actor who was checked. The ledger head must be locked.
create function gate_private.change_group_members(
  p_account text, p_actor text, p_group text, p_add text[], p_remove text[], p_members_max integer, p_event uuid
) returns text
language plpgsql as $$
declare
  added text[];
  removed text[];
begin
  if gate_private.is_noted(p_account, p_event) then
    return 'changed';
  end if;
  if not exists (select from gate.member_group g where g.account_id = p_account and g.group_id = p_group) then
    return 'missing';
  end if;
  select coalesce(array_agg(m.member_id order by m.member_id collate "C"), '{}') into removed
  from gate.group_membership m
  where m.account_id = p_account and m.group_id = p_group and m.member_id = any (p_remove) and m.member_id <> all (p_add);
  select coalesce(array_agg(given.id order by given.id collate "C"), '{}') into added
  from (select distinct unnest(p_add) as id) given
  where not exists (
    select from gate.group_membership m
    where m.account_id = p_account and m.group_id = p_group and m.member_id = given.id);
  if cardinality(added || removed) = 0 then
    return 'unchanged';
  end if;
  if cardinality(added) > 0 and p_members_max < cardinality(added) - cardinality(removed) + (
    select count(*) from gate.group_membership m where m.account_id = p_account and m.group_id = p_group)
  then
    return 'too_many';
  end if;
  delete from gate.group_membership m
  where m.account_id = p_account and m.group_id = p_group and m.member_id = any (removed);
  insert into gate.group_membership (account_id, group_id, member_id) select p_account, p_group, unnest(added);
  perform gate_private.note_change(
    p_account, p_event, 'group_changed', null, p_actor, null,
    jsonb_build_object('group', p_group, 'change', 'members', 'added', to_jsonb(added), 'removed', to_jsonb(removed)));
  return 'changed';
end $$;

-- The digest of the name of a group, for its entries.
create function gate_private.group_name_digest(p_group gate.member_group) returns text
language sql immutable
return encode(sha256(convert_to(p_group.group_id || ' ' || p_group.name, 'UTF8')), 'hex');

create function gate_private.note_group(p_account text, p_group text, p_change text, p_actor text, p_event uuid) returns void
language sql volatile as $$
  select gate_private.note_change(
    p_account, p_event, 'group_changed', null, p_actor, null,
    jsonb_build_object('group', p_group, 'change', p_change, 'name_digest', gate_private.group_name_digest(g)))
  from gate.member_group g where g.account_id = p_account and g.group_id = p_group
$$;
