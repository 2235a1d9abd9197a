-- Integrations: confirming a connection, putting it into use, and removing it.

-- What a provider is used for. Connecting one replaces the connection that has the same use.
create function gate_private.use_of(p_provider text) returns text
language sql immutable as $$
  select case when p_provider in ('resend', 'smtp') then 'email' else p_provider end
$$;

-- Whether some account has connected the bot of an app of Microsoft Teams.
create function gate.knows_teams_bot(p_app_id text) returns boolean
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select exists (select from gate_private.teams_bot b where b.app_id = p_app_id)
$$;

-- The bots in Teams that accounts have connected, up to p_limit: how many active members each can ask, and how its requests ended
-- since p_since_ms. p_account: null: all. code, failed_at: of the last that was not sent, or of which that is unknown.
create function gate.list_teams_bots(p_account text, p_limit integer, p_since_ms bigint)
returns table (
  account_id text, app_id text, members bigint, sent bigint, failed bigint, code text, failed_at timestamptz
)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  bot gate_private.teams_bot;
begin
  for bot in
    select b.* from gate_private.teams_bot b
    where p_account is null or b.account_id = p_account
    order by b.account_id
    limit p_limit
  loop
    perform gate.tenant(bot.account_id);
    return query
      select bot.account_id, bot.app_id,
        (select count(*) from gate.member m where m.account_id = bot.account_id and m.is_active and m.teams is not null),
        count(*) filter (where q.state = 'sent'), count(*) filter (where q.state in ('failed', 'unknown')),
        (array_agg(q.code order by q.created_at desc) filter (where q.state in ('failed', 'unknown')))[1],
        max(q.created_at) filter (where q.state in ('failed', 'unknown'))
      from gate.consent_request q
      where q.account_id = bot.account_id and q.via = 'teams'
        and q.created_at > clock_timestamp() - p_since_ms * interval '1 millisecond';
  end loop;
end $$;

-- Confirms a connection with the consent of the signed-in person, stores the credential that they were shown and uses up
-- the link: all of it or nothing. Consent and entry name the person of the session and no one else.
-- p_draft: the credential that was shown. p_replaces: the connection that was shown as the one in use, or empty.
-- outcome: as of claim_decision; `missing` also if the link belongs to another action; no_session (it ended, or is neither
-- the member's nor an administrator's); no_draft and replaced (what was shown is no longer current).
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
  where i.account_id = p_account and gate_private.use_of(i.provider) = gate_private.use_of(link.provider) and i.state = 'connected';
  if coalesce(in_use, '') <> p_replaces then
    outcome := 'replaced';
    return;
  end if;
  claimed := gate.claim_decision(
    p_account => p_account, p_id => p_id, p_decision => 'confirm',
    p_claim => jsonb_build_object(
      'command', p_command, 'event', p_event, 'expire_event', p_expire_event, 'due_ms', p_due_ms,
      'member_version', p_member_version, 'curricula_version', p_curricula_version, 'policy_version', p_policy_version,
      'counted', null, 'tier', p_tier, 'strength', 'page', 'channel', 'console', 'card', null, 'reason', null,
      'api_key', null, 'session', p_session, 'token', null, 'key', null, 'request', null));
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

-- Connects a provider for the administrator who began that in the console: stores the credential that they were shown, puts
-- it into use, and uses up the link: all of it or nothing. The entry names the administrator of the session and no one else.
-- p_draft and p_replaces: as of claim_connection.
-- Returns connected (also on a repeat of the event), missing (the link can no longer be used), suspended, no_session,
-- no_draft or replaced.
create function gate.connect_in_console(
  p_token bytea, p_session bytea, p_idle_ms bigint, p_account text, p_draft text, p_replaces text, p_event uuid
) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  link gate_private.connect_link;
  draft gate_private.connect_draft;
  who text;
  in_use text;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  if gate_private.is_noted(p_account, p_event) then
    return 'connected';
  end if;
  select * into link from gate_private.connect_link l
  where l.token = p_token and l.account_id = p_account and l.admin_id is not null
    and l.used_at is null and l.expires_at > clock_timestamp()
  for update;
  if not found then
    return 'missing';
  end if;
  who := gate_private.connects_link_as(p_session, link, p_idle_ms);
  if who is null then
    return 'no_session';
  end if;
  -- The account before the connection, in the order of activate_integration.
  perform 1 from gate.account c where c.account_id = p_account and c.suspended_at is null for no key update;
  if not found then
    return 'suspended';
  end if;
  select * into draft from gate_private.connect_draft d where d.token = p_token and d.integration_id = p_draft;
  if not found then
    return 'no_draft';
  end if;
  select i.integration_id into in_use from gate.integration i
  where i.account_id = p_account and gate_private.use_of(i.provider) = gate_private.use_of(link.provider) and i.state = 'connected';
  if coalesce(in_use, '') <> p_replaces then
    return 'replaced';
  end if;
  insert into gate.integration (account_id, integration_id, provider, admin_id, settings, fingerprint)
  values (p_account, p_draft, link.provider, link.admin_id, draft.settings, draft.fingerprint);
  insert into gate.integration_secret (account_id, integration_id, field, ciphertext, wrapped_key, kid)
  values (p_account, p_draft, draft.field, draft.ciphertext, draft.wrapped_key, draft.kid);
  perform gate_private.put_into_use(p_account, p_draft);
  delete from gate_private.connect_draft d where d.token = p_token;
  update gate_private.connect_link l set used_at = clock_timestamp(), state = null, state_session = null
  where l.token = p_token;
  perform gate_private.note(
    p_account, p_event, 'integration_connected', null, who, null,
    jsonb_build_object('integration', p_draft, 'provider', link.provider, 'replaces', in_use));
  return 'connected';
