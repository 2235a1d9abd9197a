-- Consent requests: when a member is asked, and reminded.

-- Asks the member for a consent that the confirm does not prove. Decides nothing.
-- p_token and p_token_hash: of a new request. An equal request within p_every_ms is not repeated, and becomes the one in
-- force. A member gets at most p_hour_max requests in an hour and p_day_max in a day, and each key has its share of them.
-- outcome: asked (also on a repeat of the same command), standing (an equal request was sent recently), replayed, reused,
-- missing, lost (already decided), expired, suspended, stale, too_many, too_many_of_day, too_many_of_key.
create function gate.request_consent(
  p_account text, p_id bigint, p_event uuid, p_expire_event uuid, p_due_ms integer,
  p_member_version bigint, p_curricula_version bigint, p_policy_version bigint,
  p_required text, p_via text, p_source text, p_address text, p_token text, p_token_hash bytea, p_every_ms bigint,
  p_hour_max integer, p_day_max integer, p_api_key bytea, p_key uuid, p_request bytea,
  out outcome text, out action gate.action
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  used record;
  held gate_private.api_key_hash;
  standing gate.consent_request;
  new_at timestamptz;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  select * into action from gate.action a where a.account_id = p_account and a.id = p_id for update;
  if not found then
    outcome := 'missing';
    return;
  end if;
  held := gate_private.require_key(p_account, p_api_key, 'confirm', action.member_id, action.kind);
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
    action := gate_private.expire(p_account, p_id, p_expire_event, p_due_ms);
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
  if not gate_private.ask_day_left(p_account, action.member_id, p_day_max) then
    outcome := 'too_many_of_day';
    return;
  end if;
  if not gate_private.ask_share_left(p_account, action.member_id, held.key_id, p_hour_max, p_day_max) then
    outcome := 'too_many_of_key';
    return;
  end if;
  perform gate_private.keep_key(p_account, 'confirm', p_key, p_request, p_id);
  new_at := gate_private.note(
    p_account, p_event, 'consent_requested', p_id, action.member_id, held.key_id,
    jsonb_build_object('required', p_required, 'via', p_via, 'source', p_source));
  perform gate_private.add_consent_request(
    action, false, p_required, p_via, p_address, p_token, p_token_hash, new_at, held.key_id);
  action := gate_private.set_asked(p_account, p_id, p_required, p_via, new_at, p_due_ms);
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
    -- Resuming an account wakes no workflow. Not every hour: a year of looks must fit into one workflow history.
    return clock_timestamp() + least(interval '6 hours', (action.expires_at - clock_timestamp()) / 2);
  end if;
  select * into last from gate.consent_request q
  where q.account_id = p_account and q.action_id = p_id and q.via = p_via
  order by q.n desc limit 1;
  new_at := gate_private.note(
    p_account, p_event, 'consent_requested', p_id, 'system', null,
    jsonb_build_object('required', last.required, 'via', p_via, 'is_reminder', true));
  perform gate_private.add_consent_request(
    action, true, last.required, last.via, last.address, p_token, p_token_hash, new_at, last.asked_key);
  return remind_at;
end $$;

-- Stores a request and its token's hash. The ledger head must be locked.
create function gate_private.add_consent_request(
  p_action gate.action, p_is_reminder boolean, p_required text, p_via text, p_address text, p_token text,
  p_token_hash bytea, p_at timestamptz, p_api_key_id text
) returns void
language plpgsql as $$
declare
  new_n integer;
begin
  select coalesce(max(q.n), 0) + 1 into new_n from gate.consent_request q
  where q.account_id = p_action.account_id and q.action_id = p_action.id;
  insert into gate.consent_request (
    account_id, action_id, n, is_reminder, required, via, address, token, created_at, member_id, asked_key
  ) values (
    p_action.account_id, p_action.id, new_n, p_is_reminder, p_required, p_via, p_address, p_token, p_at,
    p_action.member_id, p_api_key_id);
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
