-- Calls of executors: the secrets that sign them, the intent before each attempt, the outcome after it.

-- Gives a kind a new secret. The one before it stays valid for p_overlap_ms; those before that are deleted. Appends the entry.
-- outcome: rotated (also on a repeat of the event), missing (no version of such a kind has a webhook).
create function gate.rotate_kind_secret(
  p_account text, p_session bytea, p_kind text, p_secret text, p_ciphertext bytea, p_wrapped_key bytea, p_kid text,
  p_overlap_ms bigint, p_event uuid
) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  former text;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session);
  if gate_private.is_noted(p_account, p_event) then
    return 'rotated';
  end if;
  perform 1 from gate.kind k
  where k.account_id = p_account and k.kind = p_kind and k.document -> 'executor' ->> 'type' = 'webhook';
  if not found then
    return 'missing';
  end if;
  delete from gate.kind_secret s where s.account_id = p_account and s.kind = p_kind and s.valid_until is not null;
  update gate.kind_secret s set valid_until = clock_timestamp() + p_overlap_ms * interval '1 millisecond'
  where s.account_id = p_account and s.kind = p_kind
  returning s.secret_id into former;
  insert into gate.kind_secret (account_id, kind, secret_id, ciphertext, wrapped_key, kid)
  values (p_account, p_kind, p_secret, p_ciphertext, p_wrapped_key, p_kid);
  perform gate_private.note_change(
    p_account, p_event, 'kind_secret_rotated', null, actor, null,
    jsonb_build_object('kind', p_kind, 'secret', p_secret, 'replaces', former));
  return 'rotated';
end $$;

-- Stores data keys of secrets that were wrapped again. p_secrets: JSON list of { kind, secret, old_kid, wrapped_key }.
-- Returns how many: one that someone else wrapped again meanwhile stays as it is.
create function gate.rewrap_kind_secrets(p_account text, p_kid text, p_secrets text) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  rewrapped bigint;
begin
  perform gate.tenant(p_account);
  update gate.kind_secret s set wrapped_key = decode(r.wrapped_key, 'base64'), kid = p_kid
  from json_to_recordset(p_secrets::json) as r(kind text, secret text, old_kid text, wrapped_key text)
  where s.account_id = p_account and s.kind = r.kind and s.secret_id = r.secret and s.kid = r.old_kid;
  get diagnostics rewrapped = row_count;
  return rewrapped;
end $$;

