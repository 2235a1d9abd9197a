-- Curricula, and the passes of members. p_session and p_event: see accounts.sql.

-- Adds a curriculum: {slug, title, modules, grants, valid_days, module_titles}.
create function gate.add_curriculum(p_account text, p_session bytea, p_curriculum jsonb, p_event uuid) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  stored gate.curriculum;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session, 'curricula.write');
  stored := gate_private.given_curriculum(p_account, p_curriculum);
  insert into gate.curriculum (account_id, slug, title, modules, grants, valid_days, module_titles)
  values (
    p_account, stored.slug, stored.title, stored.modules, stored.grants, stored.valid_days, stored.module_titles);
  perform gate_private.note_curriculum(stored, 'added', actor, p_event);
end $$;

-- Replaces title, modules, tier and validity of a curriculum; its slug stays. p_base: the curricula version that the
-- administrator was shown the effect for. outcome: changed, missing, stale (curricula changed since).
create function gate.change_curriculum(
  p_account text, p_session bytea, p_curriculum jsonb, p_base bigint, p_event uuid
) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  stored gate.curriculum;
  obstacle text;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session, 'curricula.write');
  stored := gate_private.given_curriculum(p_account, p_curriculum);
  obstacle := gate_private.curriculum_obstacle(p_account, stored.slug, p_base);
  if obstacle is not null then
    return obstacle;
  end if;
  update gate.curriculum c set
    title = stored.title, modules = stored.modules, grants = stored.grants, valid_days = stored.valid_days,
    module_titles = stored.module_titles
  where c.account_id = p_account and c.slug = stored.slug;
  perform gate_private.note_curriculum(stored, 'changed', actor, p_event);
  return 'changed';
end $$;

-- Retires a curriculum, or puts it in force again (p_retire false). p_base, outcome: see change_curriculum; unchanged.
create function gate.retire_curriculum(
  p_account text, p_session bytea, p_slug text, p_retire boolean, p_base bigint, p_event uuid
) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  obstacle text;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session, 'curricula.write');
  obstacle := gate_private.curriculum_obstacle(p_account, p_slug, p_base);
  if obstacle is not null then
    return obstacle;
  end if;
  update gate.curriculum c set retired_at = case when p_retire then clock_timestamp() end
  where c.account_id = p_account and c.slug = p_slug and (c.retired_at is not null) <> p_retire;
  if not found then
    return 'unchanged';
  end if;
  update gate.account set curricula_version = curricula_version + 1 where account_id = p_account;
  perform gate_private.note_change(
    p_account, p_event, 'curriculum_retired', null, actor, null,
    jsonb_build_object('curriculum', p_slug, 'retired', p_retire));
  return 'changed';
end $$;

-- The curriculum that a JSON argument gives.
create function gate_private.given_curriculum(p_account text, p_curriculum jsonb) returns gate.curriculum
language plpgsql as $$
declare
  given record;
  made gate.curriculum;
begin
  select * into given from jsonb_to_record(p_curriculum) as fields(
    slug text, title text, modules integer, grants text, valid_days integer, module_titles text[]);
  perform gate_private.require_fields(p_curriculum, to_jsonb(given));
  made.account_id := p_account;
  made.slug := given.slug;
  made.title := given.title;
  made.modules := given.modules;
  made.grants := given.grants;
  made.valid_days := given.valid_days;
  made.module_titles := given.module_titles;
  return made;
end $$;

-- Why a curriculum cannot be changed: missing, or stale. Null: it can. p_base null: whatever the version is.
create function gate_private.curriculum_obstacle(p_account text, p_slug text, p_base bigint) returns text
language sql stable as $$
  select case
    when not exists (select 1 from gate.curriculum c where c.account_id = p_account and c.slug = p_slug) then 'missing'
    when (select c.curricula_version from gate.account c where c.account_id = p_account) <> p_base then 'stale'
  end
$$;

-- Makes every decision that rests on the curricula be made again, and appends the entry of the curriculum.
create function gate_private.note_curriculum(p_stored gate.curriculum, p_change text, p_actor text, p_event uuid)
returns void
language plpgsql as $$
begin
  update gate.account set curricula_version = curricula_version + 1 where account_id = p_stored.account_id;
  perform gate_private.note(
    p_stored.account_id, p_event, 'curriculum_changed', null, p_actor, null,
    jsonb_build_object(
      'curriculum', p_stored.slug, 'change', p_change, 'modules', p_stored.modules, 'grants', p_stored.grants,
      'valid_days', p_stored.valid_days, 'title_digest', gate_private.title_digest(p_stored))
    || case when p_stored.module_titles is null then '{}' else jsonb_build_object(
      'module_titles_digest', gate_private.module_titles_digest(p_stored)) end);
end $$;

-- The digest of the title of a curriculum and of the titles of its modules, for their entry.
create function gate_private.title_digest(p_curriculum gate.curriculum) returns text
language sql immutable
return encode(sha256(convert_to(p_curriculum.slug || ' ' || p_curriculum.title, 'UTF8')), 'hex');

create function gate_private.module_titles_digest(p_curriculum gate.curriculum) returns text
language sql stable
return encode(sha256(convert_to(
  p_curriculum.slug || ' ' || gate_private.canonical(to_jsonb(p_curriculum.module_titles)), 'UTF8')), 'hex');

-- Records a pass, or gives an earlier pass a new date. p_at null: now. Returns whether the module exists
-- and its curriculum is in force.
create function gate.record_pass(
  p_account text, p_session bytea, p_member text, p_curriculum text, p_module integer, p_at timestamptz, p_event uuid
) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  noted jsonb;
  passed timestamptz := date_trunc('milliseconds', coalesce(p_at, clock_timestamp()));
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session, 'certifications.write');
  select l.entry::jsonb -> 'data' into noted from gate.ledger l where l.account_id = p_account and l.event_id = p_event;
  if found then
    if not noted @> jsonb_build_object('member', p_member, 'curriculum', p_curriculum, 'module', p_module) then
      raise exception 'the event is that of another pass' using errcode = 'GA422';
    end if;
    return true;
  end if;
  perform 1 from gate.curriculum c
  where c.account_id = p_account and c.slug = p_curriculum and p_module between 1 and c.modules and c.retired_at is null;
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
  actor := gate_private.require_admin(p_account, p_session, 'certifications.write');
  update gate.pass set revoked_at = clock_timestamp()
  where account_id = p_account and member_id = p_member and curriculum = p_curriculum
    and (p_module is null or module = p_module) and revoked_at is null;
  get diagnostics revoked = row_count;
  if revoked > 0 then
    update gate.member set version = version + 1 where account_id = p_account and member_id = p_member;
    perform gate_private.note_change(
      p_account, p_event, 'pass_recorded', null, actor, null,
      jsonb_build_object('member', p_member, 'curriculum', p_curriculum, 'module', p_module, 'change', 'revoked'));
  end if;
  return revoked;
end $$;
