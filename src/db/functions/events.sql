-- Events: what an append queues for the endpoints of its account, what the sender takes of it, and what became of each.

-- The type of the event that an entry is; null: of none. src/gate/event-types.ts is the table of types.
create function gate_private.event_type(p_kind text, p_entry text) returns text
language plpgsql immutable as $$
declare
  reason text;
begin
  case p_kind
  when 'executed' then
    return case when p_entry::jsonb #>> '{data,outcome}' = 'unknown' then 'action.unknown' else 'action.executed' end;
  when 'account_suspended' then
    return case p_entry::jsonb #>> '{data,suspended}' when 'false' then 'account.resumed' else 'account.suspended' end;
  when 'curriculum_retired' then
    return case p_entry::jsonb #>> '{data,retired}' when 'false' then 'curriculum.restored' else 'curriculum.retired' end;
  when 'cancelled' then
    reason := p_entry::jsonb #>> '{data,closed_reason}';
    return case
      when reason in ('member_declined', 'approver_declined') then 'action.declined'
      when reason = 'refused' then 'action.failed'
      else 'action.cancelled' end;
  else
    return case p_kind
      when 'proposed' then 'action.proposed'
      when 'denied' then 'action.denied'
      when 'consent_requested' then 'action.consent_requested'
      when 'edited' then 'action.edited'
      when 'approved' then 'action.approval_given'
      when 'glass_broken' then 'action.glass_broken'
      when 'glass_reviewed' then 'action.glass_reviewed'
      when 'confirmed' then 'action.approved'
      when 'action_claimed' then 'action.claimed'
      when 'expired' then 'action.expired'
      when 'payload_erased' then 'action.erased'
      when 'mandate_used' then 'mandate.used'
      when 'mandate_frozen' then 'mandate.frozen'
      when 'mandate_resumed' then 'mandate.resumed'
      when 'mandate_ended' then 'mandate.ended'
      when 'member_changed' then 'member.changed'
      when 'tier_set' then 'member.tier_set'
      when 'pass_recorded' then 'member.pass_recorded'
      when 'passkey_added' then 'member.passkey_added'
      when 'passkey_removed' then 'member.passkey_removed'
      when 'device_added' then 'member.device_added'
      when 'device_removed' then 'member.device_removed'
      when 'identity_linked' then 'member.identity_linked'
      when 'identity_unlinked' then 'member.identity_unlinked'
      when 'group_changed' then 'group.changed'
      when 'delegation_started' then 'delegation.started'
      when 'delegation_ended' then 'delegation.ended'
      when 'curriculum_changed' then 'curriculum.changed'
      when 'kind_set' then 'kind.changed'
      when 'kind_retired' then 'kind.retired'
      when 'kind_secret_rotated' then 'kind.secret_rotated'
      when 'policy_set' then 'policy.changed'
      when 'key_minted' then 'key.minted'
      when 'key_rotated' then 'key.rotated'
      when 'key_revoked' then 'key.revoked'
      when 'key_limits_set' then 'key.limits_set'
      when 'app_client_added' then 'app.client_added'
      when 'app_client_removed' then 'app.client_removed'
      when 'app_connected' then 'app.connected'
      when 'app_ended' then 'app.ended'
      when 'admin_changed' then 'admin.changed'
      when 'company_sign_in_set' then 'sign_in.changed'
      when 'company_sign_in_removed' then 'sign_in.removed'
      when 'integration_connected' then 'integration.connected'
      when 'integration_disconnected' then 'integration.disconnected'
      when 'upstream_added' then 'upstream.added'
      when 'upstream_changed' then 'upstream.changed'
      when 'upstream_removed' then 'upstream.removed'
      when 'upstream_tool_reviewed' then 'upstream.tool_reviewed'
      when 'upstream_tool_quarantined' then 'upstream.tool_quarantined'
      when 'conversation_changed' then 'conversation.changed'
      when 'preview_started' then 'preview.started'
      when 'preview_stopped' then 'preview.stopped'
      when 'preview_ended' then 'preview.ended'
      when 'ledger_archived' then 'ledger.archived'
    end;
  end case;
end $$;

