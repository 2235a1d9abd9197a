-- Proposals and decisions. Each function is the only way its change happens, and answers what happened.

-- outcome: created, replayed (same key and request), reused (same key, other request), stale (facts moved), too_many.
create function gate.propose(
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
    requires_confirmation, denial_reason, reach_slack, reach_email, reach_unreachable, recipients, digest, expires_at
  ) values (
    p_account, new_id, p_uuid, p_kind, p_status, p_member_id, p_member, p_tier, p_source, p_payload::json, p_salt, new_at,
    p_status = 'proposed', p_denial_reason, p_reach_slack, p_reach_email, p_reach_unreachable, p_recipients,
    case when p_status = 'proposed' then encode(sha256(convert_to(
      '{"account":"' || p_account || '","id":' || new_id || ',' || p_digest_tail, 'UTF8')), 'hex') end,
    case when p_status = 'proposed' then new_at + p_ttl_ms * interval '1 millisecond' end
  ) returning * into action;
  if p_status = 'proposed' then
    insert into gate_private.open_action (uuid, account_id, action_id, kind, expires_at, wake, due_at)
    values (p_uuid, p_account, new_id, p_kind, action.expires_at, 'start', clock_timestamp() + p_due_ms * interval '1 millisecond');
  end if;
  perform gate_private.keep_key(p_account, 'propose', p_key, p_request, new_id);
  outcome := 'created';
end $$;

-- Closes a proposal whose time is over. Assumes the head's lock and an undecided row.
create function gate_private.expire(p_account text, p_id bigint, p_event uuid, p_tail text, p_due_ms integer)
returns gate.action
language plpgsql as $$
declare
  closed gate.action;
  closed_at timestamptz;
begin
  closed_at := gate_private.append(p_account, p_event, 'expired', p_id, p_tail);
  update gate.action a
  set status = 'cancelled', decision = 'expire', decided_at = closed_at, closed_reason = 'expired'
  where a.account_id = p_account and a.id = p_id
  returning * into closed;
  update gate_private.open_action o
  set decided_at = closed_at, wake = 'cancel', due_at = clock_timestamp() + p_due_ms * interval '1 millisecond'
  where o.uuid = closed.uuid;
  return closed;
end $$;

