-- What the workers do: begin, slice by slice, and the upkeep of what is open.

-- Lets this transaction commit before it is on disk, where a crash that loses it only has it done again: the next commit
-- that waits for the disk takes it along, and every write of an intent does wait.
create function gate_private.commit_behind() returns void
language plpgsql as $$
begin
  perform set_config('synchronous_commit', 'off', true);
end $$;

-- Reads the decision that stands and, where it is a confirm, marks the execution as begun, once.
-- p_late_ok false: a confirm past its expiry is not begun, so that tier and policy can be read again first.
-- outcome: missing, waiting, closed, late, begun.
create function gate.begin_execution(
  p_account text, p_id bigint, p_late_ok boolean, out outcome text, out action gate.action, out proposer_name text
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account), gate_private.commit_behind();
  select * into action from gate.action a where a.account_id = p_account and a.id = p_id for update;
  outcome := case
    when action.id is null then 'missing'
    when action.status <> 'proposed' then 'closed'
    when action.decision is null then 'waiting'
    when action.begun_at is null and action.expires_at <= clock_timestamp() and not p_late_ok then 'late'
    else 'begun'
  end;
  if outcome = 'begun' then
    if action.begun_at is null then
      update gate.action a set begun_at = clock_timestamp()
      where a.account_id = p_account and a.id = p_id
      returning * into action;
    end if;
    select m.name into proposer_name from gate.member m
    where m.account_id = p_account and m.member_id = action.member_id;
  end if;
  if outcome = 'closed' then
    delete from gate_private.open_action o where o.uuid = action.uuid;
  end if;
end $$;

-- Cuts the frozen recipients of one channel into slices, once.
create function gate_private.lay_out(p_account text, p_id bigint, p_channel text, p_slice_max integer) returns void
language sql as $$
  insert into gate.delivery (account_id, action_id, channel, slice, members, addresses, states, provider_ids, codes)
  select p_account, p_id, p_channel, placed.slice, array_agg(placed.member order by placed.n),
    array_agg(placed.address order by placed.n), array_agg('pending'::text), array_agg(''::text), array_agg(''::text)
  from (
    select r.member, r.address, r.n, (row_number() over (order by r.n) - 1) / p_slice_max as slice
    from gate.action a
    join gate.recipient_set s on s.account_id = a.account_id and s.sha256 = a.recipients
    cross join lateral unnest(s.members, s.channels, s.addresses) with ordinality as r(member, channel, address, n)
    where a.account_id = p_account and a.id = p_id and r.channel = p_channel
  ) placed
  group by placed.slice
  on conflict do nothing
$$;

-- Cuts the frozen recipients into slices, once. Returns how many slices each channel has.
create function gate.lay_out_deliveries(p_account text, p_id bigint, p_slack_max integer, p_email_max integer)
returns table (channel text, slices bigint)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  perform 1 from gate.action a where a.account_id = p_account and a.id = p_id for update;
  if not exists (select 1 from gate.delivery d where d.account_id = p_account and d.action_id = p_id) then
    perform gate_private.lay_out(p_account, p_id, 'slack', p_slack_max), gate_private.lay_out(p_account, p_id, 'email', p_email_max);
  end if;
  return query
    select d.channel, count(*) from gate.delivery d
    where d.account_id = p_account and d.action_id = p_id
    group by d.channel order by d.channel;
end $$;

