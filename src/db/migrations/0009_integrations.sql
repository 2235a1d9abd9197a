-- Providers that an account connected with credentials of its own, and the links by which people connect them.

-- Moves whenever a credential that is used comes or goes. 0: there never was one.
alter table gate.account add column integrations_version bigint not null default 0;

-- One row per connection that was confirmed. pending: not in use yet. connected: used instead of the environment's, one a
-- provider. disconnected: replaced or taken away, its secrets deleted. `settings` is what may be shown.
create table gate.integration (
  account_id text not null,
  integration_id text not null,
  provider text not null,
  state text not null default 'pending',
  action_id bigint not null,
  member_id text not null,
  settings json not null,
  fingerprint text not null,
  created_at timestamptz not null default clock_timestamp(),
  connected_at timestamptz,
  disconnected_at timestamptz,
  constraint integration_pkey primary key (account_id, integration_id),
  constraint integration_action_key unique (account_id, action_id),
  constraint integration_action_fkey foreign key (account_id, action_id) references gate.action,
  constraint integration_member_fkey foreign key (account_id, member_id) references gate.member,
  constraint integration_id_form check (integration_id ~ '^int_[0-9A-Za-z]{16}$'),
  constraint integration_provider_known check (provider in ('slack', 'resend', 'stripe')),
  constraint integration_state_known check (state in ('pending', 'connected', 'disconnected'))
);
create unique index integration_connected_key on gate.integration (account_id, provider) where state = 'connected';

-- One sealed field of a credential: encrypted under a data key of its own, which is wrapped under the key `kid`.
create table gate.integration_secret (
  account_id text not null,
  integration_id text not null,
  field text not null,
  ciphertext bytea not null,
  wrapped_key bytea not null,
  kid text not null,
  created_at timestamptz not null default clock_timestamp(),
  constraint integration_secret_pkey primary key (account_id, integration_id, field),
  constraint integration_secret_integration_fkey foreign key (account_id, integration_id) references gate.integration
);

-- A link that a person connects a provider by, found by the hash of its token; `state` is the hash of what Slack's page
-- brings back. Good until it expires, is used, or its action is decided.
create table gate_private.connect_link (
  token bytea not null,
  account_id text not null,
  action_id bigint not null,
  provider text not null,
  expires_at timestamptz not null,
  tries integer not null default 0,
  state bytea,
  used_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  constraint connect_link_pkey primary key (token),
  constraint connect_link_state_key unique (state)
);
create index connect_link_expiring on gate_private.connect_link (expires_at);

alter table gate.integration enable row level security, force row level security;
alter table gate.integration_secret enable row level security, force row level security;
create policy tenant on gate.integration using (account_id = gate.current_account());
create policy tenant on gate.integration_secret using (account_id = gate.current_account());

create function gate.make_connect_link(
  p_token bytea, p_account text, p_action bigint, p_provider text, p_expires timestamptz
) returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  insert into gate_private.connect_link (token, account_id, action_id, provider, expires_at)
  values (p_token, p_account, p_action, p_provider, p_expires)
$$;

