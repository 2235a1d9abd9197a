-- Amounts in pieces: what was confirmed of the same subject within a day is weighed together, and the claim refuses a sum
-- that has moved.

-- subject: what the money of a row is about. proposed_key, decided_key: the API keys that it was proposed and confirmed by.
alter table gate.action add column if not exists subject text;
alter table gate.action add column if not exists proposed_key text;
alter table gate.action add column if not exists decided_key text;

-- The subject of a row, from its frozen payload: no caller can say another.
create function gate_private.subject_of(p_kind text, p_payload json) returns text
language sql immutable as $$
  select case p_kind
    when 'refund' then p_payload ->> 'payment'
    when 'subscription_cancellation' then p_payload ->> 'subscription'
    when 'checkout' then p_payload ->> 'customer'
    -- All payouts go to the one bank of the account.
    when 'payout' then 'default_destination'
  end
$$;

create function gate_private.set_subject() returns trigger
language plpgsql as $$
begin
  new.subject := gate_private.subject_of(new.kind, new.payload);
  return new;
end $$;
create trigger action_subject before insert on gate.action
for each row when (new.kind in ('refund', 'subscription_cancellation', 'checkout', 'payout'))
execute function gate_private.set_subject();

-- Rows of before. The owner sees no rows while row-level security is forced.
alter table gate.action no force row level security;
update gate.action a set subject = gate_private.subject_of(a.kind, a.payload)
where a.kind in ('refund', 'subscription_cancellation', 'checkout', 'payout');
alter table gate.action force row level security;

create index action_confirmed_by_subject on gate.action (account_id, kind, subject, decided_at)
  where decision = 'confirm' and subject is not null;
create index action_confirmed_by_kind on gate.action (account_id, kind, decided_at) where decision = 'confirm';
create index action_confirmed_by_proposed_key on gate.action (account_id, proposed_key, decided_at)
  where decision = 'confirm' and proposed_key is not null;
create index action_confirmed_by_decided_key on gate.action (account_id, decided_key, decided_at)
  where decision = 'confirm' and decided_key is not null;
-- Without its condition on recipients: what is counted says its kind.
drop index gate.action_confirmed_by_member;
create index action_confirmed_by_member on gate.action (account_id, member_id, kind, decided_at) where decision = 'confirm';

-- Whether the counts that a decision about a row rests on are others now. Assumes the head's lock.
-- p_counted: [{ scope, value, kind, since, count }]: the confirmed actions since then of the row's member, of its subject, of
-- the account, or of the API key `value`; of the row's kind, and of account and key of every kind where `kind` is null.
create function gate_private.counts_moved(p_action gate.action, p_counted jsonb) returns boolean
language plpgsql as $$
declare
  c record;
  n bigint;
begin
  for c in
    select * from jsonb_to_recordset(coalesce(p_counted, '[]'))
      as c(scope text, value text, kind text, since timestamptz, count bigint)
  loop
    if c.scope = 'member' then
      select count(*) into n from gate.action a
      where a.account_id = p_action.account_id and a.member_id = p_action.member_id and a.kind = p_action.kind
        and a.decision = 'confirm' and a.decided_at > c.since;
    elsif c.scope = 'subject' then
      select count(*) into n from gate.action a
      where a.account_id = p_action.account_id and a.kind = p_action.kind and a.subject = p_action.subject
        and a.decision = 'confirm' and a.decided_at > c.since;
    elsif c.scope = 'account' and c.kind is not null then
      select count(*) into n from gate.action a
      where a.account_id = p_action.account_id and a.kind = p_action.kind and a.decision = 'confirm' and a.decided_at > c.since;
    elsif c.scope = 'account' then
      select count(*) into n from gate.action a
      where a.account_id = p_action.account_id and a.decision = 'confirm' and a.decided_at > c.since;
    elsif c.scope = 'key' then
      select count(*) into n from gate.action a
      where a.account_id = p_action.account_id and (a.proposed_key = c.value or a.decided_key = c.value)
        and (c.kind is null or a.kind = p_action.kind) and a.decision = 'confirm' and a.decided_at > c.since;
    else
      raise exception 'no scope of counting: %', c.scope;
    end if;
    if n is distinct from c.count then
      return true;
    end if;
  end loop;
  return false;
end $$;

-- BEGIN STOPGAP: with the change of the arbiter, `gate_private.counts_moved(action, p_counted)` is its one new line.
drop function gate.claim_decision;
-- As before, with p_counted in place of one count: the counts that the decision rests on (see counts_moved), or null.
create function gate.claim_decision(
  p_account text, p_id bigint, p_decision text, p_command uuid, p_event uuid, p_entry_tail text,
  p_expire_event uuid, p_expire_tail text, p_due_ms integer,
  p_member_version bigint, p_curricula_version bigint, p_policy_version bigint,
  p_counted jsonb,
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
    if outcome is null and gate_private.counts_moved(action, p_counted) then
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
    decided_key = ('{' || p_entry_tail)::json ->> 'key',
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

create or replace function gate.claim_connection(
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
    p_policy_version => p_policy_version, p_counted => null,
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
-- END STOPGAP
