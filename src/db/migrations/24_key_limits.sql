-- How the requests of an account's keys are counted: by each process, or by all API processes together.
alter table gate_private.account_directory
  add column key_limits text not null default 'per_process',
  add constraint account_directory_key_limits_known check (key_limits in ('per_process', 'shared'));

-- The current minute of a key whose requests are counted together, and what the processes have taken of its limit: at most one
-- row a key. What a process took and did not use is lost when the minute ends.
create table gate_private.key_minute (
  account_id text not null,
  key_id text not null,
  ends_at timestamptz not null,
  taken integer not null,
  constraint key_minute_pkey primary key (account_id, key_id),
  constraint key_minute_key_fkey foreign key (account_id, key_id) references gate.api_key,
  constraint key_minute_taken_range check (taken >= 0)
);
-- Rows that only change: a next version fits on the same page, and the dead ones are soon used again.
alter table gate_private.key_minute set (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
