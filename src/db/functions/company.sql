-- Sign-in with the company. p_session and p_event: see accounts.sql.

-- Sets the provider of an account. p_settings: a null secret keeps the one that there is, for the same issuer and client.
-- Returns set, or why not: secret_needed, not_by_company (only somebody whom the provider signed in can make it the only way).
create function gate.set_company_sign_in(p_account text, p_session bytea, p_settings jsonb, p_event uuid) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  given record;
  former gate.company_sign_in;
begin
  select * into given from jsonb_to_record(p_settings) as fields(
    issuer text, client_id text, ciphertext bytea, wrapped_key bytea, kid text, links_by_mailbox boolean, roles_claim text,
    roles json, acr text[], is_only boolean, directory_claim text);
  perform gate_private.require_fields(p_settings, to_jsonb(given));
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session);
  select * into former from gate.company_sign_in c where c.account_id = p_account;
  if given.ciphertext is null and (former.issuer, former.client_id) is distinct from (given.issuer, given.client_id) then
    return 'secret_needed';
  end if;
  if given.is_only and former.is_only is not true and p_session is not null and not exists (
    select from gate_private.session s where s.token = p_session and s.identity_id is not null
  ) then
    return 'not_by_company';
  end if;
  insert into gate.company_sign_in (
    account_id, issuer, client_id, ciphertext, wrapped_key, kid, links_by_mailbox, roles_claim, roles, acr, is_only,
    directory_claim)
  values (
    p_account, given.issuer, given.client_id, coalesce(given.ciphertext, former.ciphertext),
    coalesce(given.wrapped_key, former.wrapped_key), coalesce(given.kid, former.kid), given.links_by_mailbox,
    given.roles_claim, given.roles, given.acr, given.is_only, given.directory_claim)
  on conflict on constraint company_sign_in_pkey do update set
    issuer = excluded.issuer, client_id = excluded.client_id, ciphertext = excluded.ciphertext,
    wrapped_key = excluded.wrapped_key, kid = excluded.kid, links_by_mailbox = excluded.links_by_mailbox,
    roles_claim = excluded.roles_claim, roles = excluded.roles, acr = excluded.acr, is_only = excluded.is_only,
    directory_claim = excluded.directory_claim,
    set_at = clock_timestamp();
  update gate_private.account_directory d set has_company_sign_in = true where d.account_id = p_account;
  if given.is_only and former.is_only is not true then
    delete from gate_private.session s where s.account_id = p_account and s.identity_id is null;
  end if;
  perform gate_private.note_change(
    p_account, p_event, 'company_sign_in_set', null, actor, null,
    (select gate_private.company_data(c) from gate.company_sign_in c where c.account_id = p_account)
    || jsonb_build_object('secret', case when given.ciphertext is null then 'kept' else 'set' end));
  return 'set';
end $$;

-- What an entry says of the settings: all but the secret.
create function gate_private.company_data(p_settings gate.company_sign_in) returns jsonb
language sql stable
return jsonb_build_object(
  'issuer', p_settings.issuer, 'client_id', p_settings.client_id, 'links_by_mailbox', p_settings.links_by_mailbox,
  'roles_claim', p_settings.roles_claim, 'roles', p_settings.roles, 'acr', p_settings.acr, 'only', p_settings.is_only)
|| case when p_settings.directory_claim is null then '{}' else jsonb_build_object('directory_claim', p_settings.directory_claim) end;

-- Removes the provider: sessions that it began end, and its identities count no more. Returns whether there was one.
create function gate.remove_company_sign_in(p_account text, p_session bytea, p_event uuid) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session);
  delete from gate.company_sign_in c where c.account_id = p_account;
  if not found then
    return gate_private.is_noted(p_account, p_event);
  end if;
  update gate_private.account_directory d set has_company_sign_in = false where d.account_id = p_account;
  delete from gate_private.session s where s.account_id = p_account and s.identity_id is not null;
  perform gate_private.note_change(p_account, p_event, 'company_sign_in_removed', null, actor, null, '{}');
  return true;
