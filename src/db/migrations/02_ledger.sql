-- The ledger: one hash chain of entries for each account.

-- The end of an account's chain. Every append locks this row, so sequence numbers and action ids have no gaps.
create table gate.ledger_head (
  account_id text not null,
  seq bigint not null default 0,
  hash bytea not null default decode(repeat('00', 32), 'hex'),
  at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  -- The id of the account's newest action.
  action_seq bigint not null default 0,
  constraint ledger_head_pkey primary key (account_id),
  constraint ledger_head_account_fkey foreign key (account_id) references gate.account
) with (fillfactor = 50);
alter table gate.ledger_head enable row level security, force row level security;
create policy tenant on gate.ledger_head using (account_id = gate.current_account());

-- A ledger entry: something that happened in an account. Rows are appended only.
-- hash = sha256(prev || 'account seq at' || newline || entry), where `prev` is the hash of the entry before.
create table gate.ledger (
  account_id text not null,
  seq bigint not null,
  event_id uuid not null,
  at timestamptz not null,
  kind text not null,
  action_id bigint,
  -- Canonical JSON (RFC 8785).
  entry text not null,
  prev bytea not null,
  hash bytea not null,
  constraint ledger_pkey primary key (account_id, seq),
  constraint ledger_event_key unique (account_id, event_id),
  constraint ledger_entry_length check (length(entry) <= 20000)
);
-- For the timeline of an action. Checks have one entry each, found by the uuid of their action, and are most of a ledger:
-- leaving them out keeps their insert fast.
create index ledger_by_action on gate.ledger (account_id, action_id, seq)
  where action_id is not null and kind <> 'checked';
-- For the history of a policy: who set each version.
create index ledger_policies on gate.ledger (account_id, seq) where kind = 'policy_set';

create trigger ledger_append_only before update or delete on gate.ledger
  for each row execute function gate_private.refuse_change();
create trigger ledger_no_truncate before truncate on gate.ledger
  for each statement execute function gate_private.refuse_change();
-- `always`: also in a session that applies replicated changes.
alter table gate.ledger enable always trigger ledger_append_only;
alter table gate.ledger enable always trigger ledger_no_truncate;
alter table gate.ledger enable row level security, force row level security;
create policy tenant on gate.ledger using (account_id = gate.current_account());
