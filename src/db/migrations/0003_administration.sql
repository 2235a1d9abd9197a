-- What an administrator may change. Each function makes one change and its ledger entry, under the head's lock.

create function gate.create_account(p_account text, p_name text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  insert into gate_private.account_directory (account_id) values (p_account);
  insert into gate.account (account_id, name) values (p_account, p_name);
  insert into gate.ledger_head (account_id) values (p_account);
end $$;

-- Every account there is; for the operator's command line and the reconciler.
create function gate.list_accounts()
returns table (account_id text, name text, created_at timestamptz, suspended_at timestamptz, seq bigint, hash bytea)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  listed text;
begin
  for listed in select d.account_id from gate_private.account_directory d order by d.created_at, d.account_id loop
    perform gate.tenant(listed);
    return query
      select a.account_id, a.name, a.created_at, a.suspended_at, h.seq, h.hash
      from gate.account a
      join gate.ledger_head h on h.account_id = a.account_id
      where a.account_id = listed;
  end loop;
end $$;

-- The stop switch: true stops, false resumes. Returns whether anything changed.
create function gate.suspend_account(p_account text, p_suspend boolean, p_event uuid, p_tail text) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  update gate.account set suspended_at = case when p_suspend then clock_timestamp() end
  where account_id = p_account and (suspended_at is not null) <> p_suspend;
  if not found then
    return false;
  end if;
  perform gate_private.append(p_account, p_event, 'account_suspended', null, p_tail);
  return true;
end $$;

create function gate.add_member(
  p_account text, p_member text, p_name text, p_email text, p_slack text, p_event uuid, p_tail text
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  insert into gate.member (account_id, member_id, name, email, slack) values (p_account, p_member, p_name, p_email, p_slack);
  update gate.account set roster_version = roster_version + 1 where account_id = p_account;
  perform gate_private.append(p_account, p_event, 'member_changed', null, p_tail);
end $$;

-- Sets what is given; an empty string takes an identity away. Returns whether the member exists.
create function gate.update_member(
  p_account text, p_member text, p_name text, p_email text, p_slack text, p_active boolean, p_event uuid, p_tail text
) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  update gate.member m set
    name = coalesce(p_name, m.name),
    email = nullif(coalesce(p_email, m.email), ''),
    slack = nullif(coalesce(p_slack, m.slack), ''),
    is_active = coalesce(p_active, m.is_active),
    version = m.version + 1
  where m.account_id = p_account and m.member_id = p_member;
  if not found then
    return false;
  end if;
  update gate.account set roster_version = roster_version + 1 where account_id = p_account;
  perform gate_private.append(p_account, p_event, 'member_changed', null, p_tail);
  return true;
end $$;

-- p_tier null: the admin's setting is taken away.
create function gate.set_tier(p_account text, p_member text, p_tier text, p_event uuid, p_tail text) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  update gate.member set admin_tier = p_tier, version = version + 1
  where account_id = p_account and member_id = p_member;
  if not found then
    return false;
  end if;
  perform gate_private.append(p_account, p_event, 'tier_set', null, p_tail);
  return true;
end $$;

create function gate.add_curriculum(
  p_account text, p_slug text, p_title text, p_modules integer, p_grants text, p_valid_days integer,
  p_event uuid, p_tail text
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  insert into gate.curriculum (account_id, slug, title, modules, grants, valid_days)
  values (p_account, p_slug, p_title, p_modules, p_grants, p_valid_days);
  update gate.account set curricula_version = curricula_version + 1 where account_id = p_account;
  perform gate_private.append(p_account, p_event, 'curriculum_changed', null, p_tail);
end $$;

-- Records a pass, or gives an earlier one a new date. p_at null: now. Returns whether that module exists.
create function gate.record_pass(
  p_account text, p_member text, p_curriculum text, p_module integer, p_at timestamptz, p_event uuid, p_tail text
) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  passed timestamptz := date_trunc('milliseconds', coalesce(p_at, clock_timestamp()));
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
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
  perform gate_private.append(p_account, p_event, 'pass_recorded', null, p_tail);
  return true;
end $$;

-- Takes passes out of force: one module, or all of a curriculum (p_module null). Returns how many.
create function gate.revoke_passes(
  p_account text, p_member text, p_curriculum text, p_module integer, p_event uuid, p_tail text
) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  revoked integer;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  update gate.pass set revoked_at = clock_timestamp()
  where account_id = p_account and member_id = p_member and curriculum = p_curriculum
    and (p_module is null or module = p_module) and revoked_at is null;
  get diagnostics revoked = row_count;
  if revoked > 0 then
    update gate.member set version = version + 1 where account_id = p_account and member_id = p_member;
    perform gate_private.append(p_account, p_event, 'pass_recorded', null, p_tail);
  end if;
  return revoked;
end $$;

-- Stores a policy as the version after p_base. Returns the new version, or null where p_base is not the newest.
create function gate.set_policy(p_account text, p_base bigint, p_document json, p_event uuid, p_tail text) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  next_version bigint;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  update gate.account set policy_version = policy_version + 1
  where account_id = p_account and policy_version = p_base
  returning policy_version into next_version;
  if not found then
    return null;
  end if;
  insert into gate.policy (account_id, version, document) values (p_account, next_version, p_document);
  perform gate_private.append(p_account, p_event, 'policy_set', null, p_tail);
  return next_version;
end $$;

create function gate.mint_key(
  p_account text, p_key text, p_name text, p_last4 text, p_hash bytea, p_actors text[], p_expires timestamptz,
  p_event uuid, p_tail text
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  insert into gate.api_key (account_id, key_id, name, last4, actors, expires_at)
  values (p_account, p_key, p_name, p_last4, p_actors, p_expires);
  insert into gate_private.api_key_hash (hash, account_id, key_id, actors, expires_at)
  values (p_hash, p_account, p_key, p_actors, p_expires);
  perform gate_private.append(p_account, p_event, 'key_minted', null, p_tail);
end $$;

-- Returns whether there is such a key. Revoking a revoked key changes nothing.
create function gate.revoke_key(p_account text, p_key text, p_event uuid, p_tail text) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  perform 1 from gate.api_key where account_id = p_account and key_id = p_key;
  if not found then
    return false;
  end if;
  update gate.api_key set revoked_at = clock_timestamp()
  where account_id = p_account and key_id = p_key and revoked_at is null;
  if found then
    update gate_private.api_key_hash set revoked_at = clock_timestamp() where account_id = p_account and key_id = p_key;
    perform gate_private.append(p_account, p_event, 'key_revoked', null, p_tail);
  end if;
  return true;
end $$;

create function gate.list_keys(p_account text)
returns table (
  key_id text, name text, last4 text, actors text[], created_at timestamptz, expires_at timestamptz,
  revoked_at timestamptz, last_used_at timestamptz
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  return query
    select k.key_id, k.name, k.last4, k.actors, k.created_at, k.expires_at, k.revoked_at, h.last_used_at
    from gate.api_key k
    join gate_private.api_key_hash h on h.account_id = k.account_id and h.key_id = k.key_id
    where k.account_id = p_account
    order by k.created_at, k.key_id;
end $$;
