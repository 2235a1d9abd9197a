-- Amounts in pieces: what was confirmed of the same subject within a day is weighed together, and the claim refuses a sum
-- that has moved.

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
-- the account, or of the API keys `value` (ids, with commas); of the row's kind, and of account and key of every kind where `kind` is null.
create or replace function gate_private.counts_moved(p_action gate.action, p_counted jsonb) returns boolean
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
      where a.account_id = p_action.account_id
        and (a.proposed_key = any (string_to_array(c.value, ',')) or a.decided_key = any (string_to_array(c.value, ',')))
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
