-- Uses of bounded mandates: each is a debit, recorded by the statement that claims the action.

-- The agent that an API key stands for: the app that it is an access token of, else the first key of its chain of rotations.
create function gate_private.agent_of(p_account text, p_key_id text) returns text
language sql stable as $$
  select coalesce(
    (select k.grant_id from gate.api_key k where k.account_id = p_account and k.key_id = p_key_id),
    (select h.family from gate_private.api_key_hash h where h.account_id = p_account and h.key_id = p_key_id limit 1))
$$;

-- The agent of a key, for reads.
create function gate.mandate_agent(p_account text, p_key_id text) returns text
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  return gate_private.agent_of(p_account, p_key_id);
end $$;

-- Draws one use of a bounded mandate for an action or a tool call, if it still covers it: see the record for p_use. Limits of the policy
-- come with it (uses to cents_per_day; null: none), those of the mandate are read here, and the lower one counts.
-- p_action null: a tool call. The ledger head must be locked. Returns whether it was drawn.
create function gate_private.draw_mandate(
  p_account text, p_member_id text, p_key_id text, p_kind text, p_use jsonb, p_policy_version bigint, p_action bigint
) returns boolean
language plpgsql as $$
declare
  given record;
  held gate.mandate;
  signed gate.action;
  allowed json;
  spent record;
  now_at timestamptz := date_trunc('milliseconds', clock_timestamp());
  used_at timestamptz;
begin
  select * into given from jsonb_to_record(p_use) as fields(
    id bigint, epoch bigint, strength text, cents bigint, currency text,
    uses bigint, uses_per_day bigint, cents_max bigint, cents_per_day bigint);
  perform gate_private.require_fields(p_use, to_jsonb(given));
  select * into held from gate.mandate t where t.account_id = p_account and t.action_id = given.id;
  select * into signed from gate.action a where a.account_id = p_account and a.id = given.id;
  select w into allowed from json_array_elements(signed.payload -> 'allows') w where w ->> 'kind' = p_kind limit 1;
  if (
    held.scope is null and held.member_id = p_member_id and held.key_id = gate_private.agent_of(p_account, p_key_id)
    and held.ended_at is null and held.frozen_at is null and held.expires_at > now_at and held.epoch = given.epoch
    and signed.kind = 'mandate' and signed.status = 'executed' and signed.salt is not null
    and allowed is not null and p_kind <> all (array['integration', 'mandate', 'runner_mandate', 'preview', 'change_approval_rule'])
    and gate_private.is_within(given.strength, signed.consent_strength)
    and (given.cents is null) = (given.currency is null)
    -- Money would go another way than the member knew.
    and (p_kind not in ('refund', 'payout', 'checkout', 'subscription_cancellation') or not exists (
      select from gate.account c where c.account_id = p_account and c.stripe_changed_at > held.granted_at))
  ) is not true then
    return false;
  end if;
  select count(*) as uses, count(*) filter (where d.at >= d_day.starts) as uses_today,
    coalesce(sum(d.cents) filter (where d.currency = given.currency), 0) as cents,
    coalesce(sum(d.cents) filter (where d.currency = given.currency and d.at >= d_day.starts), 0) as cents_today
  into spent
  from (select date_trunc('day', now_at, 'UTC') as starts) d_day
  left join gate.mandate_debit d on d.account_id = p_account and d.mandate_id = given.id
  where d.n is not null;
  if (
    spent.uses < least((signed.payload ->> 'uses')::bigint, given.uses)
    and spent.uses_today < least((signed.payload ->> 'uses_per_day')::bigint, given.uses_per_day)
  ) is not true then
    return false;
  end if;
  -- A currency that the mandate has no budget for is not covered.
  if given.cents is not null and (
    given.cents <= (allowed #>> array['cents_each', given.currency])::bigint
    and spent.cents + given.cents <= (signed.payload #>> array['cents', given.currency])::bigint
    and spent.cents_today + given.cents <= (signed.payload #>> array['cents_per_day', given.currency])::bigint
    and spent.cents + given.cents <= coalesce(given.cents_max, spent.cents + given.cents)
    and spent.cents_today + given.cents <= coalesce(given.cents_per_day, spent.cents_today + given.cents)
  ) is not true then
    return false;
  end if;
  used_at := gate_private.note(
    p_account, gen_random_uuid(), 'mandate_used', given.id, p_member_id, p_key_id,
    jsonb_strip_nulls(jsonb_build_object(
      'policy_version', p_policy_version, 'strength', given.strength, 'by', 'mandate', 'n', held.uses + 1, 'used_for', p_action,
      'cents', given.cents, 'currency', given.currency)));
  update gate.mandate t set uses = t.uses + 1, last_used_at = used_at where t.account_id = p_account and t.action_id = given.id;
  insert into gate.mandate_debit (account_id, mandate_id, n, action_id, at, cents, currency)
  values (p_account, given.id, held.uses + 1, p_action, now_at, given.cents, given.currency);
  return true;
end $$;

-- Takes mandates that are over and whose members are to be told. Each is put off for p_again_ms, doubled with each try, so that nobody else
-- takes it meanwhile. email: null where the member is gone or has none.
create function gate.take_mandate_ends(p_limit integer, p_again_ms bigint)
returns table (
  account_id text, mandate_id bigint, uuid uuid, terms json, uses bigint, ended_by text, email text, tries integer
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  due gate_private.mandate_end_due;
begin
  for due in
    with picked as materialized (
      select o.account_id, o.mandate_id from gate_private.mandate_end_due o
      where o.due_at <= clock_timestamp()
      order by o.due_at
      limit p_limit
      for update skip locked
    )
    update gate_private.mandate_end_due d set
      tries = d.tries + 1,
      due_at = clock_timestamp() + p_again_ms * (2 ^ least(d.tries, 20)) * interval '1 millisecond'
    where (d.account_id, d.mandate_id) in (select p.account_id, p.mandate_id from picked p)
    returning d.*
  loop
    perform gate.tenant(due.account_id);
    return query
      select t.account_id, t.action_id, a.uuid, a.payload, t.uses, t.ended_by, case when m.is_active then m.email end, due.tries
      from gate.mandate t
      join gate.action a on a.account_id = t.account_id and a.id = t.action_id
      join gate.member m on m.account_id = t.account_id and m.member_id = t.member_id
      where t.account_id = due.account_id and t.action_id = due.mandate_id;
  end loop;
end $$;

-- Records that the member was told, or that it was given up.
create function gate.settle_mandate_end(p_account text, p_id bigint) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  delete from gate_private.mandate_end_due d where d.account_id = p_account and d.mandate_id = p_id;
end $$;
