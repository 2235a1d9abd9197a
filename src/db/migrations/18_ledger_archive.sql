-- Parts of ledgers that were moved into an archive.

-- A file of an archive: it holds the entries from first_seq to last_seq of an account, which gate.ledger no longer has. The
-- chain goes on from `hash`. Rows are appended only, by gate_private.archive_entries.
create table gate.ledger_archive (
  account_id text not null,
  first_seq bigint not null,
  last_seq bigint not null,
  -- Of the entry last_seq.
  hash bytea not null,
  -- SHA-256 of the file, and of the manifest up to the line that names it.
  file bytea not null,
  manifest bytea not null,
  archived_at timestamptz not null default clock_timestamp(),
  constraint ledger_archive_pkey primary key (account_id, first_seq),
  constraint ledger_archive_account_fkey foreign key (account_id) references gate.account,
  constraint ledger_archive_order check (first_seq between 1 and last_seq)
);
create trigger ledger_archive_append_only before update or delete on gate.ledger_archive
  for each row execute function gate_private.refuse_change();
create trigger ledger_archive_no_truncate before truncate on gate.ledger_archive
  for each statement execute function gate_private.refuse_change();
alter table gate.ledger_archive enable always trigger ledger_archive_append_only;
alter table gate.ledger_archive enable always trigger ledger_archive_no_truncate;
alter table gate.ledger_archive enable row level security, force row level security;
create policy tenant on gate.ledger_archive using (account_id = gate.current_account());

-- An entry may be deleted only where a row of gate.ledger_archive says which file holds it.
drop trigger ledger_append_only on gate.ledger;
create trigger ledger_append_only before update on gate.ledger
  for each row execute function gate_private.refuse_change();
create trigger ledger_archived_only before delete on gate.ledger
  for each row execute function gate_private.refuse_unarchived();
alter table gate.ledger enable always trigger ledger_append_only;
alter table gate.ledger enable always trigger ledger_archived_only;
