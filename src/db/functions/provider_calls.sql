-- Calls that move money: the request is frozen first, the intent is recorded before the call, the outcome after it.

-- Stores the request of a step, once, and only while the action is being executed.
create function gate.freeze_call(
  p_account text, p_id bigint, p_step text, p_provider text, p_request text, p_key text
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  insert into gate.provider_call (account_id, action_id, step, provider, request, key)
  select p_account, p_id, p_step, p_provider, p_request::json, p_key
  from gate.action a
  where a.account_id = p_account and a.id = p_id and a.decision = 'confirm' and a.status = 'proposed'
  on conflict on constraint provider_call_pkey do nothing;
end $$;

-- Records that a call is about to be made, and counts the attempt. p_attempt: its id, kept in the column of the answer until there
-- is one. A repeat with the same id, after a lost connection, is not a second attempt and changes nothing: it may also be the first
-- statement, which comes after its repeat. was_sending: an earlier attempt may have succeeded.
-- is_suspended: the account is suspended; what may have succeeded is looked up and not repeated, what was not sent yet is not sent.
-- outcome: send, or settled (nothing is left to do, or the account was suspended before anything was sent).
create function gate.begin_call(
  p_account text, p_id bigint, p_step text, p_credential text, p_attempt uuid default null,
  out outcome text, out was_sending boolean, out is_suspended boolean, out call gate.provider_call
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  is_repeated boolean;
begin
  perform gate.tenant(p_account);
  perform 1 from gate.action a
  where a.account_id = p_account and a.id = p_id and a.decision = 'confirm' and a.status = 'proposed'
  for update;
  if not found then
    raise exception 'action % is not being executed', p_id using errcode = 'check_violation';
  end if;
  select * into strict call from gate.provider_call c
  where c.account_id = p_account and c.action_id = p_id and c.step = p_step
  for update;
  is_repeated := coalesce(call.answer ->> 'attempt' = p_attempt::text, false);
  was_sending := call.state = 'sending' and not is_repeated;
  outcome := 'settled';
  if call.state not in ('pending', 'sending') then
    return;
  end if;
  select a.suspended_at is not null into is_suspended from gate.account a where a.account_id = p_account;
  if is_repeated then
    -- Pending again: what this attempt came to is recorded.
    outcome := case call.state when 'sending' then 'send' else 'settled' end;
    return;
  end if;
  if not was_sending and is_suspended then
    update gate.provider_call c set state = 'not_done', code = 'account_suspended', answer = null
    where c.account_id = p_account and c.action_id = p_id and c.step = p_step
    returning * into call;
    return;
  end if;
  outcome := 'send';
  update gate.provider_call c set
    state = 'sending',
    attempt = c.attempt + 1,
    -- The time of the first attempt: a later one may find the work done.
    answer = case when c.state = 'pending' and p_attempt is not null then json_build_object('attempt', p_attempt) end,
    credential = case c.state when 'pending' then p_credential else c.credential end,
    first_attempted_at = case c.state when 'pending' then clock_timestamp() else c.first_attempted_at end
  where c.account_id = p_account and c.action_id = p_id and c.step = p_step
  returning * into call;
end $$;

-- Records the outcome of an attempt, unless a later one has begun. p_state: pending (certainly not done, retry), sending
-- (perhaps done, retry), or the final state. A call that is pending again keeps the id of its attempt.
create function gate.record_call(
  p_account text, p_id bigint, p_step text, p_attempt integer, p_state text, p_code text, p_answer text
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  update gate.provider_call c set
    state = p_state, code = p_code, answer = case p_state when 'pending' then c.answer else p_answer::json end
  where c.account_id = p_account and c.action_id = p_id and c.step = p_step and c.attempt = p_attempt
    and c.state = 'sending';
end $$;

-- Ends a call for good: what was not sent will not be sent, also where the request was not stored yet. p_provider, p_key: see
-- freeze_call.
create function gate.settle_call(
  p_account text, p_id bigint, p_step text, p_provider text default null, p_key text default null
) returns gate.provider_call
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  call gate.provider_call;
begin
  perform gate.tenant(p_account);
  -- The action first, as where an attempt begins.
  perform 1 from gate.action a where a.account_id = p_account and a.id = p_id for key share;
  -- Where nothing is stored, a step that comes later finds the call ended.
  insert into gate.provider_call (account_id, action_id, step, provider, request, key, state, code)
  select p_account, p_id, p_step, p_provider, '{}', p_key, 'not_done', 'not_sent' from gate.action a
  where a.account_id = p_account and a.id = p_id and a.decision = 'confirm' and a.status = 'proposed'
    and p_provider is not null and p_key is not null
  on conflict do nothing;
  update gate.provider_call c set
    state = case c.state when 'pending' then 'not_done' when 'sending' then 'unknown' else c.state end,
    code = coalesce(c.code, case c.state when 'pending' then 'not_sent' when 'sending' then 'not_recorded' end),
    answer = case when c.state not in ('pending', 'sending') then c.answer end
  where c.account_id = p_account and c.action_id = p_id and c.step = p_step
  returning * into call;
  return call;
end $$;
