-- Executors of declared kinds that the gate calls: the secrets that sign the calls, the calls, and what executors say of them.

-- A secret that signs the calls of a kind, encrypted as credentials are. A replaced one signs beside the new one until valid_until.
create table gate.kind_secret (
  account_id text not null,
  kind text not null,
  secret_id text not null,
  ciphertext bytea not null,
  wrapped_key bytea not null,
  -- The key of SECRETS_KEYS that it is wrapped under.
  kid text not null,
  created_at timestamptz not null default clock_timestamp(),
  valid_until timestamptz,
  constraint kind_secret_pkey primary key (account_id, kind, secret_id),
  constraint kind_secret_account_fkey foreign key (account_id) references gate.account
);
create unique index kind_secret_current_key on gate.kind_secret (account_id, kind) where valid_until is null;
alter table gate.kind_secret enable row level security, force row level security;
create policy tenant on gate.kind_secret using (account_id = gate.current_account());

-- The call of a confirmed action's executor. Its body is frozen before the first attempt; each attempt is recorded before it is
-- made. state: pending (no attempt is under way), sending (one is, or died), accepted (the executor works on, at `location`),
-- asking (its status is asked), ok, not_done, unknown.
create table gate.executor_call (
  account_id text not null,
  action_id bigint not null,
  step text not null,
  -- Text, not JSON: the same bytes at each repeat. Empty: erased.
  body text not null,
  state text not null default 'pending',
  attempts integer not null default 0,
  -- An attempt may have been done.
  is_maybe_done boolean not null default false,
  first_at timestamptz,
  attempted_at timestamptz,
  -- No attempt before this time.
  due_at timestamptz,
  location text,
  code text,
  constraint executor_call_pkey primary key (account_id, action_id, step),
  constraint executor_call_action_fkey foreign key (account_id, action_id) references gate.action,
  constraint executor_call_state_known check (
    state in ('pending', 'sending', 'accepted', 'asking', 'ok', 'not_done', 'unknown')
  )
);
alter table gate.executor_call enable row level security, force row level security;
create policy tenant on gate.executor_call using (account_id = gate.current_account());
alter table gate.executor_call set (fillfactor = 90, autovacuum_vacuum_scale_factor = 0.02);

-- What an executor says of what it did, erased with the payload. The entry of the end has its digest.
create table gate.executor_result (
  account_id text not null,
  action_id bigint not null,
  result json not null,
  constraint executor_result_pkey primary key (account_id, action_id),
  constraint executor_result_action_fkey foreign key (account_id, action_id) references gate.action
);
alter table gate.executor_result enable row level security, force row level security;
create policy tenant on gate.executor_result using (account_id = gate.current_account());
