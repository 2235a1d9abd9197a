-- Consent requests: when a member is asked and reminded, the messages that are sent, and what their tokens lead to.

-- Asks the member for a consent that the confirm does not prove, or at once when an action is proposed. Decides nothing.
-- of_proposal: the key proposed it and need not be able to confirm. Nobody is asked then while the member is asked about an
-- identical action.
-- token and token_hash: of a new request. An equal request within every_ms is not repeated, and becomes the one in force.
-- A member gets at most hour_max requests in an hour and day_max in a day, and each key has its share of them. Requests for mandates
-- have a bound of their own, mandates_max for a key in a day: one is what ends the others. The request that tells the member that an
-- agent was stopped comes after these bounds, once in an hour.
-- outside_mandate: why no mandate of the member covers it, for the card; or null. That of the first request stands.
-- key and request: the Idempotency-Key of the confirm and the hash of its request, or null.
-- due_at: of the request that was asked, null on a repeat; see settle.
-- outcome: asked (also on a repeat of the same command), standing (an equal request was sent recently), replayed, reused,
-- missing, lost (already decided), expired, suspended, stale, duplicate (action is the identical one), too_many, too_many_of_day, too_many_of_key.
create function gate.request_consent(
  p_account text, p_id bigint, p_ask jsonb,
  out outcome text, out due_at text, out action gate.action
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  given record;
  used record;
  held gate_private.api_key_hash;
  standing gate.consent_request;
  identical gate.action;
  new_at timestamptz;
begin
  select * into given from jsonb_to_record(p_ask) as fields(
    event uuid, expire_event uuid, due_ms integer,
    member_version bigint, curricula_version bigint, policy_version bigint,
    required text, via text, address text, token text, token_hash bytea, source text,
    every_ms bigint, hour_max integer, day_max integer, mandates_max integer,
    api_key bytea, of_proposal boolean, outside_mandate text, key uuid, request bytea
  );
  perform gate_private.require_fields(p_ask, to_jsonb(given));
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  select * into action from gate.action a where a.account_id = p_account and a.id = p_id for update;
  if not found then
    outcome := 'missing';
    return;
  end if;
  held := gate_private.require_key(
    p_account, given.api_key,
    case when given.of_proposal then 'propose' else gate_private.power_to_ask(given.api_key, action.kind) end,
    action.member_id, action.kind);
  used := gate_private.replay(p_account, 'confirm', given.key, given.request);
  outcome := case
    when exists (select 1 from gate.ledger l where l.account_id = p_account and l.event_id = given.event) then 'asked'
    when used.outcome <> 'new' then used.outcome
    when action.status <> 'proposed' or action.decision is not null then 'lost'
  end;
  if outcome is not null then
    return;
  end if;
  if action.expires_at <= clock_timestamp() then
    outcome := 'expired';
    action := gate_private.expire(p_account, p_id, given.expire_event);
    return;
  end if;
  outcome := gate_private.confirm_obstacle(
    p_account, action.member_id, given.member_version, given.curricula_version, given.policy_version);
  if outcome is not null then
    return;
  end if;
  select * into standing from gate.consent_request q
  where q.account_id = p_account and q.action_id = p_id and q.state not in ('failed', 'withdrawn')
    and q.required = given.required and q.via = given.via and q.address = given.address
    and q.created_at > clock_timestamp() - given.every_ms * interval '1 millisecond'
  order by q.n desc
  limit 1;
  if found then
    outcome := 'standing';
    perform gate_private.keep_key(p_account, 'confirm', given.key, given.request, p_id);
    if (action.asked_required, action.asked_via) is distinct from (given.required, given.via) then
      action := gate_private.set_asked(p_account, p_id, given.required, given.via, standing.created_at, given.due_ms);
    end if;
    return;
  end if;
  if given.of_proposal then
    select * into identical from gate.action a
    where a.account_id = p_account and a.member_id = action.member_id and a.status = 'proposed' and a.decision is null
      and a.expires_at > clock_timestamp() and a.kind = action.kind and a.payload::text = action.payload::text
      and a.recipients is not distinct from action.recipients and a.asked_at is not null and a.id <> p_id
    order by a.id
    limit 1;
    if found then
      outcome := 'duplicate';
      action := identical;
      return;
    end if;
  end if;
  if action.kind = 'runner_mandate' then
    if given.mandates_max <= (
      select count(*) from gate.consent_request q
      join gate.action a on a.account_id = q.account_id and a.id = q.action_id
      where q.account_id = p_account and q.created_at > clock_timestamp() - interval '1 day'
        and q.member_id = action.member_id and q.asked_key = held.key_id and a.kind = action.kind
    ) then
      outcome := 'too_many_of_key';
      return;
    end if;
  elsif action.payload ->> 'stopped_until' is not null and not exists (
    select from gate.consent_request q
    join gate.action a on a.account_id = q.account_id and a.id = q.action_id
    where q.account_id = p_account and q.created_at > clock_timestamp() - interval '1 hour'
      and q.member_id = action.member_id and q.asked_key = held.key_id and a.payload ->> 'stopped_until' is not null
  ) then
    null;
  elsif given.hour_max <= (
    select count(*) from gate.consent_request q
    join gate.action a on a.account_id = q.account_id and a.id = q.action_id
    where q.account_id = p_account and q.created_at > clock_timestamp() - interval '1 hour'
      and a.member_id = action.member_id
  ) then
    outcome := 'too_many';
    return;
  elsif not gate_private.ask_day_left(p_account, action.member_id, given.day_max) then
    outcome := 'too_many_of_day';
    return;
  elsif not gate_private.ask_share_left(p_account, action.member_id, held.key_id, given.hour_max, given.day_max) then
    outcome := 'too_many_of_key';
    return;
  end if;
  perform gate_private.keep_key(p_account, 'confirm', given.key, given.request, p_id);
  new_at := gate_private.note(
    p_account, given.event, 'consent_requested', p_id, action.member_id, held.key_id,
    jsonb_build_object(
      'required', given.required, 'via', given.via, 'source', given.source,
      'address_digest', gate_private.text_digest(action.uuid, given.address)));
  perform gate_private.add_consent_request(
    action, false, given.required, given.via, given.address, given.token, given.token_hash, new_at, held.key_id,
    given.outside_mandate);
  action := gate_private.set_asked(p_account, p_id, given.required, given.via, new_at, given.due_ms);
  select o.due_at::text into due_at from gate_private.open_action o where o.uuid = action.uuid;
  outcome := 'asked';
end $$;

-- Reminds the member once, through the channel of the request in force (p_via, that of the token): p_remind_ms after the
-- request, or after half of the time that was left, whichever is less. Returns when the reminder is due, or when to look
-- again; null: there will be none.
create function gate.remind_consent(
  p_account text, p_id bigint, p_event uuid, p_via text, p_token text, p_token_hash bytea, p_remind_ms bigint
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
    or action.consented_at is not null or action.expires_at <= clock_timestamp()
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
    -- Resuming an account wakes no workflow. Not every hour: a year of looks must fit into one workflow history.
    return clock_timestamp() + least(interval '6 hours', (action.expires_at - clock_timestamp()) / 2);
  end if;
  select * into last from gate.consent_request q
  where q.account_id = p_account and q.action_id = p_id and q.via = p_via
  order by q.n desc limit 1;
  new_at := gate_private.note(
    p_account, p_event, 'consent_requested', p_id, 'system', null,
    jsonb_build_object(
      'required', last.required, 'via', p_via, 'is_reminder', true,
      'address_digest', gate_private.text_digest(action.uuid, last.address)));
  perform gate_private.add_consent_request(
    action, true, last.required, last.via, last.address, p_token, p_token_hash, new_at, last.asked_key);
  return remind_at;
end $$;

-- Stores a request to the member who acts.
create function gate_private.add_consent_request(
  p_action gate.action, p_is_reminder boolean, p_required text, p_via text, p_address text, p_token text,
  p_token_hash bytea, p_at timestamptz, p_api_key_id text, p_outside_mandate text default null
) returns void
language sql volatile as $$
  select gate_private.add_request_to(
    p_action, p_action.member_id, p_is_reminder, p_required, p_via, p_address, p_token, p_token_hash, p_at, p_api_key_id,
    p_outside_mandate)
$$;

-- Stores a request to a member, and its token's hash. The ledger head must be locked.
create function gate_private.add_request_to(
  p_action gate.action, p_member text, p_is_reminder boolean, p_required text, p_via text, p_address text, p_token text,
  p_token_hash bytea, p_at timestamptz, p_api_key_id text, p_outside_mandate text default null
) returns void
language plpgsql as $$
declare
  new_n integer;
begin
  select coalesce(max(q.n), 0) + 1 into new_n from gate.consent_request q
  where q.account_id = p_action.account_id and q.action_id = p_action.id;
  insert into gate.consent_request (
    account_id, action_id, n, is_reminder, required, via, address, token, created_at, member_id, asked_key, outside_mandate
  ) values (
    p_action.account_id, p_action.id, new_n, p_is_reminder, p_required, p_via, p_address, p_token, p_at,
    p_member, p_api_key_id, p_outside_mandate);
  insert into gate_private.consent_token (token, account_id, action_id, n, expires_at)
  values (p_token_hash, p_action.account_id, p_action.id, new_n, p_action.expires_at);
end $$;

-- Records on the action what the member is asked, and wakes its workflow: the reminder counts from p_at.
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

-- Takes a request for being sent, freezing what is sent; of one in a chat, the ledger has the workspace. What an attempt before left `sending` is answered as it was frozen.
-- outcome: send, sending, done (settled, or not to be sent any more: the row is decided or over, its account suspended, its
-- member gone, or another member reads that address now).
create function gate.begin_consent_send(
  p_account text, p_id bigint, p_n integer, p_message text, p_card bytea, p_workspace bytea,
  out outcome text, out request gate.consent_request
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  if p_workspace is not null then
    perform gate_private.lock_head(p_account);
  end if;
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
  join gate.member m on m.account_id = a.account_id and m.member_id = coalesce(request.member_id, a.member_id)
  where a.account_id = p_account and a.id = p_id and a.status = 'proposed' and a.decision is null
    and a.expires_at > clock_timestamp() and c.suspended_at is null and m.is_active
    and lower(request.address) = lower(gate_private.address_of(m, request.via));
  if not found then
    update gate.consent_request q
    set state = gate_private.given_up(q.state, 'withdrawn'), token = null, message = null
    where q.account_id = p_account and q.action_id = p_id and q.n = p_n;
    perform gate_private.note_unasked(p_account, p_id);
    return;
  end if;
  if request.state = 'sending' then
    outcome := 'sending';
    return;
  end if;
  if p_workspace is not null then
    perform gate_private.note_change(
      p_account, gen_random_uuid(), 'consent_message_frozen', p_id, 'system', null,
      jsonb_build_object('request', p_n, 'workspace', encode(p_workspace, 'hex')));
  end if;
  update gate.consent_request q
  set state = 'sending', message = p_message::json, card = p_card, workspace = p_workspace,
    attempted_at = clock_timestamp()
  where q.account_id = p_account and q.action_id = p_id and q.n = p_n
  returning * into request;
  outcome := 'send';
end $$;

-- Records the outcome of a send. p_state: pending (certainly not sent, retry), sent, unknown, failed (certainly not sent),
-- given_up (it could not be tried: failed, or unknown if an earlier attempt had begun).
create function gate.end_consent_send(
  p_account text, p_id bigint, p_n integer, p_state text, p_provider_id text, p_code text
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  ended text;
begin
  perform gate.tenant(p_account);
  -- Before the request, as a decision takes them.
  perform 1 from gate.action a where a.account_id = p_account and a.id = p_id for update;
  update gate.consent_request q set
    state = case p_state when 'given_up' then gate_private.given_up(q.state, 'failed') else p_state end,
    provider_id = p_provider_id, code = p_code,
    token = case p_state when 'pending' then q.token end, message = null
  where q.account_id = p_account and q.action_id = p_id and q.n = p_n and q.state in ('pending', 'sending')
  returning q.state into ended;
  if ended = 'failed' then
    perform gate_private.note_unasked(p_account, p_id);
  end if;
  if p_state = 'sent' then
    update gate_private.consent_token t set slack_message = q.address || ' ' || q.provider_id
    from gate.consent_request q
    where q.account_id = p_account and q.action_id = p_id and q.n = p_n and q.via <> 'email' and q.provider_id = p_provider_id
      and (t.account_id, t.action_id, t.n) = (q.account_id, q.action_id, q.n);
  end if;
  if ended is null and p_state = 'sent' then
    -- Decided while it was sent: its buttons are shown what was decided.
    update gate.consent_request q set state = 'sent', provider_id = p_provider_id
    where q.account_id = p_account and q.action_id = p_id and q.n = p_n and q.state = 'unknown' and q.provider_id is null;
    insert into gate_private.message_update (account_id, action_id, n)
    select q.account_id, q.action_id, q.n from gate.consent_request q
    where q.account_id = p_account and q.action_id = p_id and q.n = p_n and q.via <> 'email' and q.state = 'sent'
    on conflict on constraint message_update_pkey do nothing;
  end if;
end $$;

-- Takes messages that are to show the outcome of their action, and puts each off, for longer after each try, so that nobody
-- else takes it at once.
create function gate.take_message_updates(p_limit integer, p_again_ms integer)
returns table (account_id text, action_id bigint, n integer, tries integer)
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  with due as materialized (
    select d.account_id, d.action_id, d.n from gate_private.message_update d
    where d.due_at <= clock_timestamp()
    order by d.due_at
    limit p_limit
    for update skip locked
  )
  update gate_private.message_update u
  set due_at = clock_timestamp() + p_again_ms * 2 ^ u.tries * interval '1 millisecond', tries = u.tries + 1
  from due
  where (u.account_id, u.action_id, u.n) = (due.account_id, due.action_id, due.n)
  returning u.account_id, u.action_id, u.n, u.tries
$$;

-- A message was updated, or is given up. One that is to show something newer meanwhile stays.
create function gate.end_message_update(p_account text, p_id bigint, p_n integer) returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  delete from gate_private.message_update u
  where u.account_id = p_account and u.action_id = p_id and u.n = p_n and u.tries > 0
$$;

-- The state of a request that is given up. A send that began may have arrived: it ends as `unknown`, so that the action still
-- shows the request, and its buttons count like those of one that was sent.
create function gate_private.given_up(p_state text, p_otherwise text) returns text
language sql immutable
return case p_state when 'sending' then 'unknown' else p_otherwise end;

-- After a request reached nobody: the action names another request that did, or still may, and whose answer would count (at
-- the member's present address, strong enough). If there is none, it names none.
create function gate_private.note_unasked(p_account text, p_id bigint) returns void
language sql volatile as $$
  update gate.action a set (asked_required, asked_via, asked_at) = (
    select a.asked_required, q.via, q.created_at
    from gate.consent_request q
    join gate.member m on m.account_id = q.account_id and m.member_id = a.member_id
    where q.account_id = p_account and q.action_id = p_id and q.state in ('pending', 'sending', 'sent', 'unknown')
      and (q.via = 'email' or a.asked_required = 'chat')
      and lower(q.address) = lower(gate_private.address_of(m, q.via))
    order by q.is_reminder, q.n desc
    limit 1
  )
  where a.account_id = p_account and a.id = p_id and a.status = 'proposed' and a.decision is null
    and a.asked_at is not null
$$;

-- The request that a token belongs to; no row if the token is unknown. Changes nothing.
create function gate.find_consent_request(p_token bytea)
returns table (
  account_id text, action_id bigint, via text, address text, card bytea, workspace bytea, member_id text
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
    select q.account_id, q.action_id, q.via, q.address, q.card, q.workspace, q.member_id
    from gate.consent_request q
    where q.account_id = found_token.account_id and q.action_id = found_token.action_id and q.n = found_token.n;
end $$;

-- The request that a message in Slack or Teams belongs to, by its receiver and its id there; no row if none is known. Changes nothing.
create function gate.find_chat_request(p_user text, p_message text)
returns table (account_id text, action_id bigint)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select t.account_id, t.action_id from gate_private.consent_token t
  where t.slack_message = p_user || ' ' || p_message
  order by t.expires_at desc
  limit 1
$$;

-- The same, for processes that were started before Teams was known.
create function gate.find_slack_request(p_user text, p_timestamp text)
returns table (account_id text, action_id bigint)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select * from gate.find_chat_request(p_user, p_timestamp)
$$;

-- Deletes tokens a day after their expiry, and ends their requests if these were not settled. Returns how many.
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
    update gate.consent_request q
    set state = gate_private.given_up(q.state, 'withdrawn'), token = null, message = null
    where q.account_id = old.account_id and q.action_id = old.action_id and q.n = old.n and q.token is not null;
    delete from gate_private.consent_token t where t.token = old.token;
    forgotten := forgotten + 1;
  end loop;
  return forgotten;
end $$;
