-- What is known of a call that does not succeed: since when, and how that changed.

-- Since when attempts fail one after the other; null: the last one did not, or the call has ended.
alter table gate.executor_call add column failing_since timestamptz;
alter table gate.provider_call add column failing_since timestamptz;

-- A change in how the call of a running action goes: not one row an attempt. Its end is in the ledger.
-- state and code: those of the call. attempts: how many there had been.
create table gate.call_change (
  account_id text not null,
  action_id bigint not null,
  step text not null,
  n integer not null,
  at timestamptz not null default clock_timestamp(),
  state text not null,
  code text,
  attempts integer not null,
  constraint call_change_pkey primary key (account_id, action_id, step, n),
  constraint call_change_action_fkey foreign key (account_id, action_id) references gate.action
);
alter table gate.call_change enable row level security, force row level security;
create policy tenant on gate.call_change using (account_id = gate.current_account());

create trigger executor_call_changes before update on gate.executor_call
  for each row execute function gate_private.note_call_change();
create trigger provider_call_changes before update on gate.provider_call
  for each row execute function gate_private.note_call_change();

-- Of which failing executors and providers the administrators were told. Kept for a day after the last failure, so that one that
-- comes and goes is told once.
create table gate_private.failing_notice (
  account_id text not null,
  target text not null,
  noticed_at timestamptz not null default clock_timestamp(),
  constraint failing_notice_pkey primary key (account_id, target)
);
