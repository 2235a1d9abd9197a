-- Kinds of action that administrators declare in documents.

-- Counts every change of the account's declared kinds. 0: it never declared one.
alter table gate.account add column kinds_version bigint not null default 0;

-- One version of a declared kind. It never changes: actions are shown and executed by the version they were proposed with.
-- The kind is in force by its newest version, unless that is retired.
create table gate.kind (
  account_id text not null,
  kind text not null,
  version integer not null,
  -- In the RFC 8785 form. `digest` is its SHA-256, in hex.
  document json not null,
  digest text not null,
  -- The actor of the entry: `admin`, or `admin:` and an administrator's id.
  created_by text not null,
  created_at timestamptz not null default clock_timestamp(),
  retired_at timestamptz,
  constraint kind_pkey primary key (account_id, kind, version),
  constraint kind_account_fkey foreign key (account_id) references gate.account,
  constraint kind_name_form check (kind ~ '^[a-z][a-z0-9_]{2,39}$'),
  constraint kind_version_positive check (version > 0)
);
alter table gate.kind enable row level security, force row level security;
create policy tenant on gate.kind using (account_id = gate.current_account());

alter table gate.action
  -- Of a declared kind: the version of its document, and the amount that the document points to in the payload.
  add column kind_version integer,
  add column amount_cents bigint,
  add column amount_currency text,
  add constraint action_kind_version_fkey foreign key (account_id, kind, kind_version) references gate.kind,
  add constraint action_amount_range check (amount_cents between 0 and 99999999999),
  add constraint action_amount_whole check ((amount_cents is null) = (amount_currency is null));

create trigger action_declared before insert on gate.action
  for each row when (new.kind_version is not null)
  execute function gate_private.set_declared();
