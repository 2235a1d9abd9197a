-- The frozen recipients of a broadcast, found by their own hash: made once, shared while the roster stays the same.
-- Sorted by channel, then member; the three arrays run in parallel.
create table gate.recipient_set (
  account_id text not null,
  sha256 bytea not null,
  members text[] not null,
  channels text[] not null,
  addresses text[] not null,
  created_at timestamptz not null default clock_timestamp(),
  constraint recipient_set_pkey primary key (account_id, sha256),
  constraint recipient_set_account_fkey foreign key (account_id) references gate.account,
  constraint recipient_set_parallel check (
    cardinality(members) = cardinality(channels) and cardinality(members) = cardinality(addresses)
  )
);

-- A row that people see: a check, a denial, a proposal and what became of it.
-- No foreign key to the account: every insert holds the lock of the account's ledger head, which has one.
create table gate.action (
  account_id text not null,
  id bigint not null,
  uuid uuid not null,
  kind text not null,
  status text not null,
  member_id text,
  member text not null,
  tier_at_request text not null,
  source text not null,
  payload json not null,
  salt bytea,
  created_at timestamptz not null,
  requires_confirmation boolean not null,
  denial_reason text,
  reach_slack integer not null default 0,
  reach_email integer not null default 0,
  reach_unreachable integer not null default 0,
  recipients bytea,
  digest text,
  expires_at timestamptz,
  decision text,
  decided_at timestamptz,
  command_id uuid,
  consent_strength text,
  consent_by text,
  consent_channel text,
  begun_at timestamptz,
  closed_reason text,
  result json,
  executed_at timestamptz,
  constraint action_pkey primary key (account_id, id),
  constraint action_uuid_key unique (uuid),
  constraint action_recipients_fkey foreign key (account_id, recipients) references gate.recipient_set,
  constraint action_status_known check (status in ('proposed', 'denied', 'cancelled', 'executed')),
  constraint action_decision_known check (decision in ('confirm', 'cancel', 'expire', 'admin_cancel', 'deny')),
  constraint action_kind_length check (length(kind) between 1 and 64),
  constraint action_denied_has_reason check (status <> 'denied' or denial_reason is not null),
  constraint action_cancelled_has_reason check (status <> 'cancelled' or closed_reason is not null),
  constraint action_executed_has_result check (status <> 'executed' or (result is not null and executed_at is not null)),
  constraint action_executed_was_confirmed check (status <> 'executed' or not requires_confirmation or decision = 'confirm')
);
create index action_by_kind on gate.action (account_id, kind, id);
create index action_by_status on gate.action (account_id, status, id);
create index action_open_by_member on gate.action (account_id, member_id)
  where status = 'proposed' and decision is null;

-- An Idempotency-Key that was used with success, and the row it led to. Counts for 24 hours.
create table gate.idempotency (
  account_id text not null,
  operation text not null,
  key uuid not null,
  request bytea not null,
  action_id bigint not null,
  created_at timestamptz not null default clock_timestamp(),
  constraint idempotency_pkey primary key (account_id, operation, key),
  constraint idempotency_action_fkey foreign key (account_id, action_id) references gate.action
);
create index idempotency_by_age on gate.idempotency (account_id, created_at);

-- One slice of a broadcast: up to a hundred recipients that are sent to and recorded together.
-- states: pending (never sent), sending (a send is under way or died), ok, failed, unknown, unreachable.
create table gate.delivery (
  account_id text not null,
  action_id bigint not null,
  channel text not null,
  slice integer not null,
  members text[] not null,
  addresses text[] not null,
  states text[] not null,
  provider_ids text[] not null,
  codes text[] not null,
  message json,
  attempt integer not null default 0,
  round integer not null default 0,
  attempted_at timestamptz,
  constraint delivery_pkey primary key (account_id, action_id, channel, slice),
  constraint delivery_action_fkey foreign key (account_id, action_id) references gate.action,
  constraint delivery_states_known check (
    states <@ array['pending', 'sending', 'ok', 'failed', 'unknown', 'unreachable']
  )
);

-- One row per proposal that has not ended. `due_at` says when its workflow must be told, again if need be, of `wake`:
-- `start`, `confirm` or `cancel`; null where nothing is outstanding. This is the outbox.
create table gate_private.open_action (
  uuid uuid not null,
  account_id text not null,
  action_id bigint not null,
  kind text not null,
  expires_at timestamptz not null,
  decided_at timestamptz,
  wake text not null,
  due_at timestamptz,
  woken integer not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  constraint open_action_pkey primary key (uuid),
  constraint open_action_wake_known check (wake in ('start', 'confirm', 'cancel'))
);
create index open_action_due on gate_private.open_action (due_at) where due_at is not null;
create index open_action_expiring on gate_private.open_action (expires_at) where decided_at is null;
create index open_action_claimed on gate_private.open_action (decided_at) where decided_at is not null;