end $$;

-- The one account of this service, if it has a provider: a person who signs in need not name it.
create function gate.lone_company_account() returns text
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select max(d.account_id) from gate_private.account_directory d where d.has_company_sign_in having count(*) = 1
$$;

-- Whether only the company signs in to an account.
create function gate_private.is_company_only(p_account text) returns boolean
language plpgsql as $$
begin
  perform gate.tenant(p_account);
  return exists (select from gate.company_sign_in c where c.account_id = p_account and c.is_only);
end $$;

-- Whether a session still stands for one of its people: by the mailbox that they read, or by the identity of the account's provider.
create function gate_private.stands_for(p_session gate_private.session, p_holder text) returns boolean
language sql stable as $$
  select case
    when p_session.identity_id is null then gate_private.reads_mailbox(p_session.account_id, p_holder, p_session.mailbox)
    else exists (
      select from gate.company_identity i
      join gate.company_sign_in c on c.account_id = i.account_id and c.issuer = i.issuer
      where i.account_id = p_session.account_id and i.identity_id = p_session.identity_id and i.ended_at is null
        and p_holder in (i.member_id, i.admin_id))
  end
$$;

-- Links a subject of the account's provider with a member, or with an administrator or auditor, or adds one to a link that has the
-- other. Returns linked, or why not: not_set_up, missing, subject_taken, person_taken.
create function gate.link_company_identity(
  p_account text, p_session bytea, p_identity text, p_subject text, p_member text, p_admin text, p_event uuid
) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  provider text;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session);
  if gate_private.is_noted(p_account, p_event) then
    return 'linked';
  end if;
  select c.issuer into provider from gate.company_sign_in c where c.account_id = p_account;
  if not found then
    return 'not_set_up';
  elsif p_member is null and p_admin is null
    or p_member is not null and not gate_private.is_active_member(p_account, p_member)
    or p_admin is not null and not exists (
      select from gate.admin a where a.account_id = p_account and a.admin_id = p_admin and a.removed_at is null)
  then
    return 'missing';
  end if;
  return gate_private.link_identity(p_account, provider, p_identity, p_subject, p_member, p_admin, actor, p_event);
end $$;

-- The same for everyone who may: see link_company_identity.
create function gate_private.link_identity(
  p_account text, p_issuer text, p_identity text, p_subject text, p_member text, p_admin text, p_actor text, p_event uuid
) returns text
language plpgsql as $$
declare
  linked gate.company_identity;
begin
  select * into linked from gate.company_identity i
  where i.account_id = p_account and i.issuer = p_issuer and i.subject = p_subject and i.ended_at is null;
  if linked.member_id <> p_member or linked.admin_id <> p_admin then
    return 'subject_taken';
  elsif exists (
    select from gate.company_identity i
    where i.account_id = p_account and i.issuer = p_issuer and i.ended_at is null and i.subject <> p_subject
      and (i.member_id = p_member or i.admin_id = p_admin)
  ) then
    return 'person_taken';
  end if;
  if linked.identity_id is null then
    insert into gate.company_identity (account_id, identity_id, issuer, subject, member_id, admin_id, linked_by)
    values (p_account, p_identity, p_issuer, p_subject, p_member, p_admin, p_actor)
    returning * into linked;
  else
    update gate.company_identity i set member_id = coalesce(i.member_id, p_member), admin_id = coalesce(i.admin_id, p_admin)
    where i.account_id = p_account and i.identity_id = linked.identity_id
    returning * into linked;
  end if;
  if p_member is not null then
    perform gate_private.tell_member(p_account, p_member, 'company', 'linked', false, p_actor);
  end if;
  perform gate_private.note_change(
    p_account, p_event, 'identity_linked', null, p_actor, null, gate_private.company_identity_data(linked));
  return 'linked';
end $$;

