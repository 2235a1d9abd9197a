-- Connecting a provider is the act of a person who is signed in: the link alone does nothing. What was pasted is kept, sealed,
-- until that person has seen from which account to which the change is.

-- When the account that money moves through was last changed, and how. Null: never since this column is there.
alter table gate.account
  add column stripe_changed_at timestamptz,
  add column stripe_change text,
  add constraint account_stripe_change_known check (stripe_change in ('connected', 'disconnected'));

-- Hash of the session that began the install whose `state` this is: what comes back from Slack brings no session.
alter table gate_private.connect_link add column state_session bytea;

-- A credential that its provider has accepted, and that nobody has put into use yet: sealed, one a link. It becomes the
-- connection `integration_id` when the person who is signed in confirms it, and is deleted with the link otherwise.
create table gate_private.connect_draft (
  token bytea not null,
  integration_id text not null,
  settings json not null,
  fingerprint text not null,
  field text not null,
  ciphertext bytea not null,
  wrapped_key bytea not null,
  kid text not null,
  created_at timestamptz not null default clock_timestamp(),
  constraint connect_draft_pkey primary key (token),
  constraint connect_draft_link_fkey foreign key (token) references gate_private.connect_link on delete cascade,
  constraint connect_draft_id_form check (integration_id ~ '^int_[0-9A-Za-z]{16}$')
);

-- As whom a session may connect for a member, as of now: the member's id, or `admin:` and the id of an administrator of the
-- account; null where it may not, and where the member's mailbox was changed and has not settled. The session stays until the statement ends.
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
  if used.member_id = p_member and exists (
    select 1 from gate.member m
    where m.account_id = p_account and m.member_id = p_member and m.is_active
      and gate_private.mailbox_hash(m.email) = used.mailbox
  ) and gate_private.strength_cap(p_account, p_member, 'console') is null then
    return p_member;
  end if;
  return (
    select 'admin:' || a.admin_id from gate.admin a
    where a.account_id = p_account and a.admin_id = used.admin_id and a.removed_at is null
  );
end $$;