-- The arbiter of every race about a proposal. p_decision: confirm, cancel, expire, admin_cancel.
-- outcome: claimed (also on a repeat of the same command), replayed, reused, missing, lost, expired, early (an expiry
-- before its time), suspended, stale.
create function gate.claim_decision(
  p_account text, p_id bigint, p_decision text, p_command uuid, p_event uuid, p_entry_tail text,
  p_expire_event uuid, p_expire_tail text, p_due_ms integer,
  p_member_version bigint, p_curricula_version bigint, p_policy_version bigint,
  p_consent_strength text, p_consent_by text, p_consent_channel text, p_key uuid, p_request bytea,
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
    if outcome is not null then
      return;
    end if;
  end if;
  claimed_at := gate_private.append(
    p_account, p_event, case p_decision when 'confirm' then 'confirmed' else 'cancelled' end, p_id, p_entry_tail);
  update gate.action a set
    decision = p_decision, decided_at = claimed_at, command_id = p_command,
    consent_strength = p_consent_strength, consent_by = p_consent_by, consent_channel = p_consent_channel,
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

-- Why a confirm may not be claimed now: suspended, stale, or null.
create function gate_private.confirm_obstacle(
  p_account text, p_member_id text, p_member_version bigint, p_curricula_version bigint, p_policy_version bigint
) returns text
language sql stable as $$
  select case
    when c.suspended_at is not null then 'suspended'
    when m.version <> p_member_version or c.curricula_version <> p_curricula_version
      or c.policy_version <> p_policy_version then 'stale'
  end
  from gate.account c
  join gate.member m on m.account_id = c.account_id and m.member_id = p_member_id
  where c.account_id = p_account
$$;

-- Denies a proposal at its confirm, or, claimed but late, before it began. outcome: denied, replayed, reused, lost, stale.
create function gate.deny_action(
  p_account text, p_id bigint, p_claimed boolean, p_reason text, p_event uuid, p_entry_tail text, p_due_ms integer,
  p_member_version bigint, p_curricula_version bigint, p_policy_version bigint, p_key uuid, p_request bytea,
  out outcome text, out action gate.action
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  used record;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  select * into action from gate.action a where a.account_id = p_account and a.id = p_id for update;
  used := gate_private.replay(p_account, 'confirm', p_key, p_request);
  if used.outcome <> 'new' then
    outcome := used.outcome;
    return;
  end if;
  if action.status = 'denied' and exists (
    select 1 from gate.ledger l where l.account_id = p_account and l.event_id = p_event
  ) then
    outcome := 'denied';
    return;
  end if;
  if action.status <> 'proposed' or action.begun_at is not null or (action.decision is not null) <> p_claimed then
    outcome := 'lost';
    return;
  end if;
  if gate_private.confirm_obstacle(
    p_account, action.member_id, p_member_version, p_curricula_version, p_policy_version) = 'stale' then
    outcome := 'stale';
    return;
  end if;
  perform gate_private.append(p_account, p_event, 'denied', p_id, p_entry_tail);
  update gate.action a
  set status = 'denied', decision = 'deny', decided_at = coalesce(a.decided_at, clock_timestamp()), denial_reason = p_reason,
    consent_strength = null, consent_by = null, consent_channel = null
  where a.account_id = p_account and a.id = p_id
  returning * into action;
  update gate_private.open_action o
  set decided_at = clock_timestamp(), wake = 'cancel', due_at = clock_timestamp() + p_due_ms * interval '1 millisecond'
  where o.uuid = action.uuid;
  perform gate_private.keep_key(p_account, 'confirm', p_key, p_request, p_id);
  perform pg_notify('gate_ended', action.uuid::text);
  outcome := 'denied';
end $$;

-- Notes in the ledger that a confirm or cancel was refused. Changes nothing else.
create function gate.note_refusal(p_account text, p_id bigint, p_event uuid, p_tail text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  perform gate_private.append(p_account, p_event, 'decision_refused', p_id, p_tail);
end $$;

-- Ends a confirmed action: p_status executed, or cancelled where the provider refused and nothing was done.
-- p_delivered_*: entries of steps that were not noted yet, to go before the end. A repeat answers the row as it stands.
create function gate.finish_action(
  p_account text, p_id bigint, p_status text, p_result text, p_closed_reason text, p_event uuid, p_entry_tail text,
  p_delivered_events uuid[], p_delivered_tails text[],
  out outcome text, out action gate.action
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  ended_at timestamptz;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  select * into action from gate.action a where a.account_id = p_account and a.id = p_id for update;
  if action.status <> 'proposed' then
    outcome := 'ended';
    delete from gate_private.open_action o where o.uuid = action.uuid;
    return;
  end if;
  if action.decision is distinct from 'confirm' then
    raise exception 'action % was not confirmed', p_id using errcode = 'check_violation';
  end if;
  perform gate_private.append(p_account, u.event, 'delivered', p_id, u.tail)
  from unnest(p_delivered_events, p_delivered_tails) u(event, tail);
  ended_at := gate_private.append(
    p_account, p_event, case p_status when 'executed' then 'executed' else 'cancelled' end, p_id, p_entry_tail);
  update gate.action a set
    status = p_status, result = p_result::json, closed_reason = p_closed_reason,
    executed_at = case p_status when 'executed' then ended_at end
  where a.account_id = p_account and a.id = p_id
  returning * into action;
  delete from gate_private.open_action o where o.uuid = action.uuid;
  perform pg_notify('gate_ended', action.uuid::text);
  outcome := 'finished';
end $$;