-- Records the outcomes of one slice's send, if p_attempt is still the attempt that holds it; then claims another slice.
-- p_slice null: records only. p_record null: claims only. Claiming turns `pending` into `sending` (members who have been
-- deactivated into `unreachable`) and returns what to send and what an earlier attempt left `sending`. A channel that was
-- not laid out yet is, in slices of p_slice_max.
-- outcome: send, done (nothing left in that slice), suspended (the account's stop switch: the rest has failed).
create function gate.step_delivery(
  p_account text, p_id bigint, p_channel text,
  p_record integer, p_attempt integer, p_states text[], p_provider_ids text[], p_codes text[],
  p_slice integer, p_slice_max integer, p_message text,
  out outcome text, out delivery gate.delivery, out was_sending boolean
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  if p_record is not null then
    update gate.delivery d set states = p_states, provider_ids = p_provider_ids, codes = p_codes
    where d.account_id = p_account and d.action_id = p_id and d.channel = p_channel and d.slice = p_record
      and d.attempt = p_attempt;
  end if;
  outcome := 'done';
  if p_slice is null then
    perform gate_private.commit_behind();
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
  if not was_sending and exists (
    select 1 from gate.account a where a.account_id = p_account and a.suspended_at is not null
  ) then
    outcome := 'suspended';
    update gate.delivery d
    set states = array_replace(d.states, 'pending', 'failed'),
      codes = array(select case s when 'pending' then 'account_suspended' else c end from unnest(d.states, d.codes) u(s, c))
    where d.account_id = p_account and d.action_id = p_id and d.channel = p_channel and d.slice = p_slice;
    return;
  end if;
  update gate.delivery d set
    attempt = d.attempt + 1,
    round = d.round + case when was_sending then 0 else 1 end,
    message = coalesce(d.message, p_message::json),
    attempted_at = case when was_sending then d.attempted_at else clock_timestamp() end,
    states = case when was_sending then d.states else array(
      select case
        when u.state <> 'pending' then u.state
        when m.is_active then 'sending'
        else 'unreachable'
      end
      from unnest(d.members, d.states) with ordinality u(member, state, n)
      left join gate.member m on m.account_id = p_account and m.member_id = u.member
      order by u.n
    ) end
  where d.account_id = p_account and d.action_id = p_id and d.channel = p_channel and d.slice = p_slice
  returning * into delivery;
end $$;

-- Appends the `delivered` entry of one step, once per event id.
create function gate.note_delivered(p_account text, p_id bigint, p_event uuid, p_tail text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  perform gate_private.append(p_account, p_event, 'delivered', p_id, p_tail);
end $$;

-- Takes what is due for a wake, putting it off so that nobody else takes it at once.
create function gate.take_due(p_limit integer, p_again_ms integer)
returns table (uuid uuid, account_id text, action_id bigint, kind text, wake text, expires_at timestamptz)
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  update gate_private.open_action o
  set due_at = clock_timestamp() + p_again_ms * interval '1 millisecond', woken = o.woken + 1
  from (
    select d.uuid from gate_private.open_action d
    where d.due_at <= clock_timestamp()
    order by d.due_at
    limit p_limit
    for update skip locked
  ) due
  where o.uuid = due.uuid
  returning o.uuid, o.account_id, o.action_id, o.kind, o.wake, o.expires_at
$$;

-- The workflows of these were told: nothing is outstanding, unless another wake has come meanwhile. A closed row leaves.
create function gate.settle(p_uuids uuid[], p_wakes text[]) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  delete from gate_private.open_action o
  using unnest(p_uuids, p_wakes) told(uuid, wake)
  where o.uuid = told.uuid and told.wake = 'cancel' and o.wake = 'cancel';
  update gate_private.open_action o set due_at = null
  from unnest(p_uuids, p_wakes) told(uuid, wake)
  where o.uuid = told.uuid and o.wake = told.wake and o.wake <> 'cancel';
end $$;

-- What the reconciler looks at: rows overdue for a wake, and claims without end. p_all: every open row.
create function gate.list_open(p_limit integer, p_overdue_ms integer, p_unended_ms integer, p_all boolean, p_after uuid)
returns table (uuid uuid, account_id text, action_id bigint, kind text, wake text, expires_at timestamptz, decided_at timestamptz)
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  select o.uuid, o.account_id, o.action_id, o.kind, o.wake, o.expires_at, o.decided_at
  from gate_private.open_action o
  where (p_after is null or o.uuid > p_after) and (
    p_all
    or o.due_at < clock_timestamp() - p_overdue_ms * interval '1 millisecond'
    or o.decided_at < clock_timestamp() - p_unended_ms * interval '1 millisecond'
  )
  order by o.uuid
  limit p_limit
$$;

-- Open proposals past their expiry, for the reconciler to close.
create function gate.list_expired(p_limit integer)
returns table (uuid uuid, account_id text, action_id bigint)
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  select o.uuid, o.account_id, o.action_id
  from gate_private.open_action o
  where o.decided_at is null and o.expires_at <= clock_timestamp()
  order by o.expires_at
  limit p_limit
$$;

-- Forgets idempotency keys that no longer count. Returns how many.
create function gate.forget_keys(p_account text, p_limit integer) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  forgotten bigint;
begin
  perform gate.tenant(p_account);
  delete from gate.idempotency i
  where i.account_id = p_account and i.ctid in (
    select old.ctid from gate.idempotency old
    where old.account_id = p_account and old.created_at < clock_timestamp() - interval '24 hours'
    limit p_limit
  );
  get diagnostics forgotten = row_count;
  return forgotten;
end $$;

-- The state of what is open, for `gate doctor`.
create function gate.open_summary()
returns table (open_proposals bigint, claims_without_end bigint, oldest_due timestamptz, oldest_claim timestamptz)
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  select count(*) filter (where decided_at is null), count(*) filter (where decided_at is not null),
    min(due_at), min(decided_at)
  from gate_private.open_action
$$;

create function gate.applied_migrations() returns setof text
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select name from gate_private.migration order by name
$$;
