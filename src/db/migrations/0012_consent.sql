-- Consent that the member gives: what is asked of them, by which way, and how strong the answer was.

-- asked_*: the request that stands while the member is being asked. card: hash of what was shown to who decided.
-- duplicate_of: the oldest open row of the member that was the same when this one was made.
alter table gate.action
  add column asked_required text,
  add column asked_via text,
  add column asked_at timestamptz,
  add column card bytea,
  add column duplicate_of bigint;

-- `ask`: the workflow is to see to it that the member is asked.
alter table gate_private.open_action drop constraint open_action_wake_known;
alter table gate_private.open_action
  add constraint open_action_wake_known check (wake in ('start', 'ask', 'confirm', 'cancel'));

-- One request to a member to decide about a row, in Slack or by e-mail. states: pending (to be sent), sending (a send is
-- under way or died), sent, unknown (perhaps sent), failed, withdrawn (decided or stopped before it was sent).
-- The token lies here until the request is sent; then only its hash is left, in consent_token. address: whose it is.
create table gate.consent_request (
  account_id text not null,
  action_id bigint not null,
  n integer not null,
  is_reminder boolean not null default false,
  required text not null,
  via text not null,
  address text not null,
  state text not null default 'pending',
  token text,
  message json,
  card bytea,
  team text,
  provider_id text,
  code text,
  attempted_at timestamptz,
  created_at timestamptz not null,
  constraint consent_request_pkey primary key (account_id, action_id, n),
  constraint consent_request_action_fkey foreign key (account_id, action_id) references gate.action,
  constraint consent_request_required_known check (required in ('chat', 'page')),
  constraint consent_request_via_known check (via in ('slack', 'email')),
  constraint consent_request_state_known check (
    state in ('pending', 'sending', 'sent', 'unknown', 'failed', 'withdrawn')
  ),
  constraint consent_request_token_until_sent check ((token is not null) = (state in ('pending', 'sending')))
);
-- By time: how often a member was asked of late. A row is reminded of once.
create index consent_request_by_time on gate.consent_request (account_id, created_at);
create unique index consent_request_reminder_key on gate.consent_request (account_id, action_id) where is_reminder;

-- The hash of a request's token: good once, until the row expires or is decided.
create table gate_private.consent_token (
  token bytea not null,
  account_id text not null,
  action_id bigint not null,
  n integer not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  constraint consent_token_pkey primary key (token)
);
create index consent_token_expiring on gate_private.consent_token (expires_at);

-- Once a row is decided nobody is to be asked about it any more: what was not sent is taken back, its token with it.
create function gate_private.withdraw_requests() returns trigger
language plpgsql as $$
begin
  update gate.consent_request q
  set state = case q.state when 'pending' then 'withdrawn' else 'unknown' end, token = null, message = null
  where q.account_id = new.account_id and q.action_id = new.id and q.state in ('pending', 'sending');
  return null;
end $$;
create trigger action_decided after update on gate.action
  for each row when (old.decision is null and new.decision is not null)
  execute function gate_private.withdraw_requests();

alter table gate.consent_request enable row level security, force row level security;
create policy tenant on gate.consent_request using (account_id = gate.current_account());

-- As before, but `new` too where a confirm had the member asked and nobody has decided yet: what was answered then is not
-- kept, so its repeat is weighed, and asks, like any other.
create or replace function gate_private.replay(
  p_account text, p_operation text, p_key uuid, p_request bytea, out outcome text, out action_id bigint
)
language plpgsql as $$
declare
  used gate.idempotency;
begin
  outcome := 'new';
  if p_key is null then
    return;
  end if;
  select * into used from gate.idempotency i
  where i.account_id = p_account and i.operation = p_operation and i.key = p_key
    and i.created_at > clock_timestamp() - interval '24 hours';
  if not found then
    return;
  end if;
  action_id := used.action_id;
  outcome := case
    when used.request <> p_request then 'reused'
    when p_operation = 'confirm' and exists (
      select 1 from gate.action a
      where a.account_id = p_account and a.id = used.action_id and a.status = 'proposed' and a.decision is null
    ) then 'new'
    else 'replayed'
  end;
