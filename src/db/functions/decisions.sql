-- Deciding: confirm, cancel, expire and deny.

-- Decides a proposal: of all who try, one wins. p_decision: confirm, cancel, expire, admin_cancel.
-- A confirm or cancel comes with one of api_key, session and token (of the consent request that is answered), an
-- administrator's cancel with session or from the command line. strength: that of the consent, which the credential must
-- prove. card: the hash of the decision card. counted: see counts_moved; null if no limit applies.
-- reason: why an administrator cancels, or why a member declines (only the row has that text, its entry a salted digest).
-- key and request: the Idempotency-Key and the hash of its request, or null.
-- p_uuid: of the action that is meant, or null. A restored database gives a number again that a workflow still knows: with its
-- uuid, an action that is another one's is missing.
-- p_edit: of a member's confirm, version 2, which it consents to: see gate_private.edit; null: they changed nothing. Processes that
-- were started before it was known do not give it. p_passkey: what a passkey signed, see gate_private.take_passkey; null: none did.
-- outcome: claimed (also on a repeat of the same command), approved (others must still approve), replayed, reused, missing, lost
-- (already decided), expired, early (an expiry or an approval before its time), suspended, stale, moved (something else was confirmed that counts towards the same limit, or that
-- version 2 repeats; or the mandate no longer covers it), or the problem of the passkey.
-- voter: a member who approves what another one proposed, see gate_private.take_approval; null: the member who acts. voters: everybody
-- whose approval was seen. Of an action that others must approve, the claim is the last approval.
-- digest: of the action as it was read, before an edit of it: an approver who changed it meanwhile left it open. Null: not compared.
-- glass: {tell}, where the voter breaks the glass in place of those who must approve, see gate_private.break_glass; null: they do not.
-- p_mandate: the use of a mandate that consents instead of somebody, with the key of its agent: see gate_private.draw_mandate; or null.
create function gate.claim_decision(
  p_account text, p_id bigint, p_decision text, p_claim jsonb, p_uuid uuid default null, p_edit jsonb default null,
  p_passkey jsonb default null, p_mandate jsonb default null,
  out outcome text, out action gate.action
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  given record;
  used record;
  credential record;
  own_approval gate.approval;
  -- The approvals that the claim rests on.
  counted jsonb;
  -- Who decides, where members do.
  voter text;
  signed record;
  strength_max text;
  evidence json;
  actor text;
  age_hours integer;
  claimed_at timestamptz;
  closed_as text;
begin
  select * into given from jsonb_to_record(p_claim) as fields(
    command uuid, event uuid, expire_event uuid, due_ms integer,
    member_version bigint, curricula_version bigint, policy_version bigint, counted jsonb,
    tier text, strength text, channel text, card bytea, reason text,
    api_key bytea, session bytea, token bytea, key uuid, request bytea, voter text, voters jsonb, glass jsonb, digest text
  );
  -- Processes that were started before they were known do not give `voter`, `voters`, `glass` and `digest`.
  perform gate_private.require_fields('{"voter":null,"voters":null,"glass":null,"digest":null}' || p_claim, to_jsonb(given));
  if p_edit is not null and (
    p_decision <> 'confirm' or given.api_key is not null or given.card is null or given.glass is not null)
  then
    raise exception 'a member changes what they approve below its card' using errcode = 'check_violation';
  end if;
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  if p_decision = 'admin_cancel' then
    actor := gate_private.require_admin(p_account, given.session, 'actions.write');
  end if;
  select * into action from gate.action a
  where a.account_id = p_account and a.id = p_id and (p_uuid is null or a.uuid = p_uuid)
  for update;
  if not found then
    outcome := 'missing';
    return;
  end if;
  used := gate_private.replay(p_account, p_decision, given.key, given.request);
  voter := coalesce(given.voter, action.member_id);
  outcome := case
    when action.command_id = given.command then 'claimed'
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
    if given.api_key is not null then
      perform gate_private.require_key(p_account, given.api_key, p_decision, action.member_id, action.kind);
    end if;
    outcome := case when p_decision = 'expire' then 'claimed' else 'expired' end;
    action := gate_private.expire(p_account, p_id, given.expire_event);
    return;
  end if;
  if p_decision = 'confirm' then
    outcome := case
      when given.digest <> action.digest then 'stale'
      else gate_private.confirm_obstacle(
        p_account, action.member_id, given.member_version, given.curricula_version, given.policy_version) end;
    if outcome is null and given.counted is not null and gate_private.counts_moved(action, given.counted) then
      outcome := 'moved';
    end if;
    -- Before the credential, which is used up: what was shown may have said that version 2 repeats nothing.
    if outcome is null and p_edit is not null and (p_edit ->> 'duplicate_of')::bigint is distinct from gate_private.duplicate_of(
      p_account, action.member_id, action.kind, p_edit ->> 'payload',
      gate_private.recipients_of_edit(action, p_edit ->> 'channel'))
    then
      outcome := 'moved';
    end if;
    if outcome is not null then
      return;
    end if;
  end if;
  if action.approval_rule is not null and p_decision in ('confirm', 'cancel') then
    outcome := case
      -- A mandate consents where nobody else is asked.
      when p_mandate is not null then 'moved'
      when p_decision = 'confirm' then gate_private.approval_obstacle(
        action, voter, given.voters, coalesce(p_edit ->> 'digest', action.digest))
      when voter <> action.member_id and (action.consented_at is null or not gate_private.may_approve(action, voter, gate_private.seat_of(given.voters, voter))) then 'lost'
    end;
    if outcome is not null then
      return;
    end if;
  end if;
  if p_mandate is not null then
    action.decided_key := (gate_private.require_key(p_account, given.api_key, 'propose', action.member_id, action.kind)).key_id;
    if p_decision <> 'confirm' or given.strength is distinct from p_mandate ->> 'strength' then
      raise exception 'a mandate consents with the strength of its use' using errcode = 'check_violation';
    end if;
    -- Who proposed it must be the same agent, too.
    if gate_private.agent_of(p_account, action.proposed_key) is distinct from gate_private.agent_of(p_account, action.decided_key)
      or not gate_private.draw_mandate(
        p_account, action.member_id, action.decided_key, action.kind, p_mandate, given.policy_version, p_id)
    then
      outcome := 'moved';
      return;
    end if;
    actor := action.member_id;
    action.consent_by := 'mandate';
    action.mandate_id := (p_mandate ->> 'id')::bigint;
  elsif p_decision in ('confirm', 'cancel') then
    -- Before the credential, which is used up.
    if p_passkey is not null then
      signed := gate_private.take_passkey(
        action, voter, p_decision, coalesce(p_edit ->> 'digest', action.digest), given.card, p_passkey);
      if signed.problem is not null then
        outcome := signed.problem;
        return;
      end if;
      evidence := signed.evidence;
      strength_max := signed.strength_max;
    end if;
    credential := gate_private.credential_of(
      action, voter, p_decision, given.api_key, given.session, given.token);
    if credential.is_lost then
      outcome := 'lost';
      return;
    end if;
    -- A passkey adds to a page that the member reached, and to nothing less.
    if strength_max is null or credential.strength_max <> 'page' then
      strength_max := credential.strength_max;
    end if;
    if gate_private.is_within(given.strength, strength_max) is not true then
      raise exception 'a consent of strength % does not come this way', given.strength using errcode = 'check_violation';
    end if;
    actor := credential.actor;
    age_hours := credential.age_hours;
    if p_edit is not null then
      action := gate_private.edit(action, p_edit, actor);
    end if;
    action.decided_key := credential.api_key_id;
    action.consent_by := credential.decided_by;
  end if;
  if p_decision = 'confirm' and action.approval_rule is not null then
    own_approval := case
      when given.glass is null then gate_private.take_approval(action, voter, p_claim, credential.api_key_id, age_hours, evidence)
      else gate_private.break_glass(action, voter, p_claim, age_hours, evidence) end;
    counted := gate_private.approvals_counted(action, given.voters, null, null);
    if own_approval.n is null then
      perform gate_private.keep_key(p_account, p_decision, given.key, given.request, p_id);
      select * into action from gate.action a where a.account_id = p_account and a.id = p_id;
      outcome := 'approved';
      return;
    end if;
    given.strength := own_approval.strength;
    given.channel := own_approval.channel;
    given.card := own_approval.card;
    action.decided_key := own_approval.key_id;
    age_hours := null;
    evidence := null;
  end if;
  -- A cancel without an API key is the member's own.
  closed_as := case
    when p_decision = 'admin_cancel' then 'admin'
    when p_decision = 'cancel' and given.api_key is not null then 'proposer'
    when p_decision = 'cancel' and voter <> action.member_id then 'approver_declined'
    when p_decision = 'cancel' then 'member_declined'
  end;
  if closed_as in ('member_declined', 'approver_declined') then
    action.decline_reason := given.reason;
  end if;
  claimed_at := gate_private.note_change(
    p_account, given.event, case p_decision when 'confirm' then 'confirmed' else 'cancelled' end, p_id, actor,
    action.decided_key,
    jsonb_strip_nulls(case p_decision
      when 'confirm' then jsonb_build_object(
        'strength', given.strength, 'channel', given.channel, 'tier', given.tier, 'policy_version', given.policy_version,
        'card', encode(given.card, 'hex'), 'mailbox_age_hours', age_hours, 'passkey', evidence, 'mandate', action.mandate_id,
        'approvals', case when own_approval.n is not null then jsonb_array_length(counted) end, 'approved_by', counted,
        'glass_broken_by', case when given.glass is not null then voter end,
        'digest', case when p_edit is not null and own_approval.n is null then action.digest end)
        || case when action.kind = 'integration' then gate_private.connection_data(p_account, p_id) else '{}' end
      when 'cancel' then jsonb_build_object(
        'closed_reason', closed_as, 'source', given.channel, 'strength', given.strength,
        'for', case when voter <> action.member_id then gate_private.seat_of(given.voters, voter) end, 'card', encode(given.card, 'hex'),
        'mailbox_age_hours', age_hours, 'passkey', evidence,
        'decline_reason_digest', gate_private.payload_digest(action.salt, to_json(action.decline_reason)::text))
      else jsonb_build_object('closed_reason', closed_as, 'reason', given.reason)
    end));
  update gate.action a set
    decision = p_decision, decided_at = claimed_at, command_id = given.command, decided_key = action.decided_key,
    consent_strength = case when p_decision <> 'admin_cancel' then given.strength end,
    consent_by = action.consent_by, consent_passkey = coalesce(own_approval.passkey, evidence), mandate_id = action.mandate_id,
    consent_channel = case when p_decision <> 'admin_cancel' then given.channel end, card = given.card,
    status = case p_decision when 'confirm' then a.status else 'cancelled' end,
    consent_tier = case when p_decision = 'confirm' then given.tier end,
    consent_policy_version = case when p_decision = 'confirm' then given.policy_version end,
    closed_reason = closed_as, decline_reason = action.decline_reason
  where a.account_id = p_account and a.id = p_id
  returning * into action;
  update gate_private.open_action o set
    decided_at = claimed_at, wake = case p_decision when 'confirm' then 'confirm' else 'cancel' end,
    due_at = clock_timestamp() + given.due_ms * interval '1 millisecond'
  where o.uuid = action.uuid;
  perform gate_private.keep_key(p_account, p_decision, given.key, given.request, p_id);
  if action.status = 'cancelled' then
    perform pg_notify('gate_ended', action.uuid::text);
  end if;
  outcome := 'claimed';
end $$;

-- Denies a proposal: at its confirm, or when a late confirm is checked again before it executes (p_claimed).
-- p_code and p_needs (JSON or null): see gate.action. A denial at the confirm needs the credential of that confirm to be valid, and does not use it up.
-- outcome: denied, replayed, reused, lost, stale.
create function gate.deny_action(
  p_account text, p_id bigint, p_claimed boolean, p_reason text, p_code text, p_needs text, p_event uuid, p_due_ms integer,
  p_member_version bigint, p_curricula_version bigint, p_policy_version bigint, p_api_key bytea,
  p_key uuid, p_request bytea,
  out outcome text, out action gate.action
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  used record;
  held gate_private.api_key_hash;
  denied_at timestamptz;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  select * into action from gate.action a where a.account_id = p_account and a.id = p_id for update;
  if p_api_key is not null then
    held := gate_private.require_key(
      p_account, p_api_key, gate_private.power_to_ask(p_api_key, action.kind), action.member_id, action.kind);
  end if;
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
  denied_at := gate_private.note_change(
    p_account, p_event, 'denied', p_id, action.member_id, held.key_id,
    jsonb_strip_nulls(jsonb_build_object(
      'reason', p_reason, 'denial_code', p_code, 'denial_needs', p_needs::jsonb,
      'at', case when p_claimed then 'execution' else 'confirm' end)));
  update gate.action a
  set status = 'denied', decision = 'deny', decided_at = coalesce(a.decided_at, denied_at), denial_reason = p_reason,
    denial_code = p_code, denial_needs = p_needs::json, consent_strength = null, consent_by = null, consent_channel = null,
    consent_passkey = null, consent_tier = null, consent_policy_version = null
  where a.account_id = p_account and a.id = p_id
  returning * into action;
  update gate_private.open_action o
  set decided_at = clock_timestamp(), wake = 'cancel', due_at = clock_timestamp() + p_due_ms * interval '1 millisecond'
  where o.uuid = action.uuid;
  perform gate_private.keep_key(p_account, 'confirm', p_key, p_request, p_id);
  perform pg_notify('gate_ended', action.uuid::text);
  outcome := 'denied';
end $$;

-- Why a confirm cannot be claimed now: stale, suspended, or null. Stale comes first, because a denial checks only for stale, also
-- in a suspended account.
create function gate_private.confirm_obstacle(
  p_account text, p_member_id text, p_member_version bigint, p_curricula_version bigint, p_policy_version bigint
) returns text
language sql stable as $$
  select case
    when m.version <> p_member_version or c.curricula_version <> p_curricula_version
      or c.policy_version <> p_policy_version then 'stale'
    when c.suspended_at is not null then 'suspended'
  end
  from gate.account c
  join gate.member m on m.account_id = c.account_id and m.member_id = p_member_id
  where c.account_id = p_account
$$;

-- Closes a proposal that has expired. The ledger head must be locked and the action undecided. It leaves the outbox: its
-- workflow ends by its own timer.
create function gate_private.expire(p_account text, p_id bigint, p_event uuid) returns gate.action
language plpgsql as $$
declare
  closed gate.action;
  closed_at timestamptz;
begin
  closed_at := gate_private.note_change(
    p_account, p_event, 'expired', p_id, 'system', null, jsonb_build_object('closed_reason', 'expired'));
  update gate.action a
  set status = 'cancelled', decision = 'expire', decided_at = closed_at, closed_reason = 'expired'
  where a.account_id = p_account and a.id = p_id
  returning * into closed;
  delete from gate_private.open_action o where o.uuid = closed.uuid;
  perform pg_notify('gate_ended', closed.uuid::text);
  return closed;
end $$;

-- Notes in the ledger that a confirm, a cancel or a connection was refused. Changes nothing else.
-- p_actor: a member's id, `admin:` and an administrator's id, or `unknown`.
create function gate.note_refusal(
  p_account text, p_id bigint, p_event uuid, p_decision text, p_reason text, p_source text, p_actor text,
  p_api_key bytea
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  if not exists (select 1 from gate.action a where a.account_id = p_account and a.id = p_id) then
    raise exception 'there is no action %', p_id using errcode = 'check_violation';
  end if;
  perform gate_private.note(
    p_account, p_event, 'decision_refused', p_id, p_actor, gate_private.named_key(p_account, p_api_key),
    jsonb_build_object('decision', p_decision, 'reason', p_reason, 'source', p_source));
end $$;
