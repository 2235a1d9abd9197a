-- Execution: messages that are sent and provider calls that are made.

-- A slice of a broadcast: up to a hundred recipients that are sent to and recorded together. The arrays run in parallel.
-- states: pending (never sent), sending (a send is running or died), ok, failed, unknown (perhaps sent), unreachable.
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
  -- A retry of the same send keeps the round, and with it the provider's idempotency key.
  round integer not null default 0,
  attempted_at timestamptz,
  constraint delivery_pkey primary key (account_id, action_id, channel, slice),
  constraint delivery_action_fkey foreign key (account_id, action_id) references gate.action,
  constraint delivery_states_known check (
    states <@ array['pending', 'sending', 'ok', 'failed', 'unknown', 'unreachable']
  )
);
alter table gate.delivery enable row level security, force row level security;
create policy tenant on gate.delivery using (account_id = gate.current_account());

-- A call to a provider, one row for each step of an action. The request is frozen before the first call and never rebuilt.
-- state: pending (certainly not done so far), sending (perhaps done), ok, not_done, unknown.
create table gate.provider_call (
  account_id text not null,
  action_id bigint not null,
  step text not null,
  provider text not null,
  request json not null,
  -- The provider's idempotency key.
  key text not null,
  state text not null default 'pending',
  attempt integer not null default 0,
  -- The fingerprint of the credential of the first call: an idempotency key means nothing at another account.
  credential text,
  first_attempted_at timestamptz,
  code text,
  answer json,
  constraint provider_call_pkey primary key (account_id, action_id, step),
  constraint provider_call_key_key unique (key),
  constraint provider_call_action_fkey foreign key (account_id, action_id) references gate.action,
  constraint provider_call_state_known check (state in ('pending', 'sending', 'ok', 'not_done', 'unknown'))
);
alter table gate.provider_call enable row level security, force row level security;
create policy tenant on gate.provider_call using (account_id = gate.current_account());
