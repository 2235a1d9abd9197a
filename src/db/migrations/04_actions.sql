-- Actions: proposals, denials and checks, and what keeps the open ones moving.

-- The frozen recipients of a broadcast, found by their hash: stored once and shared while the roster stays the same.
-- The three arrays run in parallel, sorted by channel, then by member.
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
alter table gate.recipient_set enable row level security, force row level security;
create policy tenant on gate.recipient_set using (account_id = gate.current_account());

-- An action: a capability check, a denial, or a proposal and its outcome.
-- No foreign key to the account: every insert locks the account's ledger head, which has one.
create table gate.action (
  account_id text not null,
  id bigint not null,
  uuid uuid not null,
  kind text not null,
  status text not null,
  member_id text,
  -- The identity that the agent named the member by.
  member text not null,
  tier_at_request text not null,
  source text not null,
  -- Frozen when proposed. `salt` keeps the payload's digest in the ledger from being guessed; both go when it is erased.
  payload json not null,
  salt bytea,
  -- What an amount is taken from or given to, read from the payload: amounts about one subject are added up.
  subject text,
  created_at timestamptz not null,
  requires_confirmation boolean not null,
  denial_reason text,
  reach_slack integer not null default 0,
  reach_email integer not null default 0,
  reach_unreachable integer not null default 0,
  recipients bytea,
  -- What the member consents to: see the digest of an action in the interface.
  digest text,
  expires_at timestamptz,
  -- The same proposal by this member that was open, or had just been confirmed, when this one was made.
  duplicate_of bigint,
  -- The API keys that proposed and decided, and the name of the first.
  proposed_key text,
  requested_by text,
  decided_key text,
  -- The consent request in force while the member is being asked.
  asked_required text,
  asked_via text,
  asked_at timestamptz,
  decision text,
  decided_at timestamptz,
  command_id uuid,
  consent_strength text,
  consent_by text,
  consent_channel text,
  -- The hash of the decision card that the member saw.
  card bytea,
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
-- For lists, filtered by kind, status or member.
create index action_by_kind on gate.action (account_id, kind, id);
create index action_by_status on gate.action (account_id, status, id);
create index action_by_member on gate.action (account_id, member_id, id);
-- For the number of open proposals of a member.
create index action_open_by_member on gate.action (account_id, member_id)
  where status = 'proposed' and decision is null;
-- For duplicates, newest first. By a hash, because a payload may be longer than an index entry.
create index action_same on gate.action (account_id, member_id, md5(payload::text), decided_at desc)
  where requires_confirmation and status in ('proposed', 'executed');
-- For recent decisions in the console.
create index action_decided on gate.action (account_id, decided_at) where decision in ('confirm', 'cancel');
-- For limits: what was confirmed within a day by member, kind, subject or API key.
create index action_confirmed_by_member on gate.action (account_id, member_id, kind, decided_at) where decision = 'confirm';
create index action_confirmed_by_kind on gate.action (account_id, kind, decided_at) where decision = 'confirm';
create index action_confirmed_by_subject on gate.action (account_id, kind, subject, decided_at)
  where decision = 'confirm' and subject is not null;
create index action_confirmed_by_proposed_key on gate.action (account_id, proposed_key, decided_at)
  where decision = 'confirm' and proposed_key is not null;
create index action_confirmed_by_decided_key on gate.action (account_id, decided_key, decided_at)
  where decision = 'confirm' and decided_key is not null;

create trigger action_subject before insert on gate.action
  for each row when (new.kind in ('refund', 'subscription_cancellation', 'checkout', 'payout'))
  execute function gate_private.set_subject();
create trigger action_decided after update on gate.action
  for each row when (old.decision is null and new.decision is not null)
  execute function gate_private.withdraw_requests();
alter table gate.action enable row level security, force row level security;
create policy tenant on gate.action using (account_id = gate.current_account());

-- An Idempotency-Key that was used with success, and the action it led to. Kept for 24 hours.
create table gate.idempotency (
  account_id text not null,
  operation text not null,
  key uuid not null,
  -- The hash of the request.
  request bytea not null,
  action_id bigint not null,
  created_at timestamptz not null default clock_timestamp(),
  constraint idempotency_pkey primary key (account_id, operation, key),
  constraint idempotency_action_fkey foreign key (account_id, action_id) references gate.action
);
create index idempotency_by_age on gate.idempotency (account_id, created_at);
alter table gate.idempotency enable row level security, force row level security;
create policy tenant on gate.idempotency using (account_id = gate.current_account());

-- A proposal that has not ended, across all accounts: the outbox. `wake` is what its workflow must be told next, and
-- `due_at` when to tell it (again). Null: nothing is outstanding.
create table gate_private.open_action (
  uuid uuid not null,
  account_id text not null,
  action_id bigint not null,
  kind text not null,
  expires_at timestamptz not null,
  decided_at timestamptz,
  wake text not null,
  due_at timestamptz,
  -- How often the workflow was told.
  woken integer not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  constraint open_action_pkey primary key (uuid),
  constraint open_action_wake_known check (wake in ('start', 'ask', 'confirm', 'cancel'))
);
create index open_action_due on gate_private.open_action (due_at) where due_at is not null;
create index open_action_expiring on gate_private.open_action (expires_at) where decided_at is null;
create index open_action_claimed on gate_private.open_action (decided_at) where decided_at is not null;
