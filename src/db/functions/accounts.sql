-- Accounts, their policies and their administrators.
-- In every function: p_session is the hash of a console session's token or of an API key, or null for the command line. See require_admin.
-- p_event is the id of the ledger entry: a repeat of the call appends no second entry.

-- Creates an account, with `account_created` as the first entry of its ledger. A repeat fails: the account exists.
create function gate.create_account(p_account text, p_name text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  insert into gate_private.account_directory (account_id) values (p_account);
  insert into gate.account (account_id, name) values (p_account, p_name);
  insert into gate.ledger_head (account_id) values (p_account);
  perform gate_private.note(
    p_account, gen_random_uuid(), 'account_created', null, gate_private.require_admin(p_account, null), null,
    jsonb_build_object('name_digest', encode(sha256(convert_to(p_account || ' ' || p_name, 'UTF8')), 'hex')));
end $$;

-- All accounts, for the command line and the reconciler.
create function gate.list_accounts()
returns table (
  account_id text, name text, created_at timestamptz, suspended_at timestamptz, key_limits text, seq bigint, hash bytea
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  listed text;
begin
  for listed in select d.account_id from gate_private.account_directory d order by d.created_at, d.account_id loop
    perform gate.tenant(listed);
    return query
      select a.account_id, a.name, a.created_at, a.suspended_at, d.key_limits, h.seq, h.hash
      from gate.account a
      join gate_private.account_directory d on d.account_id = a.account_id
      join gate.ledger_head h on h.account_id = a.account_id
      where a.account_id = listed;
  end loop;
end $$;

-- Whether the account exists and no other does.
create function gate.is_only_account(p_account text) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select exists (select from gate_private.account_directory d where d.account_id = p_account)
    and not exists (select from gate_private.account_directory d where d.account_id <> p_account)
$$;

-- Suspends (true) or resumes (false) an account. Returns whether that changed anything.
create function gate.suspend_account(p_account text, p_session bytea, p_suspend boolean, p_event uuid) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session, case when p_suspend then 'account.write' else 'account.resume' end);
  update gate.account set suspended_at = case when p_suspend then clock_timestamp() end
  where account_id = p_account and (suspended_at is not null) <> p_suspend;
  if not found then
    return false;
  end if;
  -- Consents to tool calls that were not used end: resuming does not bring them back.
  update gate.tool_consent t set expires_at = clock_timestamp()
  where t.account_id = p_account and p_suspend and t.spent_at is null and t.granted_at is not null
    and t.expires_at > clock_timestamp();
  if p_suspend then
    perform gate_private.end_mandates(p_account, actor), gate_private.end_grants(p_account, null, actor, 'account_suspended');
  end if;
  perform gate_private.note_change(
    p_account, p_event, 'account_suspended', null, actor, null, jsonb_build_object('suspended', p_suspend));
  return true;
end $$;

-- How the requests of the account's keys are counted; null without such an account.
create function gate.key_limits(p_account text) returns text
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select d.key_limits from gate_private.account_directory d where d.account_id = p_account
$$;

-- Sets how the requests of the account's keys are counted. Returns whether that changed anything.
create function gate.set_key_limits(p_account text, p_session bytea, p_key_limits text, p_event uuid) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session, 'keys.write');
  update gate_private.account_directory set key_limits = p_key_limits
  where account_id = p_account and key_limits <> p_key_limits;
  if not found then
    return false;
  end if;
  perform gate_private.note_change(
    p_account, p_event, 'key_limits_set', null, actor, null, jsonb_build_object('key_limits', p_key_limits));
  return true;
end $$;

-- Makes the reader of a mailbox an administrator or auditor and, if p_link is given, creates a sign-in link.
-- Returns their id. It differs from p_admin if that mailbox already has one: then nothing changed. One of another role is refused.
-- The link is for the administrator alone: the command line prints it, and its reader need not read the mailbox of a member
-- with the same address.
create function gate.invite_admin(
  p_account text, p_session bytea, p_admin text, p_email text, p_link bytea, p_lasts_ms bigint, p_event uuid,
  p_role text default 'administrator'
) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  invited gate.admin;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session);
  select * into invited from gate.admin a
  where a.account_id = p_account and lower(a.email) = lower(p_email) and a.removed_at is null;
  if not found then
    insert into gate.admin (account_id, admin_id, email, role) values (p_account, p_admin, p_email, p_role)
    returning * into invited;
  elsif invited.admin_id <> p_admin then
    return invited.admin_id;
  elsif invited.role <> p_role then
    raise exception 'the role of an administrator does not change' using errcode = 'check_violation';
  elsif invited.is_managed then
    -- Somebody vouches for them now, beside the company.
    update gate.admin a set is_managed = false
    where a.account_id = p_account and a.admin_id = p_admin
    returning * into invited;
    perform gate_private.keep_mailbox(p_account, p_admin, invited.email);
  end if;
  if p_link is not null then
    insert into gate_private.sign_in_link (token, account_id, mailbox, admin_id, expires_at)
    values (
      p_link, p_account, gate_private.mailbox_hash(p_email), p_admin,
      clock_timestamp() + p_lasts_ms * interval '1 millisecond');
  end if;
  perform gate_private.note(
    p_account, p_event, 'admin_changed', null, actor, null,
    jsonb_build_object(
      'admin', p_admin, 'change', 'invited', 'mailbox_digest', gate_private.mailbox_digest(invited))
    || gate_private.role_data(invited));
  return p_admin;
end $$;

-- Returns whether the administrator exists. Removing a removed administrator changes nothing.
create function gate.remove_admin(p_account text, p_session bytea, p_admin text, p_event uuid) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  removed gate.admin;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session);
  perform 1 from gate.admin a where a.account_id = p_account and a.admin_id = p_admin;
  if not found then
    return false;
  end if;
  update gate.admin a set removed_at = clock_timestamp()
  where a.account_id = p_account and a.admin_id = p_admin and a.removed_at is null
  returning * into removed;
  if found then
    perform gate_private.end_sessions(p_account, p_admin);
    perform gate_private.note_change(
      p_account, p_event, 'admin_changed', null, actor, null,
      jsonb_build_object(
        'admin', p_admin, 'change', 'removed', 'mailbox_digest', gate_private.mailbox_digest(removed))
      || gate_private.role_data(removed));
  end if;
  return true;
end $$;

-- What an entry says of the role: nothing of an administrator's whom somebody invited, as before there were others.
create function gate_private.role_data(p_admin gate.admin) returns jsonb
language sql stable
return jsonb_strip_nulls(jsonb_build_object(
  'role', nullif(p_admin.role, 'administrator'), 'managed', nullif(p_admin.is_managed, false)));

-- The digest of an administrator's mailbox, for its entry: SHA-256 of the salt and the address in lower case.
create function gate_private.mailbox_digest(p_admin gate.admin) returns text
language sql stable
return encode(sha256(p_admin.salt || convert_to(lower(p_admin.email), 'UTF8')), 'hex');