drop function gate.find_connect_link;
-- A link, the state of what it is about, what is in use now and what is to take its place; no row where nobody made it.
-- Changes nothing.
create function gate.find_connect_link(p_token bytea)
returns table (
  account_id text, action_id bigint, uuid uuid, provider text, expires_at timestamptz, is_over boolean, tries integer,
  account_name text, is_suspended boolean, member_id text, member text, member_name text, is_active boolean,
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
    select link.account_id, link.action_id, a.uuid, link.provider, link.expires_at,
      link.expires_at <= clock_timestamp(), link.tries, c.name, c.suspended_at is not null,
      a.member_id, a.member, m.name, m.is_active, a.status, a.decision, a.closed_reason, a.denial_reason,
      (
        select json_build_object('id', i.integration_id, 'settings', i.settings, 'fingerprint', i.fingerprint)
        from gate.integration i
        where i.account_id = link.account_id and i.provider = link.provider and i.state = 'connected'
      ),
      (
        select json_build_object(
          'id', d.integration_id, 'settings', d.settings, 'fingerprint', d.fingerprint, 'kid', d.kid)
        from gate_private.connect_draft d
        where d.token = link.token
      )
    from gate.action a
    join gate.account c on c.account_id = a.account_id
    join gate.member m on m.account_id = a.account_id and m.member_id = a.member_id
    where a.account_id = link.account_id and a.id = link.action_id;
end $$;

drop function gate.try_connect_link;
-- Counts a try on a link, and keeps the state of an install that begins and the session that began it. Returns whether the
-- link had one left.
create function gate.try_connect_link(p_token bytea, p_tries_max integer, p_state bytea, p_session bytea) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  update gate_private.connect_link l set
    tries = l.tries + 1, state = p_state, state_session = case when p_state is not null then p_session end
  where l.token = p_token and l.used_at is null and l.expires_at > clock_timestamp() and l.tries < p_tries_max;
  return found;
end $$;

drop function gate.take_connect_state;
-- Takes the state that an install began with, once. No row where it is not known.
create function gate.take_connect_state(p_state bytea)
returns table (token bytea, session bytea)
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  update gate_private.connect_link l set state = null where l.state = p_state returning l.token, l.state_session
$$;

-- Keeps a credential that its provider has accepted, in place of the one that the link had. Puts nothing into use.
-- Returns kept, no_session, or missing where the link cannot be used any more.
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
  if gate_private.connects_as(p_session, link.account_id, (
    select a.member_id from gate.action a where a.account_id = link.account_id and a.id = link.action_id
  ), p_idle_ms) is null then
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

drop function gate.claim_connection;
-- Claims the confirm of a connection with the consent of the person whose session it is, stores the credential that they
-- were shown and spends the link: all of it or nothing. Consent and entry say what the session says, and nothing else.
-- p_draft: the credential that was shown; p_replaces: the connection that was shown as the one in use, or empty.
-- outcome: as of claim_decision; `missing` also where the link is not this row's; no_session where the session is over or is
-- not that of the member or of an administrator; no_draft and replaced where what was shown is not what there is.
create function gate.claim_connection(
  p_token bytea, p_session bytea, p_idle_ms bigint, p_account text, p_id bigint, p_command uuid, p_event uuid,
  p_expire_event uuid, p_due_ms integer,
  p_member_version bigint, p_curricula_version bigint, p_policy_version bigint, p_tier text,
  p_draft text, p_replaces text,
  out outcome text, out action gate.action
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  link gate_private.connect_link;
  draft gate_private.connect_draft;
  asking gate.action;
  who text;
  in_use text;
  claimed record;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  select * into link from gate_private.connect_link l
  where l.token = p_token and l.account_id = p_account and l.action_id = p_id
  for update;
  if not found then
    outcome := 'missing';
    return;
  end if;
  select * into asking from gate.action a where a.account_id = p_account and a.id = p_id;
  who := gate_private.connects_as(p_session, p_account, asking.member_id, p_idle_ms);
  if who is null then
    outcome := 'no_session';
    return;
  end if;
  select * into draft from gate_private.connect_draft d where d.token = p_token and d.integration_id = p_draft;
  if not found then
    outcome := 'no_draft';
    return;
  end if;
  select i.integration_id into in_use from gate.integration i
  where i.account_id = p_account and i.provider = link.provider and i.state = 'connected';
  if coalesce(in_use, '') <> p_replaces then
    outcome := 'replaced';
    return;
  end if;
  claimed := gate.claim_decision(
    p_account => p_account, p_id => p_id, p_decision => 'confirm', p_command => p_command, p_event => p_event,
    p_expire_event => p_expire_event, p_due_ms => p_due_ms, p_member_version => p_member_version,
    p_curricula_version => p_curricula_version, p_policy_version => p_policy_version, p_counted => null, p_tier => p_tier,
    p_strength => 'page', p_channel => 'console', p_reason => null, p_api_key => null, p_session => p_session,
    p_token => null, p_card => null, p_key => null, p_request => null);
  outcome := claimed.outcome;
  action := claimed.action;
  if outcome <> 'claimed' then
    return;
  end if;
  insert into gate.integration (account_id, integration_id, provider, action_id, member_id, settings, fingerprint)
  values (p_account, p_draft, link.provider, p_id, action.member_id, draft.settings, draft.fingerprint)
  on conflict on constraint integration_action_key do nothing;
  if found then
    insert into gate.integration_secret (account_id, integration_id, field, ciphertext, wrapped_key, kid)
    values (p_account, p_draft, draft.field, draft.ciphertext, draft.wrapped_key, draft.kid);
  end if;
  delete from gate_private.connect_draft d where d.token = p_token;
  update gate_private.connect_link l set used_at = clock_timestamp(), state = null, state_session = null
  where l.token = p_token;
end $$;

-- What the entry of a confirmed connection tells beside the consent: the connection that it makes, and the one it replaces.
create function gate_private.connection_data(p_account text, p_id bigint) returns jsonb
language sql stable as $$
  select jsonb_build_object('integration', d.integration_id, 'replaces', i.integration_id)
  from gate_private.connect_link l
  join gate_private.connect_draft d on d.token = l.token
  left join gate.integration i on i.account_id = l.account_id and i.provider = l.provider and i.state = 'connected'
  where l.account_id = p_account and l.action_id = p_id
$$;

-- Notes that the account that money moves through is another from now on. Decisions rest on that as they rest on curricula:
-- one that was made on what was before is made again.
create function gate_private.note_provider_change(p_account text, p_provider text, p_change text) returns void
language sql volatile as $$
  update gate.account c set
    stripe_changed_at = clock_timestamp(), stripe_change = p_change, curricula_version = c.curricula_version + 1
  where c.account_id = p_account and p_provider = 'stripe'
$$;

-- As before, and notes the change, unless the credential is the one that was in use.
create or replace function gate.activate_integration(p_account text, p_action bigint) returns gate.integration
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  ours gate.integration;
  former text;
begin
  perform gate.tenant(p_account);
  -- Two of one provider go one after the other.
  perform 1 from gate.account c where c.account_id = p_account for no key update;
  select * into ours from gate.integration i
  where i.account_id = p_account and i.action_id = p_action
  for update;
  if not found or ours.state <> 'pending' then
    return ours;
  end if;
  perform 1 from gate.action a
  where a.account_id = p_account and a.id = p_action and a.decision = 'confirm' and a.status = 'proposed';
  if not found then
    raise exception 'action % is not being executed', p_action using errcode = 'check_violation';
  end if;
  perform gate_private.forget_secrets(p_account, i.integration_id)
  from gate.integration i
  where i.account_id = p_account and i.provider = ours.provider and i.state = 'connected';
  update gate.integration i set state = 'disconnected', disconnected_at = clock_timestamp()
  where i.account_id = p_account and i.provider = ours.provider and i.state = 'connected'
  returning i.fingerprint into former;
  update gate.integration i set state = 'connected', connected_at = clock_timestamp()
  where i.account_id = p_account and i.integration_id = ours.integration_id
  returning * into ours;
  update gate.account c set integrations_version = c.integrations_version + 1 where c.account_id = p_account;
  if ours.fingerprint is distinct from former then
    perform gate_private.note_provider_change(p_account, ours.provider, 'connected');
  end if;
  return ours;
end $$;

-- As before, and notes the change.
create or replace function gate.disconnect_integration(
  p_account text, p_session bytea, p_integration text, p_event uuid
) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  gone text;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session);
  -- Before the connection, as activate_integration takes them.
  perform 1 from gate.account c where c.account_id = p_account for no key update;
  update gate.integration i set state = 'disconnected', disconnected_at = clock_timestamp()
  where i.account_id = p_account and i.integration_id = p_integration and i.state = 'connected'
  returning i.provider into gone;
  if not found then
    return gate_private.is_noted(p_account, p_event);
  end if;
  perform gate_private.forget_secrets(p_account, p_integration);
  update gate.account c set integrations_version = c.integrations_version + 1 where c.account_id = p_account;
  perform gate_private.note_provider_change(p_account, gone, 'disconnected');
  perform gate_private.note(
    p_account, p_event, 'integration_disconnected', null, actor, null,
    jsonb_build_object('integration', p_integration, 'provider', gone));
  return true;
end $$;

-- As before, and forgets what nobody put into use as soon as its link has ended.
create or replace function gate.forget_connect_links(p_limit integer) returns bigint
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
    -- Confirmed, and still to be executed.
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
