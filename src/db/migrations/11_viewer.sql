-- How a person wants to see the console. No row: the defaults.
create table gate.viewer (
  account_id text not null,
  -- The id of the administrator or member.
  person_id text not null,
  -- An IANA name that the service checked.
  time_zone text not null,
  chosen_at timestamptz not null default clock_timestamp(),
  constraint viewer_pkey primary key (account_id, person_id),
  constraint viewer_account_fkey foreign key (account_id) references gate.account,
  constraint viewer_time_zone_length check (length(time_zone) between 1 and 64)
);
alter table gate.viewer enable row level security, force row level security;
create policy tenant on gate.viewer using (account_id = gate.current_account());

-- For the overview: proposals of a day by outcome, read from the index alone. Checks are left out: their insert stays fast.
create index action_outcomes on gate.action (account_id, created_at)
  include (status, closed_reason, denial_code)
  where requires_confirmation or status = 'denied';

-- Who caused an entry, read from its text: what is compared with a column can be found by an index under row-level security,
-- what a function reads from a row cannot.
alter table gate.ledger add column actor text
  generated always as (substring(entry from '^\{"action":(?:[0-9]+|null),"actor":"([^"]*)"')) stored;
-- For the audit log: entries by kind and by who caused them, newest first. Checks are most of a ledger and are left out: their
-- insert stays fast.
create index ledger_by_kind on gate.ledger (account_id, kind, seq) where kind <> 'checked';
create index ledger_by_actor on gate.ledger (account_id, kind, actor, seq) where kind <> 'checked';