-- `agent_attested` if a decision in this session proves no more than that: the member's mailbox changed recently, or the
-- company signs somebody in as them only since recently: an administrator who set the provider may have said so. Else null.
create function gate_private.session_cap(p_account text, p_member text, p_session bytea) returns text
language sql stable as $$
  select coalesce(gate_private.strength_cap(p_account, p_member, 'console'), (
    select 'agent_attested' from gate_private.session s
    join gate.company_identity i on i.account_id = s.account_id and i.identity_id = s.identity_id
    where s.token = p_session and s.account_id = p_account and i.member_id = p_member
      and clock_timestamp() < i.linked_at
        + gate_private.settles_after_hours(p_account)::double precision * interval '1 hour'))
$$;

-- What an entry says of an identity. The subject is a digest, as names are.
create function gate_private.company_identity_data(p_identity gate.company_identity) returns jsonb
language sql stable
return jsonb_build_object(
  'identity', p_identity.identity_id, 'issuer', p_identity.issuer, 'member', p_identity.member_id, 'admin', p_identity.admin_id,
  'subject_digest', encode(sha256(convert_to(p_identity.identity_id || ' ' || p_identity.subject, 'UTF8')), 'hex'));

-- Ends a link, and the sessions that it began. Returns whether there was one.
create function gate.unlink_company_identity(p_account text, p_session bytea, p_identity text, p_event uuid) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  ended gate.company_identity;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session);
  update gate.company_identity i set ended_at = clock_timestamp()
  where i.account_id = p_account and i.identity_id = p_identity and i.ended_at is null
  returning * into ended;
  if not found then
    return gate_private.is_noted(p_account, p_event);
  end if;
  delete from gate_private.session s where s.account_id = p_account and s.identity_id = p_identity;
  if ended.member_id is not null then
    perform gate_private.tell_member(p_account, ended.member_id, 'company', null, false, actor);
  end if;
  perform gate_private.note_change(
    p_account, p_event, 'identity_unlinked', null, actor, null, jsonb_build_object('identity', p_identity));
  return true;
end $$;