-- Says what is to be done about a call, and commits the intent of an attempt. The first body is kept; an empty one, which is never
-- sent, is replaced. p_attempt: the id of the attempt; the same one again gets its answer again, and is not a second attempt.
-- p_call_ms: how long an attempt can take. p_repeat_ms: for how long a call is repeated, or asked about.
-- outcome: call (the attempt is recorded and may be made), poll (ask `location`), ask (ask its status), early (`wait_ms` until
-- it is due, or until an attempt of another process is over), stopped (the account is suspended: no attempt, and what may have
-- been done can only be asked about), over (it was repeated for long enough), settled. secrets: those of its kind, newest first.
create function gate.begin_executor_call(
  p_account text, p_id bigint, p_step text, p_body text, p_attempt uuid, p_call_ms integer, p_repeat_ms integer,
  out outcome text, out wait_ms integer, out call gate.executor_call, out secrets json
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  kind_name text;
  is_suspended boolean;
  is_repeated boolean;
  ready_at timestamptz;
  began_at timestamptz := clock_timestamp();
begin
  perform gate.tenant(p_account);
  select a.kind into kind_name from gate.action a
  where a.account_id = p_account and a.id = p_id and a.decision = 'confirm' and a.status = 'proposed'
  for update;
  if not found or length(p_step) > 100 then
    raise exception 'action % is not being executed', p_id using errcode = 'check_violation';
  end if;
  insert into gate.executor_call (account_id, action_id, step, body) values (p_account, p_id, p_step, p_body)
  on conflict on constraint executor_call_pkey do nothing;
  select * into strict call from gate.executor_call c
  where c.account_id = p_account and c.action_id = p_id and c.step = p_step
  for update;
  if call.state in ('ok', 'not_done', 'unknown') then
    outcome := 'settled';
    return;
  end if;
  ready_at := case call.state
    when 'sending' then call.attempted_at + p_call_ms * interval '1 millisecond' else call.due_at end;
  -- The answer was lost, so that nothing was sent.
  is_repeated := coalesce(call.attempt_id = p_attempt, false);
  if not is_repeated and ready_at > began_at then
    outcome := 'early';
    wait_ms := ceil(extract(epoch from ready_at - began_at) * 1000);
    return;
  end if;
  select a.suspended_at is not null into is_suspended from gate.account a where a.account_id = p_account;
  outcome := case
    when call.state = 'asking' then 'ask'
    when call.first_at + p_repeat_ms * interval '1 millisecond' <= began_at then 'over'
    when call.state = 'accepted' then 'poll'
    when is_suspended then 'stopped'
    else 'call' end;
  update gate.executor_call c set
    state = case outcome when 'call' then 'sending' when 'poll' then 'accepted' else c.state end,
    body = case c.body when '' then p_body else c.body end,
    -- An attempt that nobody recorded may have been done.
    is_maybe_done = c.is_maybe_done or (c.state = 'sending' and c.body <> '' and not is_repeated),
    attempts = c.attempts + case when is_repeated then 0 else 1 end,
    attempt_id = p_attempt,
    first_at = coalesce(c.first_at, began_at),
    attempted_at = began_at
  where c.account_id = p_account and c.action_id = p_id and c.step = p_step
  returning * into call;
  select json_agg(
    json_build_object(
      'secret_id', s.secret_id, 'ciphertext', encode(s.ciphertext, 'base64'),
      'wrapped_key', encode(s.wrapped_key, 'base64'), 'kid', s.kid)
    order by s.valid_until desc nulls first) into secrets
  from gate.kind_secret s
  where s.account_id = p_account and s.kind = kind_name and coalesce(s.valid_until > began_at, true);
end $$;

-- Records what an attempt came to, unless a later one has begun: that it was done is recorded in any case. It may be repeated.
-- p_state: pending, accepted and asking go on after p_again_ms; the others are final. p_result: what the executor says of what it did.
-- p_unsigned: how many questions could not be signed so far; null: no more than before.
create function gate.record_executor_call(
  p_account text, p_id bigint, p_step text, p_attempt uuid, p_state text, p_is_maybe_done boolean, p_code text,
  p_location text, p_result text, p_again_ms integer, p_unsigned integer default null
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  -- Where it is lost, the call is repeated, under the same id.
  perform gate.tenant(p_account), gate_private.commit_behind();
  -- The action first, as where an attempt begins: two that lock in two orders wait for each other.
  perform 1 from gate.action a where a.account_id = p_account and a.id = p_id for key share;
  update gate.executor_call c set
    state = p_state, is_maybe_done = p_is_maybe_done, code = p_code, location = coalesce(p_location, c.location),
    -- Asking has its own tries.
    attempts = case when p_state = 'asking' and c.state <> 'asking' then 0 else c.attempts end,
    unsigned = coalesce(p_unsigned, c.unsigned),
    due_at = clock_timestamp() + p_again_ms * interval '1 millisecond'
  where c.account_id = p_account and c.action_id = p_id and c.step = p_step
    and c.state not in ('ok', 'not_done', 'unknown') and (c.attempt_id = p_attempt or p_state = 'ok');
  if found and p_result is not null then
    insert into gate.executor_result (account_id, action_id, result) values (p_account, p_id, p_result::json)
    on conflict on constraint executor_result_pkey do nothing;
  end if;
end $$;

-- Ends a call for good: what is not done now will not be, also where no attempt has begun yet. Answers it with what its executor
-- said.
create function gate.settle_executor_call(
  p_account text, p_id bigint, p_step text, out call gate.executor_call, out result json
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  -- The action first, as where an attempt begins.
  perform 1 from gate.action a where a.account_id = p_account and a.id = p_id for key share;
  -- Where nothing has begun, an attempt that comes later finds the call ended.
  insert into gate.executor_call (account_id, action_id, step, body, state, code)
  select a.account_id, a.id, p_step, '', 'not_done', 'not_called' from gate.action a
  where a.account_id = p_account and a.id = p_id and a.decision = 'confirm' and a.kind_version is not null
    and length(p_step) <= 100
  on conflict on constraint executor_call_pkey do nothing;
  update gate.executor_call c set
    state = case
      when c.state = 'pending' and not c.is_maybe_done then 'not_done'
      when c.state in ('pending', 'sending', 'accepted', 'asking') then 'unknown'
      else c.state end,
    code = case when c.state in ('pending', 'sending', 'accepted', 'asking') then coalesce(c.code, 'not_recorded') else c.code end
  where c.account_id = p_account and c.action_id = p_id and c.step = p_step
  returning * into call;
  select r.result into result from gate.executor_result r where r.account_id = p_account and r.action_id = p_id;
end $$;
