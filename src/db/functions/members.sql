-- Members and their certifications. p_session and p_event: see accounts.sql.

-- Adds a member.
create function gate.add_member(
  p_account text, p_session bytea, p_member text, p_name text, p_email text, p_slack text, p_event uuid
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  added gate.member;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session);
  insert into gate.member (account_id, member_id, name, email, slack) values (p_account, p_member, p_name, p_email, p_slack)
  returning * into added;
  update gate.account set roster_version = roster_version + 1 where account_id = p_account;
  perform gate_private.note(
    p_account, p_event, 'member_changed', null, actor, null,
    jsonb_build_object(
      'member', p_member, 'change', 'added', 'identity_digest', gate_private.identity_digest(added)));
end $$;

-- Changes what is given; an empty text removes an identity. Returns whether the member exists.
create function gate.update_member(
  p_account text, p_session bytea, p_member text, p_name text, p_email text, p_slack text, p_active boolean, p_event uuid
) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  changed gate.member;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session);
  if gate_private.is_noted(p_account, p_event) then
    return true;
  end if;
  update gate.member m set
    name = coalesce(p_name, m.name),
    email = nullif(coalesce(p_email, m.email), ''),
    slack = nullif(coalesce(p_slack, m.slack), ''),
    is_active = coalesce(p_active, m.is_active),
    version = m.version + 1
  where m.account_id = p_account and m.member_id = p_member
  returning * into changed;
  if not found then
    return false;
  end if;
  update gate.account set roster_version = roster_version + 1 where account_id = p_account;
  perform gate_private.note(
    p_account, p_event, 'member_changed', null, actor, null,
    jsonb_build_object(
      'member', p_member,
      'change', case p_active when true then 'activated' when false then 'deactivated' else 'updated' end,
      'identity_digest', gate_private.identity_digest(changed))
    || case when coalesce(p_email, p_name, p_slack) is null then '{}' else jsonb_build_object(
      'fields', array_remove(array[
        case when p_email is not null then 'email' end, case when p_name is not null then 'name' end,
        case when p_slack is not null then 'slack' end], null)) end);
  return true;
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
  actor := gate_private.require_admin(p_account, p_session);
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

-- What an entry holds of a member's name and identities: SHA-256 of the salt and {active, email, name, slack}.
create function gate_private.identity_digest(p_member gate.member) returns text
language sql stable
return encode(sha256(p_member.salt || convert_to(gate_private.canonical(jsonb_build_object(
  'active', p_member.is_active, 'email', p_member.email, 'name', p_member.name, 'slack', p_member.slack)), 'UTF8')), 'hex');

-- Adds a curriculum.
create function gate.add_curriculum(
  p_account text, p_session bytea, p_slug text, p_title text, p_modules integer, p_grants text, p_valid_days integer,
  p_event uuid
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session);
  insert into gate.curriculum (account_id, slug, title, modules, grants, valid_days)
  values (p_account, p_slug, p_title, p_modules, p_grants, p_valid_days);
  update gate.account set curricula_version = curricula_version + 1 where account_id = p_account;
  perform gate_private.note(
    p_account, p_event, 'curriculum_changed', null, actor, null,
    jsonb_build_object(
      'curriculum', p_slug, 'change', 'added', 'modules', p_modules, 'grants', p_grants, 'valid_days', p_valid_days,
      'title_digest', encode(sha256(convert_to(p_slug || ' ' || p_title, 'UTF8')), 'hex')));
end $$;

-- Records a pass, or gives an earlier pass a new date. p_at null: now. Returns whether the module exists.
create function gate.record_pass(
  p_account text, p_session bytea, p_member text, p_curriculum text, p_module integer, p_at timestamptz, p_event uuid
) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  passed timestamptz := date_trunc('milliseconds', coalesce(p_at, clock_timestamp()));
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session);
  if gate_private.is_noted(p_account, p_event) then
    return true;
  end if;
  perform 1 from gate.curriculum c
  where c.account_id = p_account and c.slug = p_curriculum and p_module between 1 and c.modules;
  if not found then
    return false;
  end if;
  insert into gate.pass (account_id, member_id, curriculum, module, passed_at, latest_at)
  values (p_account, p_member, p_curriculum, p_module, passed, passed)
  on conflict on constraint pass_pkey do update
  set passed_at = passed, latest_at = greatest(pass.latest_at, passed), revoked_at = null;
  update gate.member set version = version + 1 where account_id = p_account and member_id = p_member;
  perform gate_private.note(
    p_account, p_event, 'pass_recorded', null, actor, null,
    jsonb_build_object(
      'member', p_member, 'curriculum', p_curriculum, 'module', p_module, 'change', 'passed',
      'at', gate_private.iso(passed)));
  return true;
end $$;

-- Revokes the pass of one module, or all passes of a curriculum (p_module null). Returns how many.
create function gate.revoke_passes(
  p_account text, p_session bytea, p_member text, p_curriculum text, p_module integer, p_event uuid
) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  revoked integer;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session);
  update gate.pass set revoked_at = clock_timestamp()
  where account_id = p_account and member_id = p_member and curriculum = p_curriculum
    and (p_module is null or module = p_module) and revoked_at is null;
  get diagnostics revoked = row_count;
  if revoked > 0 then
    update gate.member set version = version + 1 where account_id = p_account and member_id = p_member;
    perform gate_private.note(
      p_account, p_event, 'pass_recorded', null, actor, null,
      jsonb_build_object('member', p_member, 'curriculum', p_curriculum, 'module', p_module, 'change', 'revoked'));
  end if;
  return revoked;
end $$;