-- Begins a session for a subject whose ID token was checked, instead of the browser's former one. p_token: of the session.
-- p_given: mailbox only if the provider has verified it; external_id: what the directory's claim says; role: administrator, auditor, member, or null where the token has no value
-- that means one. outcome: signed_in, or why not: changed (the settings, meanwhile), used (its state), not_linked, no_role,
-- admin_exists (their mailbox is an administrator's who is not linked), no_mailbox (a role needs one).
create function gate.begin_company_session(p_account text, p_token bytea, p_given jsonb) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  given record;
  settings gate.company_sign_in;
  identity gate.company_identity;
  holds_admin text;
  holds_member text;
  problem text;
begin
  select * into given from jsonb_to_record(p_given) as fields(
    issuer text, client_id text, subject text, mailbox text, role text, external_id text, state bytea, identity_id text, admin_id text,
    session_id text, lasts_ms bigint, former bytea, browser text, address text, is_fresh boolean, id_token text);
  perform gate_private.require_fields(p_given, to_jsonb(given));
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  select * into settings from gate.company_sign_in c
  where c.account_id = p_account and c.issuer = given.issuer and c.client_id = given.client_id;
  if not found then
    return 'changed';
  end if;
  with picked as materialized (
    select o.state from gate_private.company_state o
    where o.used_at < clock_timestamp() - interval '1 day' limit 20 for update skip locked
  )
  delete from gate_private.company_state s where s.state in (select p.state from picked p);
  insert into gate_private.company_state (state) values (given.state) on conflict do nothing;
  if not found then
    return 'used';
  elsif settings.roles_claim is not null and given.role is null then
    return 'no_role';
  end if;
  -- Before the mailbox: the directory says who they are.
  if settings.directory_claim is not null and given.external_id is not null then
    perform gate_private.link_by_directory(settings, given.subject, given.external_id, given.identity_id);
  end if;
  if settings.links_by_mailbox and given.mailbox is not null then
    perform gate_private.link_by_mailbox(settings, given.subject, given.mailbox, given.identity_id);
  end if;
  if settings.roles_claim is not null then
    problem := gate_private.follow_role(
      settings, given.subject, given.mailbox, given.role, given.identity_id, given.admin_id);
    if problem is not null then
      return problem;
    end if;
  end if;
  update gate.company_identity i set seen_at = clock_timestamp()
  where i.account_id = p_account and i.issuer = given.issuer and i.subject = given.subject and i.ended_at is null
  returning * into identity;
  select a.admin_id into holds_admin from gate.admin a
  where a.account_id = p_account and a.admin_id = identity.admin_id and a.removed_at is null
    and (settings.roles_claim is null or a.role = given.role);
  select m.member_id into holds_member from gate.member m
  where m.account_id = p_account and m.member_id = identity.member_id and m.is_active;
  if holds_admin is null and holds_member is null then
    return 'not_linked';
  end if;
  insert into gate_private.session (
    token, session_id, account_id, mailbox, admin_id, member_id, expires_at, browser, address, seen_address, identity_id,
    is_fresh, id_token)
  values (
    p_token, given.session_id, p_account, '', holds_admin, holds_member,
    clock_timestamp() + given.lasts_ms * interval '1 millisecond', given.browser, given.address, given.address,
    identity.identity_id, given.is_fresh, given.id_token);
  delete from gate_private.session s where s.token = given.former;
  return 'signed_in';
end $$;

-- Links a subject at its first sign-in with those whose mailbox the provider has verified: a member, if exactly one reads it, and an
-- administrator or auditor. Somebody who has another subject stays with that one.
create function gate_private.link_by_mailbox(
  p_settings gate.company_sign_in, p_subject text, p_mailbox text, p_identity text
) returns void
language plpgsql as $$
declare
  members text[];
  admin text;
begin
  if exists (
    select from gate.company_identity i
    where i.account_id = p_settings.account_id and i.issuer = p_settings.issuer and i.subject = p_subject and i.ended_at is null
  ) then
    return;
  end if;
  select array_agg(m.member_id) into members from gate.member m
  where m.account_id = p_settings.account_id and m.is_active and lower(m.email) = lower(p_mailbox);
  select a.admin_id into admin from gate.admin a
  where a.account_id = p_settings.account_id and a.removed_at is null and lower(a.email) = lower(p_mailbox) and not a.is_managed;
  if cardinality(members) = 1 then
    perform gate_private.link_identity(
      p_settings.account_id, p_settings.issuer, p_identity, p_subject, members[1], null, 'company', gen_random_uuid());
  end if;
  -- Not beside somebody else's member.
  if admin is not null and coalesce(cardinality(members), 0) <= 1 and not exists (
    select from gate.company_identity i
    where i.account_id = p_settings.account_id and i.issuer = p_settings.issuer and i.ended_at is null
      and i.member_id = any (members) and i.subject <> p_subject
  ) then
    perform gate_private.link_identity(
      p_settings.account_id, p_settings.issuer, p_identity, p_subject, null, admin, 'company', gen_random_uuid());
  end if;
end $$;

-- Links a subject at its first sign-in with the active member whom the directory knows by that external id. A member who has another
-- subject stays with that one.
create function gate_private.link_by_directory(
  p_settings gate.company_sign_in, p_subject text, p_external text, p_identity text
) returns void
language plpgsql as $$
declare
  found_member text;
begin
  select d.member_id into found_member from gate.directory_user d
  where d.account_id = p_settings.account_id and d.external_id = p_external and d.left_at is null
    and gate_private.is_active_member(d.account_id, d.member_id);
  if found_member is not null and not exists (
    select from gate.company_identity i
    where i.account_id = p_settings.account_id and i.issuer = p_settings.issuer and i.subject = p_subject and i.ended_at is null)
  then
    perform gate_private.link_identity(
      p_settings.account_id, p_settings.issuer, p_identity, p_subject, found_member, null, 'company', gen_random_uuid());
  end if;
end $$;

-- Gives a subject the role that its token says: makes them an administrator or auditor, or takes that away where the provider had
-- given it. A row that an administrator made stays, without rights in this session. Returns null, or why not.
create function gate_private.follow_role(
  p_settings gate.company_sign_in, p_subject text, p_mailbox text, p_role text, p_identity text, p_admin text
) returns text
language plpgsql as $$
declare
  identity gate.company_identity;
  former gate.admin;
  made gate.admin;
  address text;
begin
  select * into identity from gate.company_identity i
  where i.account_id = p_settings.account_id and i.issuer = p_settings.issuer and i.subject = p_subject and i.ended_at is null;
  select * into former from gate.admin a
  where a.account_id = p_settings.account_id and a.admin_id = identity.admin_id and a.removed_at is null;
  if former.role = p_role or former.admin_id is null and p_role = 'member' then
    return null;
  end if;
  if former.is_managed then
    update gate.admin a set removed_at = clock_timestamp()
    where a.account_id = former.account_id and a.admin_id = former.admin_id
    returning * into former;
    perform gate_private.note_change(
      former.account_id, gen_random_uuid(), 'admin_changed', null, 'company', null, jsonb_build_object(
        'admin', former.admin_id, 'change', 'removed', 'mailbox_digest', gate_private.mailbox_digest(former))
      || gate_private.role_data(former));
  end if;
  -- Who was deactivated as a member comes back by nothing that the provider says.
  if p_role = 'member' or former.admin_id is not null and not former.is_managed
    or identity.member_id is not null and not gate_private.is_active_member(p_settings.account_id, identity.member_id)
  then
    return null;
  end if;
  select m.email into address from gate.member m
  where m.account_id = identity.account_id and m.member_id = identity.member_id and m.is_active;
  address := coalesce(address, p_mailbox);
  if address is null then
    return 'no_mailbox';
  elsif exists (
    select from gate.admin a
    where a.account_id = p_settings.account_id and lower(a.email) = lower(address) and a.removed_at is null
  ) then
    return 'admin_exists';
  end if;
  insert into gate.admin (account_id, admin_id, email, role, is_managed)
  values (p_settings.account_id, p_admin, address, p_role, true)
  returning * into made;
  perform gate_private.note_change(
    made.account_id, gen_random_uuid(), 'admin_changed', null, 'company', null, jsonb_build_object(
      'admin', made.admin_id, 'change', 'invited', 'mailbox_digest', gate_private.mailbox_digest(made))
    || gate_private.role_data(made));
  update gate.company_identity i set admin_id = null
  where i.account_id = identity.account_id and i.identity_id = identity.identity_id;
  perform gate_private.link_identity(
    made.account_id, p_settings.issuer, p_identity, p_subject, null, made.admin_id, 'company', gen_random_uuid());
  return null;
end $$;

-- Records that a sign-in with the company was refused: at most once a minute for each reason, because p_event says the minute.
create function gate.note_company_refusal(p_account text, p_reason text, p_event uuid) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  perform gate_private.note(
    p_account, p_event, 'company_sign_in_refused', null, 'unknown', null, jsonb_build_object('reason', p_reason));
end $$;

-- The sealed ID token of a session that the provider began, of that account.
create function gate.company_id_token(p_account text, p_session bytea) returns text
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select s.id_token from gate_private.session s
  where s.token = p_session and s.account_id = p_account and s.identity_id is not null
$$;

-- Stores the data key of the provider's secret, wrapped again. Returns whether it was still the one that was read.
create function gate.rewrap_company_secret(p_account text, p_old_kid text, p_kid text, p_wrapped_key bytea) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  update gate.company_sign_in c set wrapped_key = p_wrapped_key, kid = p_kid
  where c.account_id = p_account and c.kid = p_old_kid;
  return found;
end $$;
