-- Claims of confirmed actions by those who execute them, and what they report.

-- Claims a confirmed action: of all who try, one wins, and nobody after them. p_token: SHA-256 of the token that reports the
-- outcome. p_window_ms: how long after the consent it can be claimed. due_at: of its wake, null on a repeat; see settle.
-- outcome: claimed (also on a repeat with the same token), missing, unconfirmed, suspended, held, closed (it ended, or its claim
-- did), late (the window is over), unchecked (the confirm came after its expiry, and is checked again before anything executes).
create function gate.claim_action(
  p_account text, p_id bigint, p_api_key bytea, p_token bytea, p_lease_ms bigint, p_window_ms bigint, p_event uuid,
  p_due_ms integer,
  out outcome text, out lease_expires_at timestamptz, out due_at text, out action gate.action
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  holder gate_private.api_key_hash;
  claim gate.claim;
  moment timestamptz;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  select * into action from gate.action a where a.account_id = p_account and a.id = p_id for update;
  if not found then
    outcome := 'missing';
    return;
  end if;
  holder := gate_private.require_key(p_account, p_api_key, 'claim', action.member_id, action.kind);
  select * into claim from gate.claim c where c.account_id = p_account and c.action_id = p_id;
  moment := clock_timestamp();
  outcome := case
    when claim.state = 'held' and claim.token = p_token then 'claimed'
    when action.status <> 'proposed' or claim.state <> 'held' or claim.lease_expires_at <= moment then 'closed'
    when action.decision is distinct from 'confirm' then 'unconfirmed'
    when claim.state = 'held' then 'held'
    when (select c.suspended_at from gate.account c where c.account_id = p_account) is not null then 'suspended'
    when action.begun_at is null and action.expires_at <= moment then 'unchecked'
    when action.decided_at + p_window_ms * interval '1 millisecond' <= moment then 'late'
  end;
  lease_expires_at := claim.lease_expires_at;
  if outcome is not null then
    return;
  end if;
  lease_expires_at := date_trunc('milliseconds', moment + p_lease_ms * interval '1 millisecond');
  -- From now on it is being executed: nothing denies it any more.
  update gate.action a set begun_at = coalesce(a.begun_at, moment)
  where a.account_id = p_account and a.id = p_id
  returning * into action;
  insert into gate.claim (account_id, action_id, state, claimed_at, lease_expires_at, claimed_key, token)
  values (
    p_account, p_id, 'held',
    gate_private.note_change(
      p_account, p_event, 'action_claimed', p_id, 'executor', holder.key_id,
      jsonb_build_object('lease_expires_at', gate_private.iso(claim_action.lease_expires_at))),
    claim_action.lease_expires_at, holder.key_id, p_token);
  due_at := gate_private.wake_step(action.uuid, p_due_ms);
  outcome := 'claimed';
end $$;

-- Records what the executor that claimed an action reports, once. Fields of p_report: api_key; token (SHA-256); outcome; result (text
-- in the RFC 8785 form, or null); report (see gate.claim); event; due_ms.
-- outcome: reported (also on a repeat), changed (another outcome or result was reported), lapsed (the lease is over), unclaimed (it
-- is not this action's claim), missing.
create function gate.report_claim(p_account text, p_id bigint, p_report jsonb, out outcome text, out action gate.action)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  given record;
  holder gate_private.api_key_hash;
  claim gate.claim;
  noted_at timestamptz;
begin
  select * into given from jsonb_to_record(p_report) as fields(
    api_key bytea, token bytea, outcome text, result text, report bytea, event uuid, due_ms integer
  );
  perform gate_private.require_fields(p_report, to_jsonb(given));
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  select * into action from gate.action a where a.account_id = p_account and a.id = p_id for update;
  if not found then
    outcome := 'missing';
    return;
  end if;
  holder := gate_private.require_key(p_account, given.api_key, 'claim', action.member_id, action.kind);
  select * into claim from gate.claim c where c.account_id = p_account and c.action_id = p_id;
  outcome := case
    when (claim.token = given.token) is not true then 'unclaimed'
    when claim.state = 'reported' and claim.report = given.report then 'reported'
    when claim.state = 'reported' then 'changed'
    when claim.state <> 'held' or claim.lease_expires_at <= clock_timestamp() then 'lapsed'
  end;
  if outcome is not null then
    return;
  end if;
  noted_at := gate_private.note_change(
    p_account, given.event, 'outcome_reported', p_id, 'executor', holder.key_id,
    jsonb_strip_nulls(jsonb_build_object(
      'outcome', given.outcome, 'result_digest', gate_private.payload_digest(action.salt, given.result))));
  update gate.claim c
  set state = 'reported', outcome = given.outcome, result = given.result::json, report = given.report,
    reported_at = noted_at, reported_key = holder.key_id
  where c.account_id = p_account and c.action_id = p_id;
  perform gate_private.wake_step(action.uuid, given.due_ms);
  outcome := 'reported';
end $$;

-- Where the claim of a confirmed action stands, and ends it where its time is over; p_force: at once. p_window_ms: as above.
-- wait_ms: until it has to be looked at again; null where the claim has ended. reported: what was reported, or null.
create function gate.settle_claim(
  p_account text, p_id bigint, p_window_ms bigint, p_force boolean,
  out state text, out reported text, out wait_ms double precision
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  decided timestamptz;
  claim gate.claim;
  until timestamptz;
begin
  perform gate.tenant(p_account);
  select a.decided_at into decided from gate.action a
  where a.account_id = p_account and a.id = p_id and a.decision = 'confirm' for update;
  if not found then
    raise exception 'action % was not confirmed', p_id using errcode = 'check_violation';
  end if;
  select * into claim from gate.claim c where c.account_id = p_account and c.action_id = p_id;
  if claim.state is null or claim.state = 'held' then
    until := coalesce(claim.lease_expires_at, decided + p_window_ms * interval '1 millisecond');
    if not p_force and until > clock_timestamp() then
      state := coalesce(claim.state, 'open');
      wait_ms := extract(epoch from until - clock_timestamp()) * 1000;
      return;
    end if;
    insert into gate.claim (account_id, action_id, state) values (p_account, p_id, 'unclaimed')
    on conflict on constraint claim_pkey do update set state = 'lapsed'
    returning * into claim;
  end if;
  state := claim.state;
  reported := claim.outcome;
end $$;