end $$;

-- The part of a confirmed connection's entry beside the consent: the connection that it makes, and the one it replaces.
create function gate_private.connection_data(p_account text, p_id bigint) returns jsonb
language sql stable as $$
  select jsonb_build_object('integration', d.integration_id, 'replaces', i.integration_id)
  from gate_private.connect_link l
  join gate_private.connect_draft d on d.token = l.token
  left join gate.integration i on i.account_id = l.account_id and gate_private.use_of(i.provider) = gate_private.use_of(l.provider)
    and i.state = 'connected'
  where l.account_id = p_account and l.action_id = p_id
$$;

-- Puts a confirmed connection into use instead of the current one. A repeat returns the connection as it is.
create function gate.activate_integration(p_account text, p_action bigint) returns gate.integration
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  ours gate.integration;
begin
  perform gate.tenant(p_account);
  -- Two connections of one provider are activated one after the other.
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
  return gate_private.put_into_use(p_account, ours.integration_id);
end $$;

-- Puts a stored connection into use instead of the current one, whose secrets it deletes, and notes the change unless both
-- have the same credential. The account must be locked.
create function gate_private.put_into_use(p_account text, p_integration text) returns gate.integration
language plpgsql as $$
declare
  ours gate.integration;
  former text;
begin
  select * into ours from gate.integration i where i.account_id = p_account and i.integration_id = p_integration;
  perform gate_private.forget_secrets(p_account, i.integration_id)
  from gate.integration i
  where i.account_id = p_account and gate_private.use_of(i.provider) = gate_private.use_of(ours.provider) and i.state = 'connected';
  update gate.integration i set state = 'disconnected', disconnected_at = clock_timestamp()
  where i.account_id = p_account and gate_private.use_of(i.provider) = gate_private.use_of(ours.provider) and i.state = 'connected'
  returning i.fingerprint into former;
  update gate.integration i set state = 'connected', connected_at = clock_timestamp()
  where i.account_id = p_account and i.integration_id = p_integration
  returning * into ours;
  update gate.account c set integrations_version = c.integrations_version + 1 where c.account_id = p_account;
  if ours.fingerprint is distinct from former then
    perform gate_private.note_provider_change(p_account, ours.provider, 'connected');
  end if;
  return ours;
end $$;

-- Removes a connection from use and deletes its secrets. Returns whether it was in use; a repeat of the event returns true.
create function gate.disconnect_integration(
  p_account text, p_session bytea, p_integration text, p_event uuid
) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  gone text;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session, 'integrations.write');
  -- The account before the connection, in the order of activate_integration.
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

-- Notes that another Stripe account is used from now on. Decisions depend on this as they depend on curricula: one that was
-- checked before the change is checked again.
create function gate_private.note_provider_change(p_account text, p_provider text, p_change text) returns void
language sql volatile as $$
  update gate.account c set
    stripe_changed_at = clock_timestamp(), stripe_change = p_change, curricula_version = c.curricula_version + 1
  where c.account_id = p_account and p_provider = 'stripe'
$$;

-- Deletes the secrets of a connection.
create function gate_private.forget_secrets(p_account text, p_integration text) returns void
language sql volatile as $$
  delete from gate.integration_secret s where s.account_id = p_account and s.integration_id = p_integration
$$;

-- Stores data keys that were wrapped again. p_secrets: JSON list of { integration_id, field, old_kid, wrapped_key }.
-- Returns how many: one that someone else wrapped again meanwhile stays as it is.
create function gate.rewrap_secrets(p_account text, p_kid text, p_secrets text) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  rewrapped bigint;
begin
  perform gate.tenant(p_account);
  update gate.integration_secret s set wrapped_key = decode(r.wrapped_key, 'base64'), kid = p_kid
  from json_to_recordset(p_secrets::json) as r(integration_id text, field text, old_kid text, wrapped_key text)
  where s.account_id = p_account and s.integration_id = r.integration_id and s.field = r.field and s.kid = r.old_kid;
  get diagnostics rewrapped = row_count;
  return rewrapped;
end $$;