-- A link and the state of what it is about; no row where nobody made it. Changes nothing.
create function gate.find_connect_link(p_token bytea)
returns table (
  account_id text, action_id bigint, uuid uuid, provider text, expires_at timestamptz, is_over boolean, tries integer,
  account_name text, is_suspended boolean, member_id text, member text, member_name text, is_active boolean,
  status text, decision text, closed_reason text, denial_reason text
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
      a.member_id, a.member, m.name, m.is_active, a.status, a.decision, a.closed_reason, a.denial_reason
    from gate.action a
    join gate.account c on c.account_id = a.account_id
    join gate.member m on m.account_id = a.account_id and m.member_id = a.member_id
    where a.account_id = link.account_id and a.id = link.action_id;
end $$;

-- Counts a try on a link, and keeps the state of an install that begins. Returns whether the link had one left.
create function gate.try_connect_link(p_token bytea, p_tries_max integer, p_state bytea) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  update gate_private.connect_link l set tries = l.tries + 1, state = p_state
  where l.token = p_token and l.used_at is null and l.expires_at > clock_timestamp() and l.tries < p_tries_max;
  return found;
end $$;

-- Takes the state that an install began with, once. Returns the hash of the link's token, or null.
create function gate.take_connect_state(p_state bytea) returns bytea
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  update gate_private.connect_link l set state = null where l.state = p_state returning l.token
$$;

-- Claims the confirm of a connection, stores its sealed credential and spends the link: all of it or nothing.
-- p_secrets: JSON list of { field, ciphertext, wrapped_key, kid }, bytes in base64.
-- outcome: as of claim_decision; `missing` also where the link is not this row's.
create function gate.claim_connection(
  p_token bytea, p_account text, p_id bigint, p_command uuid, p_event uuid, p_entry_tail text,
  p_expire_event uuid, p_expire_tail text, p_due_ms integer,
  p_member_version bigint, p_curricula_version bigint, p_policy_version bigint,
  p_consent_strength text, p_consent_by text, p_consent_channel text,
  p_integration text, p_settings text, p_fingerprint text, p_secrets text,
  out outcome text, out action gate.action
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  link gate_private.connect_link;
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
  claimed := gate.claim_decision(
    p_account => p_account, p_id => p_id, p_decision => 'confirm', p_command => p_command, p_event => p_event,
    p_entry_tail => p_entry_tail, p_expire_event => p_expire_event, p_expire_tail => p_expire_tail, p_due_ms => p_due_ms,
    p_member_version => p_member_version, p_curricula_version => p_curricula_version,
    p_policy_version => p_policy_version, p_confirmed_since => null, p_confirmed => null,
    p_consent_strength => p_consent_strength, p_consent_by => p_consent_by, p_consent_channel => p_consent_channel,
    p_key => null, p_request => null);
  outcome := claimed.outcome;
  action := claimed.action;
  if outcome <> 'claimed' then
    return;
  end if;
  insert into gate.integration (account_id, integration_id, provider, action_id, member_id, settings, fingerprint)
  values (p_account, p_integration, link.provider, p_id, action.member_id, p_settings::json, p_fingerprint)
  on conflict on constraint integration_action_key do nothing;
  if found then
    insert into gate.integration_secret (account_id, integration_id, field, ciphertext, wrapped_key, kid)
    select p_account, p_integration, s.field, decode(s.ciphertext, 'base64'), decode(s.wrapped_key, 'base64'), s.kid
    from json_to_recordset(p_secrets::json) as s(field text, ciphertext text, wrapped_key text, kid text);
  end if;
  update gate_private.connect_link l set used_at = clock_timestamp(), state = null where l.token = p_token;
end $$;

create function gate_private.forget_secrets(p_account text, p_integration text) returns void
language sql volatile as $$
  delete from gate.integration_secret s where s.account_id = p_account and s.integration_id = p_integration
$$;

-- Puts a confirmed connection into use, in place of the one that was. A repeat finds it in use.
create function gate.activate_integration(p_account text, p_action bigint) returns gate.integration
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  ours gate.integration;
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
  where i.account_id = p_account and i.provider = ours.provider and i.state = 'connected';
  update gate.integration i set state = 'connected', connected_at = clock_timestamp()
  where i.account_id = p_account and i.integration_id = ours.integration_id
  returning * into ours;
  update gate.account c set integrations_version = c.integrations_version + 1 where c.account_id = p_account;
  return ours;
end $$;

-- Takes a connection out of use and deletes its secrets. Returns whether it was in use; a repeat of the event says yes.
create function gate.disconnect_integration(p_account text, p_integration text, p_event uuid, p_tail text) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  -- Before the connection, as activate_integration takes them.
  perform 1 from gate.account c where c.account_id = p_account for no key update;
  update gate.integration i set state = 'disconnected', disconnected_at = clock_timestamp()
  where i.account_id = p_account and i.integration_id = p_integration and i.state = 'connected';
  if not found then
    return exists (select 1 from gate.ledger l where l.account_id = p_account and l.event_id = p_event);
  end if;
  perform gate_private.forget_secrets(p_account, p_integration);
  update gate.account c set integrations_version = c.integrations_version + 1 where c.account_id = p_account;
  perform gate_private.append(p_account, p_event, 'integration_disconnected', null, p_tail);
  return true;
end $$;

-- Stores data keys that were wrapped anew. p_secrets: JSON list of { integration_id, field, old_kid, wrapped_key }.
-- Returns how many: one that was wrapped anew meanwhile stays as it is.
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

-- Forgets links that are over for an hour, and what was stored by one whose action came to nothing. Returns how many.
create function gate.forget_connect_links(p_limit integer) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  link gate_private.connect_link;
  left_over text;
  forgotten bigint := 0;
begin
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

drop function gate.begin_execution;
-- Reads the decision that stands and, where it is a confirm, marks the execution as begun, once.
-- p_late_ok false: a confirm past its expiry is not begun, so that tier and policy can be read again first.
-- outcome: missing, waiting, closed, late, begun. What the account has connected is told with begun.
create function gate.begin_execution(
  p_account text, p_id bigint, p_late_ok boolean,
  out outcome text, out action gate.action, out proposer_name text, out integrations_version bigint
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account), gate_private.commit_behind();
  select * into action from gate.action a where a.account_id = p_account and a.id = p_id for update;
  outcome := case
    when action.id is null then 'missing'
    when action.status <> 'proposed' then 'closed'
    when action.decision is null then 'waiting'
    when action.begun_at is null and action.expires_at <= clock_timestamp() and not p_late_ok then 'late'
    else 'begun'
  end;
  if outcome = 'begun' then
    if action.begun_at is null then
      update gate.action a set begun_at = clock_timestamp()
      where a.account_id = p_account and a.id = p_id
      returning * into action;
    end if;
    select m.name, c.integrations_version into proposer_name, integrations_version
    from gate.member m
    join gate.account c on c.account_id = m.account_id
    where m.account_id = p_account and m.member_id = action.member_id;
  end if;
  if outcome = 'closed' then
    delete from gate_private.open_action o where o.uuid = action.uuid;
  end if;
end $$;

-- As before, but for the message: it is frozen by the claim that a send follows, and stays while its fate is unknown. A
-- later send of the same slice may go through another credential, and says so.
create or replace function gate.step_delivery(
  p_account text, p_id bigint, p_channel text,
  p_record integer, p_attempt integer, p_states text[], p_provider_ids text[], p_codes text[],
  p_slice integer, p_slice_max integer, p_message text,
  out outcome text, out delivery gate.delivery, out was_sending boolean
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  if p_record is not null then
    update gate.delivery d set states = p_states, provider_ids = p_provider_ids, codes = p_codes
    where d.account_id = p_account and d.action_id = p_id and d.channel = p_channel and d.slice = p_record
      and d.attempt = p_attempt;
  end if;
  outcome := 'done';
  if p_slice is null then
    perform gate_private.commit_behind();
    return;
  end if;
  for tries in 1..2 loop
    select * into delivery from gate.delivery d
    where d.account_id = p_account and d.action_id = p_id and d.channel = p_channel and d.slice = p_slice
    for update;
    exit when found;
    perform gate_private.lay_out(p_account, p_id, p_channel, p_slice_max);
  end loop;
  if not found then
    return;
  end if;
  was_sending := 'sending' = any (delivery.states);
  if not was_sending and not 'pending' = any (delivery.states) then
    return;
  end if;
  outcome := 'send';
  if not was_sending and exists (
    select 1 from gate.account a where a.account_id = p_account and a.suspended_at is not null
  ) then
    outcome := 'suspended';
    update gate.delivery d
    set states = array_replace(d.states, 'pending', 'failed'),
      codes = array(select case s when 'pending' then 'account_suspended' else c end from unnest(d.states, d.codes) u(s, c))
    where d.account_id = p_account and d.action_id = p_id and d.channel = p_channel and d.slice = p_slice;
    return;
  end if;
  update gate.delivery d set
    attempt = d.attempt + 1,
    round = d.round + case when was_sending then 0 else 1 end,
    message = case when was_sending then d.message else p_message::json end,
    attempted_at = case when was_sending then d.attempted_at else clock_timestamp() end,
    states = case when was_sending then d.states else array(
      select case
        when u.state <> 'pending' then u.state
        when m.is_active then 'sending'
        else 'unreachable'
      end
      from unnest(d.members, d.states) with ordinality u(member, state, n)
      left join gate.member m on m.account_id = p_account and m.member_id = u.member
      order by u.n
    ) end
  where d.account_id = p_account and d.action_id = p_id and d.channel = p_channel and d.slice = p_slice
  returning * into delivery;
end $$;