-- The id of an event: one for all endpoints, attempts and replays. p_of: what is unique and no number, because numbers are used again
-- after a restore.
create function gate_private.event_id(p_account text, p_of text) returns text
language sql immutable
return 'evt_' || substr(encode(sha256(convert_to(p_account || ' ' || p_of, 'UTF8')), 'hex'), 1, 32);

-- Queues what is appended for the endpoints that want it. It is part of the append: no event is lost or invented.
create function gate_private.queue_events(p_head gate.ledger_head, p_entries gate.ledger[]) returns void
language plpgsql as $$
begin
  insert into gate.event_delivery (account_id, endpoint_id, event_id, type, at, seq, action_id)
  select p_head.account_id, t.endpoint_id, gate_private.event_id(p_head.account_id, e.event_id::text), e.type, p_head.at,
    p_head.seq + e.n, e.action_id
  from (
    select u.n, u.event_id, u.action_id, gate_private.event_type(u.kind, u.entry) as type
    from unnest(p_entries) with ordinality u(account_id, seq, event_id, at, kind, action_id, entry, prev, hash, actor, n)
  ) e
  join gate.endpoint t on t.account_id = p_head.account_id and t.off_reason is null and (t.types is null or e.type = any (t.types))
  where e.type is not null
  order by e.n;
  if found then
    perform gate_private.wake_sender(p_head.account_id);
  end if;
end $$;

-- Queues that a ledger is sealed. p_note: its checkpoint.
create function gate_private.queue_sealed(p_account text, p_size bigint, p_note text) returns void
language plpgsql as $$
begin
  insert into gate.event_delivery (account_id, endpoint_id, event_id, type, at, seq)
  select p_account, t.endpoint_id, gate_private.event_id(p_account, p_note), 'ledger.sealed', clock_timestamp(), p_size
  from gate.endpoint t
  where t.account_id = p_account and t.off_reason is null and (t.types is null or 'ledger.sealed' = any (t.types));
  if found then
    perform gate_private.wake_sender(p_account);
  end if;
end $$;

-- Has the sender look at an account at once. The last lock that a transaction takes.
create function gate_private.wake_sender(p_account text) returns void
language sql volatile as $$
  update gate_private.event_account a set due_at = clock_timestamp() where a.account_id = p_account
$$;

-- Queues a test for an endpoint. outcome: queued, missing, off.
create function gate.test_endpoint(p_account text, p_session bytea, p_endpoint text, p_event uuid, out outcome text, out event_id text)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  perform gate_private.require_admin(p_account, p_session, 'endpoints.write');
  select case when e.off_reason is null then 'queued' else 'off' end into outcome
  from gate.endpoint e where e.account_id = p_account and e.endpoint_id = p_endpoint;
  outcome := coalesce(outcome, 'missing');
  if outcome = 'queued' then
    event_id := gate_private.event_id(p_account, p_event::text);
    insert into gate.event_delivery (account_id, endpoint_id, event_id, type, at)
    values (p_account, p_endpoint, test_endpoint.event_id, 'test', clock_timestamp())
    on conflict on constraint event_delivery_pkey do nothing;
    perform gate_private.wake_sender(p_account);
  end if;
end $$;