end $$;

-- As before, but for duplicate_of.
-- outcome: created, replayed (same key and request), reused (same key, other request), stale (facts moved), too_many.
create or replace function gate.propose(
  p_account text, p_uuid uuid, p_event uuid, p_kind text, p_status text, p_denial_reason text,
  p_member_id text, p_member text, p_member_version bigint, p_curricula_version bigint, p_policy_version bigint,
  p_tier text, p_source text, p_payload text, p_salt bytea,
  p_reach_slack integer, p_reach_email integer, p_reach_unreachable integer, p_recipients bytea,
  p_digest_tail text, p_entry_tail text, p_ttl_ms bigint, p_open_max integer, p_due_ms integer,
  p_key uuid, p_request bytea,
  out outcome text, out action gate.action
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  head gate.ledger_head;
  used record;
  new_id bigint;
  new_at timestamptz;
begin
  perform gate.tenant(p_account);
  head := gate_private.lock_head(p_account);
  used := gate_private.replay(p_account, 'propose', p_key, p_request);
  if used.outcome = 'new' then
    select * into action from gate.action a where a.uuid = p_uuid;
    if found then
      outcome := 'created';
      return;
    end if;
  else
    outcome := used.outcome;
    select * into action from gate.action a where a.account_id = p_account and a.id = used.action_id;
    return;
  end if;
  perform 1
  from gate.member m
  join gate.account c on c.account_id = m.account_id
  where m.account_id = p_account and m.member_id = p_member_id and m.is_active
    and m.version = p_member_version and c.curricula_version = p_curricula_version
    and c.policy_version = p_policy_version;
  if not found then
    outcome := 'stale';
    return;
  end if;
  if p_status = 'proposed' and p_open_max <= (
    select count(*) from gate.action a
    where a.account_id = p_account and a.member_id = p_member_id and a.status = 'proposed' and a.decision is null
  ) then
    outcome := 'too_many';
    return;
  end if;
  new_id := head.action_seq + 1;
  update gate.ledger_head set action_seq = new_id where account_id = p_account;
  new_at := gate_private.append(p_account, p_event, p_status, new_id, p_entry_tail);
  insert into gate.action (
    account_id, id, uuid, kind, status, member_id, member, tier_at_request, source, payload, salt, created_at,
    requires_confirmation, denial_reason, reach_slack, reach_email, reach_unreachable, recipients, digest, expires_at,
    duplicate_of
  ) values (
    p_account, new_id, p_uuid, p_kind, p_status, p_member_id, p_member, p_tier, p_source, p_payload::json, p_salt, new_at,
    p_status = 'proposed', p_denial_reason, p_reach_slack, p_reach_email, p_reach_unreachable, p_recipients,
    case when p_status = 'proposed' then encode(sha256(convert_to(
      '{"account":"' || p_account || '","id":' || new_id || ',' || p_digest_tail, 'UTF8')), 'hex') end,
    case when p_status = 'proposed' then new_at + p_ttl_ms * interval '1 millisecond' end,
    case when p_status = 'proposed' then (
      select min(a.id) from gate.action a
      where a.account_id = p_account and a.member_id = p_member_id and a.status = 'proposed' and a.decision is null
        and a.expires_at > clock_timestamp() and a.kind = p_kind and a.payload::text = p_payload
        and a.recipients is not distinct from p_recipients
    ) end
  ) returning * into action;
  if p_status = 'proposed' then
    insert into gate_private.open_action (uuid, account_id, action_id, kind, expires_at, wake, due_at)
    values (p_uuid, p_account, new_id, p_kind, action.expires_at, 'start', clock_timestamp() + p_due_ms * interval '1 millisecond');
  end if;
  perform gate_private.keep_key(p_account, 'propose', p_key, p_request, new_id);
  outcome := 'created';
end $$;

drop function gate.claim_decision;
-- The arbiter of every race about a proposal. p_decision: confirm, cancel, expire, admin_cancel.
-- outcome: claimed (also on a repeat of the same command), replayed, reused, missing, lost, expired, early (an expiry
-- before its time), suspended, stale, moved (the count of the day is another by now).
-- p_token: of the request that is answered, which is spent by the same claim; p_card: hash of what was shown.
-- p_confirmed_*: how many of its kind the member had confirmed since then, where the decision rests on it; else null.
create function gate.claim_decision(
  p_account text, p_id bigint, p_decision text, p_command uuid, p_event uuid, p_entry_tail text,
  p_expire_event uuid, p_expire_tail text, p_due_ms integer,
  p_member_version bigint, p_curricula_version bigint, p_policy_version bigint,
  p_confirmed_since timestamptz, p_confirmed integer,
  p_consent_strength text, p_consent_by text, p_consent_channel text, p_key uuid, p_request bytea,
  p_token bytea default null, p_card bytea default null,
  out outcome text, out action gate.action
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  used record;
  claimed_at timestamptz;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  select * into action from gate.action a where a.account_id = p_account and a.id = p_id for update;
  if not found then
    outcome := 'missing';
    return;
  end if;
  used := gate_private.replay(p_account, p_decision, p_key, p_request);
  outcome := case
    when action.command_id = p_command then 'claimed'
    when used.outcome <> 'new' then used.outcome
    when action.status <> 'proposed' or action.decision is not null then 'lost'
  end;
  if outcome is not null then
    return;
  end if;
  if p_decision = 'expire' and action.expires_at > clock_timestamp() then
    outcome := 'early';
    return;
  end if;
  if p_decision <> 'admin_cancel' and action.expires_at <= clock_timestamp() then
    outcome := case when p_decision = 'expire' then 'claimed' else 'expired' end;
    action := gate_private.expire(p_account, p_id, p_expire_event, p_expire_tail, p_due_ms);
    return;
  end if;
  if p_decision = 'confirm' then
    outcome := gate_private.confirm_obstacle(
      p_account, action.member_id, p_member_version, p_curricula_version, p_policy_version);
    if outcome is null and p_confirmed <> (
      select count(*) from gate.action a
      where a.account_id = p_account and a.member_id = action.member_id and a.kind = action.kind
        and a.decision = 'confirm' and a.recipients is null and a.decided_at > p_confirmed_since
    ) then
      outcome := 'moved';
    end if;
    if outcome is not null then
      return;
    end if;
  end if;
  if p_token is not null then
    update gate_private.consent_token t set used_at = clock_timestamp()
    where t.token = p_token and t.account_id = p_account and t.action_id = p_id and t.used_at is null;
    if not found then
      outcome := 'lost';
      return;
    end if;
  end if;
  claimed_at := gate_private.append(
    p_account, p_event, case p_decision when 'confirm' then 'confirmed' else 'cancelled' end, p_id, p_entry_tail);
  update gate.action a set
    decision = p_decision, decided_at = claimed_at, command_id = p_command,
    consent_strength = p_consent_strength, consent_by = p_consent_by, consent_channel = p_consent_channel, card = p_card,
    status = case p_decision when 'confirm' then a.status else 'cancelled' end,
    closed_reason = case p_decision when 'cancel' then 'proposer' when 'admin_cancel' then 'admin' end
  where a.account_id = p_account and a.id = p_id
  returning * into action;
  update gate_private.open_action o set
    decided_at = claimed_at, wake = case p_decision when 'confirm' then 'confirm' else 'cancel' end,
    due_at = clock_timestamp() + p_due_ms * interval '1 millisecond'
  where o.uuid = action.uuid;
  perform gate_private.keep_key(p_account, p_decision, p_key, p_request, p_id);
  outcome := 'claimed';
end $$;

-- Asks the member for a consent that a confirm through the interface does not give. Decides nothing.
-- p_token: raw, and p_token_hash, of a new request. One that stands is not repeated within p_every_ms, and is what the row
-- says from then on; of one member p_hour_max are made within an hour.
-- outcome: asked (also on a repeat of the same command), standing, replayed, reused, missing, lost, expired, suspended, stale,
-- too_many.
create function gate.request_consent(
  p_account text, p_id bigint, p_event uuid, p_entry_tail text, p_expire_event uuid, p_expire_tail text, p_due_ms integer,
  p_member_version bigint, p_curricula_version bigint, p_policy_version bigint,
  p_required text, p_via text, p_address text, p_token text, p_token_hash bytea, p_every_ms bigint, p_hour_max integer,
  p_key uuid, p_request bytea,
  out outcome text, out action gate.action
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  used record;
  standing gate.consent_request;
  new_at timestamptz;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  select * into action from gate.action a where a.account_id = p_account and a.id = p_id for update;
  if not found then
    outcome := 'missing';
    return;
  end if;
  used := gate_private.replay(p_account, 'confirm', p_key, p_request);
  outcome := case
    when exists (select 1 from gate.ledger l where l.account_id = p_account and l.event_id = p_event) then 'asked'
    when used.outcome <> 'new' then used.outcome
    when action.status <> 'proposed' or action.decision is not null then 'lost'
  end;
  if outcome is not null then
    return;
  end if;
  if action.expires_at <= clock_timestamp() then
    outcome := 'expired';
    action := gate_private.expire(p_account, p_id, p_expire_event, p_expire_tail, p_due_ms);
    return;
  end if;
  outcome := gate_private.confirm_obstacle(
    p_account, action.member_id, p_member_version, p_curricula_version, p_policy_version);
  if outcome is not null then
    return;
  end if;
  select * into standing from gate.consent_request q
  where q.account_id = p_account and q.action_id = p_id and q.state not in ('failed', 'withdrawn')
    and q.required = p_required and q.via = p_via and q.address = p_address
    and q.created_at > clock_timestamp() - p_every_ms * interval '1 millisecond'
  order by q.n desc
  limit 1;
  if found then
    outcome := 'standing';
    perform gate_private.keep_key(p_account, 'confirm', p_key, p_request, p_id);
    if (action.asked_required, action.asked_via) is distinct from (p_required, p_via) then
      action := gate_private.set_asked(p_account, p_id, p_required, p_via, standing.created_at, p_due_ms);
    end if;
    return;
  end if;
  if p_hour_max <= (
    select count(*) from gate.consent_request q
    join gate.action a on a.account_id = q.account_id and a.id = q.action_id
    where q.account_id = p_account and q.created_at > clock_timestamp() - interval '1 hour'
      and a.member_id = action.member_id
  ) then
    outcome := 'too_many';
    return;
  end if;
  perform gate_private.keep_key(p_account, 'confirm', p_key, p_request, p_id);
  new_at := gate_private.append(p_account, p_event, 'consent_requested', p_id, p_entry_tail);
  perform gate_private.add_consent_request(
    action, false, p_required, p_via, p_address, p_token, p_token_hash, new_at);
  action := gate_private.set_asked(p_account, p_id, p_required, p_via, new_at, p_due_ms);
  outcome := 'asked';
end $$;

-- Says on the row what the member is being asked. Its workflow is to hear of it: the reminder counts from p_at.
create function gate_private.set_asked(
  p_account text, p_id bigint, p_required text, p_via text, p_at timestamptz, p_due_ms integer
) returns gate.action
language plpgsql as $$
declare
  asked gate.action;
begin
  update gate.action a set asked_required = p_required, asked_via = p_via, asked_at = p_at
  where a.account_id = p_account and a.id = p_id
  returning * into asked;
  update gate_private.open_action o
  set wake = 'ask', due_at = clock_timestamp() + p_due_ms * interval '1 millisecond'
  where o.uuid = asked.uuid;
  return asked;
end $$;

-- Assumes the head's lock.
create function gate_private.add_consent_request(
  p_action gate.action, p_is_reminder boolean, p_required text, p_via text, p_address text, p_token text,
  p_token_hash bytea, p_at timestamptz
) returns void
language plpgsql as $$
declare
  new_n integer;
begin
  select coalesce(max(q.n), 0) + 1 into new_n from gate.consent_request q
  where q.account_id = p_action.account_id and q.action_id = p_action.id;
  insert into gate.consent_request (account_id, action_id, n, is_reminder, required, via, address, token, created_at)
  values (p_action.account_id, p_action.id, new_n, p_is_reminder, p_required, p_via, p_address, p_token, p_at);
  insert into gate_private.consent_token (token, account_id, action_id, n, expires_at)
  values (p_token_hash, p_action.account_id, p_action.id, new_n, p_action.expires_at);
end $$;

-- Asks once more, by the way that the row says (p_via, that of the token), once its time has come: p_remind_ms after the
-- request that stands, or half of the time that was left then, whichever is less. Returns when the reminder is due, or to be
-- looked at again; null where none is to come.
create function gate.remind_consent(
  p_account text, p_id bigint, p_event uuid, p_entry_tail text, p_via text, p_token text, p_token_hash bytea,
  p_remind_ms bigint
) returns timestamptz
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  action gate.action;
  last gate.consent_request;
  remind_at timestamptz;
  new_at timestamptz;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  select * into action from gate.action a where a.account_id = p_account and a.id = p_id for update;
  if action.status is distinct from 'proposed' or action.decision is not null or action.asked_at is null
    or action.expires_at <= clock_timestamp()
    or exists (
      select 1 from gate.consent_request q
      where q.account_id = p_account and q.action_id = p_id and q.is_reminder
    )
  then
    return null;
  end if;
  remind_at := action.asked_at + least(p_remind_ms * interval '1 millisecond', (action.expires_at - action.asked_at) / 2);
  if remind_at > clock_timestamp() or action.asked_via <> p_via then
    return greatest(remind_at, clock_timestamp());
  end if;
  perform 1 from gate.account c where c.account_id = p_account and c.suspended_at is not null;
  if found then
    -- Resuming tells no workflow. Not every hour: a year of looks is to fit into one history.
    return clock_timestamp() + least(interval '6 hours', (action.expires_at - clock_timestamp()) / 2);
  end if;
  select * into last from gate.consent_request q
  where q.account_id = p_account and q.action_id = p_id and q.via = p_via
  order by q.n desc limit 1;
  new_at := gate_private.append(p_account, p_event, 'consent_requested', p_id, p_entry_tail);
  perform gate_private.add_consent_request(
    action, true, last.required, last.via, last.address, p_token, p_token_hash, new_at);
  return remind_at;
end $$;

-- Where the request that an open row tells of reached nobody, it tells of another that did or still may, and whose answer
-- would count: at the member's address of now, and as strong as is asked for. Where there is none, it tells of none.
create function gate_private.note_unasked(p_account text, p_id bigint) returns void
language sql volatile as $$
  update gate.action a set (asked_required, asked_via, asked_at) = (
    select a.asked_required, q.via, q.created_at
    from gate.consent_request q
    join gate.member m on m.account_id = q.account_id and m.member_id = a.member_id
    where q.account_id = p_account and q.action_id = p_id and q.state in ('pending', 'sending', 'sent', 'unknown')
      and (q.via = 'email' or a.asked_required = 'chat')
      and lower(q.address) = lower(case q.via when 'slack' then m.slack else m.email end)
    order by q.is_reminder, q.n desc
    limit 1
  )
  where a.account_id = p_account and a.id = p_id and a.status = 'proposed' and a.decision is null
    and a.asked_at is not null
$$;

-- Takes a request for being sent, freezing what is sent. What an attempt before left `sending` is answered as it was frozen.
-- outcome: send, sending, done (settled, or not to be sent any more: the row is decided or over, its account suspended, its
-- member gone, or another by then reads that address).
create function gate.begin_consent_send(
  p_account text, p_id bigint, p_n integer, p_message text, p_card bytea, p_team text,
  out outcome text, out request gate.consent_request
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  -- Before the request, as a decision takes them.
  perform 1 from gate.action a where a.account_id = p_account and a.id = p_id for update;
  select * into request from gate.consent_request q
  where q.account_id = p_account and q.action_id = p_id and q.n = p_n
  for update;
  outcome := 'done';
  if request.state is null or request.state not in ('pending', 'sending') then
    return;
  end if;
  perform 1
  from gate.action a
  join gate.account c on c.account_id = a.account_id
  join gate.member m on m.account_id = a.account_id and m.member_id = a.member_id
  where a.account_id = p_account and a.id = p_id and a.status = 'proposed' and a.decision is null
    and a.expires_at > clock_timestamp() and c.suspended_at is null and m.is_active
    and lower(request.address) = lower(case request.via when 'slack' then m.slack else m.email end);
  if not found then
    update gate.consent_request q set state = 'withdrawn', token = null, message = null
    where q.account_id = p_account and q.action_id = p_id and q.n = p_n;
    perform gate_private.note_unasked(p_account, p_id);
    return;
  end if;
  if request.state = 'sending' then
    outcome := 'sending';
    return;
  end if;
  update gate.consent_request q
  set state = 'sending', message = p_message::json, card = p_card, team = p_team, attempted_at = clock_timestamp()
  where q.account_id = p_account and q.action_id = p_id and q.n = p_n
  returning * into request;
  outcome := 'send';
end $$;

-- Writes down what became of a send. p_state: pending (certainly not sent, to be tried again), sent, unknown, failed.
create function gate.end_consent_send(
  p_account text, p_id bigint, p_n integer, p_state text, p_provider_id text, p_code text
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  -- Before the request, as a decision takes them.
  perform 1 from gate.action a where a.account_id = p_account and a.id = p_id for update;
  update gate.consent_request q set
    state = p_state, provider_id = p_provider_id, code = p_code,
    token = case p_state when 'pending' then q.token end, message = null
  where q.account_id = p_account and q.action_id = p_id and q.n = p_n and q.state in ('pending', 'sending');
  if found and p_state = 'failed' then
    perform gate_private.note_unasked(p_account, p_id);
  end if;
end $$;

-- The request that a token belongs to; no row where nobody made it. Changes nothing.
create function gate.find_consent_request(p_token bytea)
returns table (
  account_id text, action_id bigint, via text, address text, card bytea, team text
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  found_token gate_private.consent_token;
begin
  select * into found_token from gate_private.consent_token t where t.token = p_token;
  if not found then
    return;
  end if;
  perform gate.tenant(found_token.account_id);
  return query
    select q.account_id, q.action_id, q.via, q.address, q.card, q.team
    from gate.consent_request q
    where q.account_id = found_token.account_id and q.action_id = found_token.action_id and q.n = found_token.n;
end $$;

-- Forgets tokens that are over for a day, and what of their requests was never sent. Returns how many.
create function gate.forget_consent_tokens(p_limit integer) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  old gate_private.consent_token;
  forgotten bigint := 0;
begin
  for old in
    select * from gate_private.consent_token t
    where t.expires_at < clock_timestamp() - interval '1 day'
    order by t.expires_at
    limit p_limit
    for update skip locked
  loop
    perform gate.tenant(old.account_id);
    update gate.consent_request q set state = 'withdrawn', token = null, message = null
    where q.account_id = old.account_id and q.action_id = old.action_id and q.n = old.n and q.token is not null;
    delete from gate_private.consent_token t where t.token = old.token;
    forgotten := forgotten + 1;
  end loop;
  return forgotten;
end $$;
