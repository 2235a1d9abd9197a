-- Recipient sets are forgotten once nothing needs them.

alter table gate.recipient_set
  -- When the set was last kept for a proposal: every process keeps it again within an hour of a proposal.
  add column kept_at timestamptz not null default now(),
  -- The members and addresses are gone; the hash stays, which actions and entries name.
  add column forgotten_at timestamptz,
  add constraint recipient_set_forgotten_is_empty check (forgotten_at is null or cardinality(members) = 0);
create index recipient_set_by_age on gate.recipient_set (account_id, kept_at) where forgotten_at is null;