-- Sends again: one event that was queued before (p_event_id), or everything since a moment that the endpoint wants now, also what it was
-- not sent because it was off. Of what waits already, nothing changes. outcome: queued, missing (the endpoint), off, unknown (the
-- event). queued: how many; next_from: the moment to go on from, where there are more than p_limit, or
-- more than 100,000 entries to look at.
create function gate.replay_events(
  p_account text, p_session bytea, p_endpoint text, p_event_id text, p_from timestamptz, p_limit integer,
  out outcome text, out queued bigint, out next_from timestamptz
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  target gate.endpoint;
  first_seq bigint;
  last_seq bigint;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  perform gate_private.require_admin(p_account, p_session, 'endpoints.write');
  select * into target from gate.endpoint e where e.account_id = p_account and e.endpoint_id = p_endpoint;
  outcome := case when not found then 'missing' when target.off_reason is not null then 'off' else 'queued' end;
  queued := 0;
  if outcome <> 'queued' then
    return;
  end if;
  if p_event_id is not null then
    update gate.event_delivery d
    set state = 'waiting', due_at = clock_timestamp(), tries = 0, ended_at = null
    -- What waits for its next attempt is sent now; what is being sent is not sent beside that.
    where d.account_id = p_account and d.endpoint_id = p_endpoint and d.event_id = p_event_id
      and (d.state <> 'waiting' or coalesce(d.taken_until <= clock_timestamp(), true));
    get diagnostics queued = row_count;
    if queued = 0 and not exists (
      select from gate.event_delivery d
      where d.account_id = p_account and d.endpoint_id = p_endpoint and d.event_id = p_event_id
    ) then
      outcome := 'unknown';
    end if;
  else
    first_seq := gate.first_entry_from(p_account, p_from);
    with wanted as (
      select l.seq, l.event_id, l.at, l.action_id, gate_private.event_type(l.kind, l.entry) as type
      from gate.ledger l
      where l.account_id = p_account and l.seq between first_seq and first_seq + 99999
        and gate_private.event_type(l.kind, l.entry) is not null
        and (target.types is null or gate_private.event_type(l.kind, l.entry) = any (target.types))
      order by l.seq
      limit p_limit
    ), put as (
      insert into gate.event_delivery (account_id, endpoint_id, event_id, type, at, seq, action_id)
      select p_account, p_endpoint, gate_private.event_id(p_account, w.event_id::text), w.type, w.at, w.seq, w.action_id
      from wanted w order by w.seq
      on conflict on constraint event_delivery_pkey do update
      set state = 'waiting', due_at = clock_timestamp(), tries = 0, ended_at = null
      where event_delivery.state <> 'waiting' or coalesce(event_delivery.taken_until <= clock_timestamp(), true)
      returning 1
    )
    select (select count(*) from put), case when count(*) = p_limit then max(w.seq) else first_seq + 99999 end
    into queued, last_seq from wanted w;
    select l.at into next_from from gate.ledger l where l.account_id = p_account and l.seq = last_seq + 1;
  end if;
  perform gate_private.wake_sender(p_account);
end $$;

-- Takes what is due for at most p_limit attempts, each for p_take_ms, in which nobody else sends it. Of an action the first event alone:
-- the next one waits until it ended. An endpoint gets at most p_at_once at a time, one whose deliveries fail one. secrets: newest first.
create function gate.take_events(p_limit integer, p_at_once integer, p_take_ms integer)
returns table (
  account_id text, endpoint_id text, event_id text, type text, at timestamptz, seq bigint, action_id bigint, attempt integer,
  tries integer, url text, is_full boolean, entry text, secrets json
)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  due record;
  target gate.endpoint;
  room integer;
  taken integer := 0;
  got integer;
begin
  for due in
    select a.account_id from gate_private.event_account a
    where a.due_at <= clock_timestamp()
    order by a.due_at
    -- Their appends wait until this is over.
    limit least(p_limit, 20)
    for update skip locked
  loop
    exit when taken >= p_limit;
    perform gate.tenant(due.account_id);
    for target in
      select * from gate.endpoint e
      where e.account_id = due.account_id and e.off_reason is null and coalesce(e.paused_until <= clock_timestamp(), true)
    loop
      select least(
        p_limit - taken,
        case when target.failing_since is null then p_at_once else 1 end - count(*)) into room
      from gate.event_delivery d
      where d.account_id = target.account_id and d.endpoint_id = target.endpoint_id and d.state = 'waiting'
        and d.taken_until > clock_timestamp()
        -- For the index: as long as it is taken, it is due when that ends.
        and d.due_at > clock_timestamp() and d.due_at <= clock_timestamp() + p_take_ms * interval '1 millisecond';
      continue when room <= 0;
      return query
        with picked as materialized (
          select d.event_id from gate.event_delivery d
          where d.account_id = target.account_id and d.endpoint_id = target.endpoint_id and d.state = 'waiting'
            and d.due_at <= clock_timestamp()
            and not exists (
              select from gate.event_delivery f
              where f.account_id = d.account_id and f.endpoint_id = d.endpoint_id and f.state = 'waiting'
                and f.action_id = d.action_id and f.seq < d.seq)
          order by d.due_at, d.n
          limit room
          for update skip locked
        ), marked as (
          update gate.event_delivery d set
            attempts = d.attempts + 1, tries = d.tries + 1,
            due_at = clock_timestamp() + p_take_ms * interval '1 millisecond',
            taken_until = clock_timestamp() + p_take_ms * interval '1 millisecond'
          from picked p
          where d.account_id = target.account_id and d.endpoint_id = target.endpoint_id and d.event_id = p.event_id
          returning d.*
        )
        select m.account_id, m.endpoint_id, m.event_id, m.type, m.at, m.seq, m.action_id, m.attempts, m.tries, target.url,
          target.is_full,
          (select l.entry from gate.ledger l where l.account_id = m.account_id and l.seq = m.seq and m.type <> 'ledger.sealed'),
          (
            select json_agg(
              json_build_object(
                'secret_id', s.secret_id, 'ciphertext', encode(s.ciphertext, 'base64'),
                'wrapped_key', encode(s.wrapped_key, 'base64'), 'kid', s.kid)
              order by s.valid_until desc nulls first)
            from gate.endpoint_secret s
            where s.account_id = m.account_id and s.endpoint_id = m.endpoint_id
              and coalesce(s.valid_until > clock_timestamp(), true)
          )
        from marked m;
      get diagnostics got = row_count;
      taken := taken + got;
    end loop;
    -- What is due but was not taken waits for another of its endpoint or action, whose end wakes the sender.
    update gate_private.event_account a set due_at = case when taken >= p_limit then clock_timestamp() else least(
      (
        select min(w.due_at) from gate.endpoint e cross join lateral (
          select d.due_at from gate.event_delivery d
          where d.account_id = e.account_id and d.endpoint_id = e.endpoint_id and d.state = 'waiting'
            and d.due_at > clock_timestamp()
          order by d.due_at
          limit 1
        ) w
        where e.account_id = due.account_id and e.off_reason is null
      ), (
        select min(e.paused_until) from gate.endpoint e
        where e.account_id = due.account_id and e.off_reason is null and e.paused_until > clock_timestamp()
      ), 'infinity') end
    where a.account_id = due.account_id;
  end loop;
end $$;

-- Records an attempt. p_outcome: delivered, failed (it is repeated after p_again_ms; null: given up), gone (as failed, and the
-- endpoint is turned off). p_pause_ms: nothing else is sent to the endpoint for so long. An attempt that another one overtook changes
-- nothing, unless it delivered. Returns why the endpoint was turned off, null: it was not.
create function gate.record_event_attempt(
  p_account text, p_endpoint text, p_event_id text, p_attempt integer, p_outcome text, p_again_ms bigint, p_pause_ms bigint,
  p_status integer, p_code text, p_ms integer, p_answer text, p_off_after_ms bigint
) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  target gate.endpoint;
  reason text;
  recorded_at timestamptz := clock_timestamp();
begin
  perform gate.tenant(p_account);
  -- The ledger's head goes before everything else that is locked.
  select case
    when p_outcome = 'gone' then 'gone'
    when p_outcome = 'failed' and e.failing_since < recorded_at - p_off_after_ms * interval '1 millisecond' then 'failing'
  end into reason from gate.endpoint e
  where e.account_id = p_account and e.endpoint_id = p_endpoint and e.off_reason is null;
  if reason is not null then
    perform gate_private.lock_head(p_account);
  end if;
  select * into target from gate.endpoint e where e.account_id = p_account and e.endpoint_id = p_endpoint for no key update;
  if not found then
    return null;
  end if;
  update gate.event_delivery d set
    state = case when p_outcome = 'delivered' then 'delivered' when p_again_ms is null then 'given_up' else 'waiting' end,
    ended_at = case when p_outcome = 'delivered' or p_again_ms is null then recorded_at end,
    due_at = recorded_at + coalesce(p_again_ms, 0) * interval '1 millisecond', taken_until = null
  where d.account_id = p_account and d.endpoint_id = p_endpoint and d.event_id = p_event_id and d.state <> 'delivered'
    and (p_outcome = 'delivered' or d.state = 'waiting' and d.attempts = p_attempt);
  insert into gate.event_attempt (account_id, endpoint_id, event_id, n, at, ms, status, code, answer)
  select p_account, p_endpoint, p_event_id, p_attempt, recorded_at - p_ms * interval '1 millisecond', p_ms, p_status, p_code, p_answer
  from gate.event_delivery d
  where d.account_id = p_account and d.endpoint_id = p_endpoint and d.event_id = p_event_id
  on conflict on constraint event_attempt_pkey do nothing;
  update gate.endpoint e set
    failing_since = case when p_outcome <> 'delivered' then coalesce(e.failing_since, recorded_at) end,
    paused_until = case when p_outcome <> 'delivered' and p_pause_ms is not null
      then recorded_at + p_pause_ms * interval '1 millisecond' end
  where e.account_id = p_account and e.endpoint_id = p_endpoint and e.off_reason is null
    and (e.failing_since is not null or e.paused_until is not null or p_outcome <> 'delivered');
  if reason is not null and target.off_reason is null then
    perform gate_private.turn_endpoint(p_account, p_endpoint, reason, 'system', gen_random_uuid());
  else
    reason := null;
  end if;
  perform gate_private.wake_sender(p_account);
  return reason;
end $$;

-- Deletes deliveries that ended p_keep_ms ago and those to removed endpoints, and gives up what waits for one that is off; of accounts
-- that were not cleared for p_every_ms, p_limit of each at once. Returns how many.
create function gate.clear_events(p_keep_ms bigint, p_every_ms bigint, p_limit integer) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  listed text;
  cleared bigint := 0;
  got bigint;
  deleted bigint;
  left_over bigint;
begin
  for listed in
    select a.account_id from gate_private.event_account a
    where a.cleared_at < clock_timestamp() - p_every_ms * interval '1 millisecond'
    order by a.cleared_at
    limit 100
    for update skip locked
  loop
    perform gate.tenant(listed);
    with picked as materialized (
      select o.account_id, o.endpoint_id, o.event_id from gate.endpoint e
      join gate.event_delivery o on o.account_id = e.account_id and o.endpoint_id = e.endpoint_id and o.state = 'waiting'
      where e.account_id = listed and e.off_reason is not null
      limit p_limit
      for update of o skip locked
    )
    update gate.event_delivery d set state = 'given_up', ended_at = clock_timestamp(), taken_until = null
    where (d.account_id, d.endpoint_id, d.event_id) in (select p.account_id, p.endpoint_id, p.event_id from picked p);
    get diagnostics got = row_count;
    with picked as materialized (
      select o.account_id, o.endpoint_id, o.event_id from gate.event_delivery o
      where o.account_id = listed and o.ended_at < clock_timestamp() - p_keep_ms * interval '1 millisecond'
      order by o.ended_at
      limit p_limit
      for update skip locked
    )
    delete from gate.event_delivery d
    where (d.account_id, d.endpoint_id, d.event_id) in (select p.account_id, p.endpoint_id, p.event_id from picked p);
    get diagnostics deleted = row_count;
    with picked as materialized (
      select o.account_id, o.endpoint_id, o.event_id from gate_private.event_account a
      join gate.event_delivery o on o.account_id = a.account_id and o.endpoint_id = any (a.removed)
      where a.account_id = listed
      limit p_limit
      for update of o skip locked
    )
    delete from gate.event_delivery d
    where (d.account_id, d.endpoint_id, d.event_id) in (select p.account_id, p.endpoint_id, p.event_id from picked p);
    get diagnostics left_over = row_count;
    cleared := cleared + got + deleted + left_over;
    update gate_private.event_account a set
      removed = case when left_over = 0 then '{}' else a.removed end,
      cleared_at = case when greatest(got, deleted, left_over) < p_limit then clock_timestamp() else a.cleared_at end
    where a.account_id = listed;
  end loop;
  return cleared;
end $$;

-- Endpoints of all accounts that fail since p_after_ms or were turned off for it, for `gate doctor`.
create function gate.failing_endpoints(p_after_ms bigint)
returns table (account_id text, endpoint_id text, failing_since timestamptz, off_reason text)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  listed text;
begin
  for listed in select a.account_id from gate_private.event_account a order by 1 loop
    perform gate.tenant(listed);
    return query
      select e.account_id, e.endpoint_id, e.failing_since, e.off_reason from gate.endpoint e
      where e.account_id = listed and (
        e.off_reason in ('gone', 'failing')
        or e.failing_since < clock_timestamp() - p_after_ms * interval '1 millisecond')
      order by e.endpoint_id;
  end loop;
end $$;
