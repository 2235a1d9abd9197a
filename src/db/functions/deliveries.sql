-- Sending a broadcast, slice by slice, to the recipients that it is frozen to.

-- Divides the frozen recipients into slices, once, and only while the action is being executed. Returns how many slices each
-- channel has.
create function gate.lay_out_deliveries(p_account text, p_id bigint, p_slack_max integer, p_email_max integer)
returns table (channel text, slices bigint)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  perform 1 from gate.action a
  where a.account_id = p_account and a.id = p_id and a.decision = 'confirm' and a.status = 'proposed'
  for update;
  if not found then
    return;
  end if;
  if not exists (select 1 from gate.delivery d where d.account_id = p_account and d.action_id = p_id) then
    perform gate_private.lay_out(p_account, p_id, 'slack', p_slack_max),
      gate_private.lay_out(p_account, p_id, 'email', p_email_max),
      gate_private.lay_out(p_account, p_id, 'teams', 1);
  end if;
  return query
    select d.channel, count(*) from gate.delivery d
    where d.account_id = p_account and d.action_id = p_id
    group by d.channel order by d.channel;
end $$;

-- Records one slice (p_record) and claims the next (p_slice); either may be null. Only states that are under way are
-- recorded: what is settled stays. Of what was under way when its action ended (`not_recorded`), the outcome is recorded late.
-- `pending` is none then: nothing was sent, so it has failed. Nothing is claimed before the confirm or after the end: a worker
-- that was frozen meanwhile may go on, but the result counts what it did not send as failed. The message is frozen by the claim
-- before the send, and stays while its outcome is unknown; a later send of the slice may use another credential and message.
-- p_most: how many of those that wait are claimed, the first ones; null: all.
-- The message has the id of its claim: the same one again, whose answer was lost, gets its answer again, as long as no other attempt
-- has begun, and changes nothing: it may also be the first statement, which comes after its repeat.
-- outcome: send (was_sending: an earlier send may have happened; is_suspended: that send is only looked for), look_up (p_message
-- null: nothing is claimed; `sending` in the answer are those that a claim would send to), suspended (the rest fails), done
-- (nothing is left).
create function gate.step_delivery(
  p_account text, p_id bigint, p_channel text,
  p_record integer, p_attempt integer, p_states text[], p_provider_ids text[], p_codes text[],
  p_slice integer, p_slice_max integer, p_message text, p_most integer,
  out outcome text, out delivery gate.delivery, out was_sending boolean, out is_suspended boolean
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  is_executing boolean;
begin
  perform gate.tenant(p_account);
  if p_slice is not null then
    -- The action first, as where it ends: the end waits for this claim, or this claim finds it ended.
    select a.decision = 'confirm' and a.status = 'proposed' into is_executing from gate.action a
    where a.account_id = p_account and a.id = p_id
    for key share;
  end if;
  if p_record is not null then
    update gate.delivery d set (states, provider_ids, codes) = (
      select array_agg(case
          when u.was = 'sending' then u.state
          when u.is_late then case u.state when 'pending' then 'failed' when 'sending' then 'unknown' else u.state end
          else u.was end order by u.n),
        array_agg(case when u.was = 'sending' or u.is_late then u.provider_id else u.old_id end order by u.n),
        array_agg(case when u.was = 'sending' or u.is_late then u.code else u.old_code end order by u.n)
      from (
        select f.*, f.was = 'unknown' and f.old_code = 'not_recorded' as is_late
        from unnest(d.states, p_states, d.provider_ids, p_provider_ids, d.codes, p_codes)
          with ordinality f(was, state, old_id, provider_id, old_code, code, n)
      ) u
      where u.was is not null)
    where d.account_id = p_account and d.action_id = p_id and d.channel = p_channel and d.slice = p_record
      and d.attempt = p_attempt and ('sending' = any (d.states) or 'not_recorded' = any (d.codes));
  end if;
  outcome := 'done';
  if p_slice is null then
    perform gate_private.commit_behind();
    return;
  end if;
  if is_executing is not true then
    return;
  end if;
  for tries in 1..2 loop
    select * into delivery from gate.delivery d
    where d.account_id = p_account and d.action_id = p_id and d.channel = p_channel and d.slice = p_slice
    for update;
    exit when found;
    perform gate_private.lay_out(p_account, p_id, p_channel, p_slice_max);
  end loop;
  if not found then
    return;
  end if;
  was_sending := 'sending' = any (delivery.states);
  if not was_sending and not 'pending' = any (delivery.states) then
    return;
  end if;
  outcome := 'send';
  if delivery.message::text = p_message and p_message::json ->> 'claim' is not null then
    was_sending := false;
    return;
  end if;
  select a.suspended_at is not null into is_suspended from gate.account a where a.account_id = p_account;
  if not was_sending and is_suspended then
    outcome := 'suspended';
    update gate.delivery d
    set states = array_replace(d.states, 'pending', 'failed'),
      codes = array(select case s when 'pending' then 'account_suspended' else c end from unnest(d.states, d.codes) u(s, c))
    where d.account_id = p_account and d.action_id = p_id and d.channel = p_channel and d.slice = p_slice;
    return;
  end if;
  if not was_sending then
    delivery.states := array(
      select case
        when u.state <> 'pending' or count(*) filter (where u.state = 'pending') over (order by u.n) > p_most then u.state
        -- A room is nobody's.
        when m.is_active or p_channel = 'teams' then 'sending'
        else 'unreachable'
      end
      from unnest(delivery.members, delivery.states) with ordinality u(member, state, n)
      left join gate.member m on m.account_id = p_account and m.member_id = u.member
      order by u.n
    );
    if p_message is null then
      outcome := 'look_up';
      perform gate_private.commit_behind();
      return;
    end if;
  end if;
  update gate.delivery d set
    attempt = d.attempt + 1,
    round = d.round + case when was_sending then 0 else 1 end,
    message = case when was_sending then (d.message::jsonb - 'claim')::json else p_message::json end,
    attempted_at = case when was_sending then d.attempted_at else clock_timestamp() end,
    -- Nothing is known yet of deliveries under way.
    codes = array(
      select case u.state when 'sending' then '' else u.code end
      from unnest(delivery.states, d.codes) with ordinality u(state, code, n) order by u.n),
    states = delivery.states
  where d.account_id = p_account and d.action_id = p_id and d.channel = p_channel and d.slice = p_slice
  returning * into delivery;
end $$;

-- Records the slices of an action, all or none. p_records: [{ channel, slice, attempt, states, provider_ids, codes }].
-- False unless they are all the slices there are, each still sent by the attempt that is recorded, or as recorded already.
create function gate_private.record_slices(p_account text, p_id bigint, p_records jsonb) returns boolean
language plpgsql as $$
declare
  slices bigint;
  fitting bigint;
begin
  select count(*), count(r.slice) into slices, fitting
  from (select * from gate.delivery d where d.account_id = p_account and d.action_id = p_id for update) d
  left join jsonb_to_recordset(p_records) as r(channel text, slice integer, attempt integer, states text[])
    on r.channel = d.channel and r.slice = d.slice and r.attempt = d.attempt
      and ('sending' = any (d.states) or d.states = r.states);
  if slices <> fitting or fitting <> jsonb_array_length(p_records) then
    return false;
  end if;
  update gate.delivery d set states = r.states, provider_ids = r.provider_ids, codes = r.codes
  from jsonb_to_recordset(p_records) as r(
    channel text, slice integer, states text[], provider_ids text[], codes text[])
  where d.account_id = p_account and d.action_id = p_id and d.channel = r.channel and d.slice = r.slice;
  return true;
end $$;

-- Ends what was not sent: it will not be; and what is being sent, whose outcome may be recorded later. False, with nothing done,
-- unless p_result counts those that were sent to, and those that perhaps were, as they are now: a claim came after they were counted.
create function gate_private.settle_slices(p_account text, p_id bigint, p_result jsonb) returns boolean
language plpgsql as $$
begin
  -- So that nothing is recorded between the count and the end.
  perform 1 from gate.delivery d where d.account_id = p_account and d.action_id = p_id order by d.channel, d.slice for update;
  perform from (values ('slack'), ('email'), ('teams')) c(channel)
  cross join lateral (
    select count(*) filter (where u.state = 'ok') as sent, count(*) filter (where u.state in ('sending', 'unknown')) as perhaps
    from gate.delivery d cross join unnest(d.states) u(state)
    where d.account_id = p_account and d.action_id = p_id and d.channel = c.channel
  ) n
  where to_jsonb(n.sent) <> coalesce(p_result -> c.channel, '0')
    or to_jsonb(n.perhaps) <> coalesce(p_result -> 'unknown' -> c.channel, '0');
  if found then
    return false;
  end if;
  update gate.delivery d set (states, codes) = (
    select array_agg(case u.state when 'pending' then 'failed' when 'sending' then 'unknown' else u.state end order by u.n),
      array_agg(case
        when u.code <> '' then u.code
        else case u.state when 'pending' then 'not_sent' when 'sending' then 'not_recorded' else '' end end order by u.n)
    from unnest(d.states, d.codes) with ordinality u(state, code, n))
  where d.account_id = p_account and d.action_id = p_id and d.states && array['pending', 'sending'];
  return true;
end $$;

-- Divides the frozen recipients of one channel into slices, once. A set that was changed since it was frozen has no recipients.
create function gate_private.lay_out(p_account text, p_id bigint, p_channel text, p_slice_max integer) returns void
language sql as $$
  insert into gate.delivery (account_id, action_id, channel, slice, members, addresses, states, provider_ids, codes)
  select p_account, p_id, p_channel, placed.slice, array_agg(placed.member order by placed.n),
    array_agg(placed.address order by placed.n), array_agg('pending'::text), array_agg(''::text), array_agg(''::text)
  from (
    select r.member, r.address, r.n, (row_number() over (order by r.n) - 1) / p_slice_max as slice
    from gate.action a
    join gate.recipient_set s on s.account_id = a.account_id and s.sha256 = a.recipients
      and gate_private.recipients_hash(s.members, s.channels, s.addresses) = s.sha256
    cross join lateral unnest(s.members, s.channels, s.addresses) with ordinality as r(member, channel, address, n)
    where a.account_id = p_account and a.id = p_id and r.channel = p_channel
  ) placed
  group by placed.slice
  on conflict do nothing
$$;

-- Appends the `delivered` entry of one step, once for each event.
create function gate.note_delivered(p_account text, p_id bigint, p_event uuid, p_step text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  if not exists (
    select 1 from gate.action a where a.account_id = p_account and a.id = p_id and a.decision = 'confirm'
  ) then
    raise exception 'action % was not confirmed', p_id using errcode = 'check_violation';
  end if;
  perform gate_private.note(
    p_account, p_event, 'delivered', p_id, 'system', null, gate_private.delivered_data(p_account, p_id, p_step));
end $$;

-- The data of that entry: how many recipients are in each state. p_step: `<channel>:<from>-<to>`, slices. What was under way when the
-- action ended is `sending`: its outcome may be recorded later.
create function gate_private.delivered_data(p_account text, p_id bigint, p_step text) returns jsonb
language plpgsql stable as $$
declare
  part text[] := regexp_match(p_step, '^(\w+):(\d+)-(\d+)$');
  counts jsonb;
begin
  select jsonb_object_agg(s.state, s.count) into counts
  from (
    select o.state, count(*) as count
    from gate.delivery d cross join unnest(d.states, d.codes) u(state, code)
    cross join lateral (values (case when u.code = 'not_recorded' then 'sending' else u.state end)) o(state)
    where d.account_id = p_account and d.action_id = p_id
      and d.channel = part[1] and d.slice >= part[2]::integer and d.slice < part[3]::integer
    group by o.state
  ) s;
  return jsonb_build_object('step', p_step) || coalesce(counts, '{}');
end $$;

-- SHA-256 over the RFC 8785 form of the recipients, as src/ledger/digest.ts computes it.
create function gate_private.recipients_hash(p_members text[], p_channels text[], p_addresses text[]) returns bytea
language sql immutable
return (
  select sha256(convert_to('[' || coalesce(string_agg(
    '[' || coalesce(to_json(r.member)::text, 'null') || ',' || coalesce(to_json(r.channel)::text, 'null') || ','
      || coalesce(to_json(r.address)::text, 'null') || ']', ',' order by r.n), '') || ']', 'UTF8'))
  from unnest(p_members, p_channels, p_addresses) with ordinality as r(member, channel, address, n)
);

-- Stores a recipient set under its hash, once, and again if it was forgotten. The hash is computed here too: a set under the
-- hash of another would be delivered to instead of the one that was shown.
create function gate.keep_recipients(
  p_account text, p_sha256 bytea, p_members text[], p_channels text[], p_addresses text[]
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  if p_sha256 <> gate_private.recipients_hash(p_members, p_channels, p_addresses) then
    raise exception 'the recipients do not match their hash' using errcode = 'check_violation';
  end if;
  insert into gate.recipient_set as s (account_id, sha256, members, channels, addresses)
  values (p_account, p_sha256, p_members, p_channels, p_addresses)
  on conflict on constraint recipient_set_pkey do update set
    kept_at = clock_timestamp(),
    forgotten_at = null,
    -- A set that a proposal may be frozen to never changes.
    members = case when s.forgotten_at is null then s.members else excluded.members end,
    channels = case when s.forgotten_at is null then s.channels else excluded.channels end,
    addresses = case when s.forgotten_at is null then s.addresses else excluded.addresses end;
end $$;

-- Empties recipient sets that no proposal was frozen to for 90 days and no open action needs. Their hashes stay, and what was
-- delivered to whom is with the deliveries. Returns how many.
create function gate.forget_recipients(p_account text, p_limit integer) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  forgotten bigint;
begin
  perform gate.tenant(p_account);
  with picked as materialized (
    select old.sha256 from gate.recipient_set old
    where old.account_id = p_account and old.forgotten_at is null and old.kept_at < clock_timestamp() - interval '90 days'
      and not exists (
        select 1 from gate.action a
        where a.account_id = p_account and a.status = 'proposed' and a.recipients = old.sha256
      )
    order by old.kept_at
    limit p_limit
    for update skip locked
  )
  update gate.recipient_set s set members = '{}', channels = '{}', addresses = '{}', forgotten_at = clock_timestamp()
  where s.account_id = p_account and s.sha256 in (select p.sha256 from picked p);
  get diagnostics forgotten = row_count;
  return forgotten;
end $$;
