-- Limits that several keys and members share. The ledger head must be locked, so that nothing is counted twice.

-- Whether something else was confirmed since a decision read its counts: then the decision is made again.
-- p_counted: [{ scope, value, kind, since, count }], each the number of actions confirmed after `since`.
-- scope: member, subject, customer, account, or key (`value`: ids of API keys, separated by commas). Counts of member, subject and
-- customer are of the action's kind; those of account and key are of every kind if `kind` is null.
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
    elsif c.scope = 'customer' then
      select count(*) into n from gate.action a
      where a.account_id = p_action.account_id and a.kind = p_action.kind and a.customer = p_action.customer
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

-- Whether this key may have one more of the member's open proposals: at most half of them, rounded up, while other keys may
-- act for the member. p_key_id null: no key asks, and no share applies.
create function gate_private.open_share_left(
  p_account text, p_member_id text, p_key_id text, p_open_max integer
) returns boolean
language sql stable as $$
  select p_key_id is null
    or (
      select count(*) from gate.action a
      where a.account_id = p_account and a.member_id = p_member_id and a.status = 'proposed' and a.decision is null
        and a.proposed_key = any (gate_private.keys_beside(p_account, p_key_id))
    ) < (p_open_max + 1) / 2
    or not gate_private.is_shared(p_account, p_member_id, p_key_id)
$$;

-- Whether one more consent request may go to this member today. p_day_max null: no limit.
create function gate_private.ask_day_left(p_account text, p_member_id text, p_day_max integer) returns boolean
language sql stable as $$
  select p_day_max is null or p_day_max > (
    select count(*) from gate.consent_request q
    where q.account_id = p_account and q.member_id = p_member_id and q.created_at > statement_timestamp() - interval '1 day'
  )
$$;

-- Whether this key may send the member one more consent request: at most half of those of an hour and of a day, rounded up,
-- while other keys may act for the member.
create function gate_private.ask_share_left(
  p_account text, p_member_id text, p_key_id text, p_hour_max integer, p_day_max integer
) returns boolean
language plpgsql stable as $$
declare
  of_hour bigint;
  of_day bigint;
begin
  if p_key_id is null then
    return true;
  end if;
  select count(*) filter (where q.created_at > clock_timestamp() - interval '1 hour'), count(*)
  into of_hour, of_day
  from gate.consent_request q
  where q.account_id = p_account and q.member_id = p_member_id
    and q.asked_key = any (gate_private.keys_beside(p_account, p_key_id))
    and q.created_at > statement_timestamp() - interval '1 day';
  return (of_hour < (p_hour_max + 1) / 2 and (p_day_max is null or of_day < (p_day_max + 1) / 2))
    or not gate_private.is_shared(p_account, p_member_id, p_key_id);
end $$;

-- Whether another key proposes for this member, or did within a week. Only then a key is held to its share.
create function gate_private.is_shared(p_account text, p_member_id text, p_key_id text) returns boolean
language sql stable as $$
  select exists (
    select 1 from gate_private.api_key_hash k
    where k.account_id = p_account and k.key_id <> all (gate_private.keys_beside(p_account, p_key_id)) and k.revoked_at is null
      and (k.expires_at is null or k.expires_at > clock_timestamp()) and 'propose' = any (k.powers)
      and (k.actors is null or p_member_id = any (k.actors))
      and k.last_used_at > clock_timestamp() - interval '7 days'
  )
$$;
