-- Events: addresses of an account that are told what its ledger records, and what each was sent.

-- An address that is told. Its state is in the entry `endpoint_set`.
create table gate.endpoint (
  account_id text not null,
  endpoint_id text not null,
  url text not null,
  description text not null,
  -- The types of events that it is told. Null: all.
  types text[],
  -- Whether it is sent the object that an event is about, or ids alone.
  is_full boolean not null,
  -- Why nothing is sent: an administrator turned it off, it answered that it is gone, or it failed for days. Null: it is on.
  off_reason text,
  -- Checks signatures `v1a` (ed25519).
  public_key bytea not null,
  created_at timestamptz not null default clock_timestamp(),
  off_at timestamptz,
  -- Since when no delivery succeeds. Null: the last one did, or none was tried.
  failing_since timestamptz,
  -- It asked for time: nothing is sent before then.
  paused_until timestamptz,
  constraint endpoint_pkey primary key (account_id, endpoint_id),
  constraint endpoint_account_fkey foreign key (account_id) references gate.account,
  constraint endpoint_off check (off_reason in ('admin', 'gone', 'failing') and (off_reason is null) = (off_at is null)),
  constraint endpoint_sizes check (
    length(url) <= 2000 and length(description) <= 200 and cardinality(types) between 1 and 100 and length(public_key) = 32)
);
alter table gate.endpoint enable row level security, force row level security;
create policy tenant on gate.endpoint using (account_id = gate.current_account());

-- What signs its events, encrypted as credentials are: the key of `v1` and the private key of `v1a`. A replaced one signs beside the
-- new one until valid_until.
create table gate.endpoint_secret (
  account_id text not null,
  endpoint_id text not null,
  secret_id text not null,
  ciphertext bytea not null,
  wrapped_key bytea not null,
  kid text not null,
  created_at timestamptz not null default clock_timestamp(),
  valid_until timestamptz,
  constraint endpoint_secret_pkey primary key (account_id, endpoint_id, secret_id),
  constraint endpoint_secret_endpoint_fkey foreign key (account_id, endpoint_id) references gate.endpoint
);
create unique index endpoint_secret_current_key on gate.endpoint_secret (account_id, endpoint_id) where valid_until is null;
alter table gate.endpoint_secret enable row level security, force row level security;
create policy tenant on gate.endpoint_secret using (account_id = gate.current_account());

-- An event for one endpoint. Ids alone: what is sent is read when it is sent, so that what was erased meanwhile is not. No foreign key:
-- every proposal would look it up, and rows are written and removed under the lock of the ledger's head.
create table gate.event_delivery (
  account_id text not null,
  endpoint_id text not null,
  -- The same for every endpoint and every attempt.
  event_id text not null,
  n bigint generated always as identity,
  type text not null,
  at timestamptz not null,
  -- The ledger entry; of `ledger.sealed` the last one that is sealed. Null: a test.
  seq bigint,
  action_id bigint,
  state text not null default 'waiting',
  -- When it is sent; while it is sent, until when nobody else sends it.
  due_at timestamptz not null default clock_timestamp(),
  -- Until then an attempt is under way.
  taken_until timestamptz,
  -- In all, and since it was last queued.
  attempts integer not null default 0,
  tries integer not null default 0,
  ended_at timestamptz,
  constraint event_delivery_pkey primary key (account_id, endpoint_id, event_id),
  constraint event_delivery_state check (
    state in ('waiting', 'delivered', 'given_up') and (state = 'waiting') = (ended_at is null))
);
create unique index event_delivery_n on gate.event_delivery (account_id, endpoint_id, n);
create index event_delivery_waiting on gate.event_delivery (account_id, endpoint_id, due_at) where state = 'waiting';
-- For the order of events of one action.
create index event_delivery_of_action on gate.event_delivery (account_id, action_id, endpoint_id, seq) where action_id is not null;
create index event_delivery_ended on gate.event_delivery (account_id, ended_at) where ended_at is not null;
alter table gate.event_delivery enable row level security, force row level security;
create policy tenant on gate.event_delivery using (account_id = gate.current_account());

-- An attempt to deliver an event, and how the endpoint answered.
create table gate.event_attempt (
  account_id text not null,
  endpoint_id text not null,
  event_id text not null,
  n integer not null,
  at timestamptz not null,
  ms integer not null,
  -- Null: there was no answer, for the reason `code`.
  status integer,
  code text,
  -- How its answer began. Null: it said nothing, or the payload of the action was erased.
  answer text,
  constraint event_attempt_pkey primary key (account_id, endpoint_id, event_id, n),
  constraint event_attempt_event_fkey foreign key (account_id, endpoint_id, event_id) references gate.event_delivery
    on delete cascade,
  constraint event_attempt_sizes check (length(answer) <= 1000 and length(code) <= 100)
);
alter table gate.event_attempt enable row level security, force row level security;
create policy tenant on gate.event_attempt using (account_id = gate.current_account());

-- Accounts with endpoints: when the sender next looks at each, and when old deliveries were last deleted.
create table gate_private.event_account (
  account_id text not null,
  due_at timestamptz not null default 'infinity',
  cleared_at timestamptz not null default clock_timestamp(),
  constraint event_account_pkey primary key (account_id),
  constraint event_account_account_fkey foreign key (account_id) references gate.account
);
create index event_account_due on gate_private.event_account (due_at);

-- Whether an append looks for endpoints: without one, events cost nothing.
alter table gate.ledger_head add column has_endpoints boolean not null default false;