alter table gate.recipient_set enable row level security, force row level security;
alter table gate.action enable row level security, force row level security;
alter table gate.idempotency enable row level security, force row level security;
alter table gate.delivery enable row level security, force row level security;
create policy tenant on gate.recipient_set using (account_id = gate.current_account());
create policy tenant on gate.action using (account_id = gate.current_account());
create policy tenant on gate.idempotency using (account_id = gate.current_account());
create policy tenant on gate.delivery using (account_id = gate.current_account());

-- Stores a recipient set under its hash, once.
create function gate.keep_recipients(
  p_account text, p_sha256 bytea, p_members text[], p_channels text[], p_addresses text[]
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  insert into gate.recipient_set (account_id, sha256, members, channels, addresses)
  values (p_account, p_sha256, p_members, p_channels, p_addresses)
  on conflict on constraint recipient_set_pkey do nothing;
end $$;

-- The row an Idempotency-Key led to: `new` where it is free, `replayed` with the row, `reused` for another request.
create function gate_private.replay(
  p_account text, p_operation text, p_key uuid, p_request bytea, out outcome text, out action_id bigint
)
language plpgsql as $$
declare
  used gate.idempotency;
begin
  outcome := 'new';
  if p_key is null then
    return;
  end if;
  select * into used from gate.idempotency i
  where i.account_id = p_account and i.operation = p_operation and i.key = p_key
    and i.created_at > clock_timestamp() - interval '24 hours';
  if found then
    outcome := case when used.request = p_request then 'replayed' else 'reused' end;
    action_id := used.action_id;
  end if;
end $$;

create function gate_private.keep_key(p_account text, p_operation text, p_key uuid, p_request bytea, p_action bigint)
returns void
language plpgsql as $$
begin
  if p_key is null then
    return;
  end if;
  insert into gate.idempotency (account_id, operation, key, request, action_id)
  values (p_account, p_operation, p_key, p_request, p_action)
  on conflict on constraint idempotency_pkey do update
  set request = excluded.request, action_id = excluded.action_id, created_at = clock_timestamp();
end $$;

-- Appends a group of capability checks of one account: parallel arrays, one place a check.
-- A group is written whole or not at all, so a repeat is known by its first uuid.
create function gate.record_checks(
  p_account text, p_uuids uuid[], p_member_ids text[], p_members text[], p_tiers text[], p_sources text[],
  p_results text[], p_tails text[]
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  head gate.ledger_head;
  now_at timestamptz;
  prefix text := p_account || ' ';
  suffix text;
  entries text[];
  prevs bytea[];
  hashes bytea[];
begin
  perform gate.tenant(p_account);
  head := gate_private.lock_head(p_account);
  perform 1 from gate.action a where a.uuid = p_uuids[1];
  if found then
    return;
  end if;
  now_at := greatest(head.at, date_trunc('milliseconds', clock_timestamp()));
  suffix := ' ' || gate_private.iso(now_at) || E'\n';
  for n in 1 .. cardinality(p_uuids) loop
    entries[n] := '{"action":' || (head.action_seq + n) || ',' || p_tails[n];
    prevs[n] := head.hash;
    head.hash := sha256(head.hash || convert_to(prefix || (head.seq + n) || suffix || entries[n], 'UTF8'));
    hashes[n] := head.hash;
  end loop;
  insert into gate.action (
    account_id, id, uuid, kind, status, member_id, member, tier_at_request, source, payload, created_at,
    requires_confirmation, result, executed_at
  )
  select p_account, head.action_seq + c.n, c.uuid, 'capability_check', 'executed', c.member_id, c.member, c.tier,
    c.source, '{}', now_at, false, c.result::json, now_at
  from unnest(p_uuids, p_member_ids, p_members, p_tiers, p_sources, p_results)
    with ordinality c(uuid, member_id, member, tier, source, result, n);
  insert into gate.ledger (account_id, seq, event_id, at, kind, action_id, entry, prev, hash)
  select p_account, head.seq + c.n, c.uuid, now_at, 'checked', head.action_seq + c.n, c.entry, c.prev, c.hash
  from unnest(p_uuids, entries, prevs, hashes) with ordinality c(uuid, entry, prev, hash, n);
  update gate.ledger_head
  set seq = head.seq + cardinality(p_uuids), hash = head.hash, at = now_at,
    action_seq = head.action_seq + cardinality(p_uuids)
  where account_id = p_account;
end $$;
