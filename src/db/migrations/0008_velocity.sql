-- How much a member did within a day: the index to count it by, and an arbiter that refuses a count that has moved.

create index action_confirmed_by_member on gate.action (account_id, member_id, kind, decided_at)
  where decision = 'confirm' and recipients is null;

drop function gate.claim_decision;
-- The arbiter of every race about a proposal. p_decision: confirm, cancel, expire, admin_cancel.
-- outcome: claimed (also on a repeat of the same command), replayed, reused, missing, lost, expired, early (an expiry
-- before its time), suspended, stale, moved (the count of the day is another by now).
-- p_confirmed_*: how many of its kind the member had confirmed since then, where the decision rests on it; else null.
create function gate.claim_decision(
  p_account text, p_id bigint, p_decision text, p_command uuid, p_event uuid, p_entry_tail text,
  p_expire_event uuid, p_expire_tail text, p_due_ms integer,
  p_member_version bigint, p_curricula_version bigint, p_policy_version bigint,
  p_confirmed_since timestamptz, p_confirmed integer,
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
