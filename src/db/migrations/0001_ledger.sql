-- Two schemas. `gate`: what the service role may see under row-level security, and the functions it may call.
-- `gate_private`: hashes, ids and dates that are looked up before the account is known; no grants, no policies.
-- (`gate_private` exists: the list of applied migrations lies there.)
create schema gate;

-- Names the account for the rest of this statement's transaction; row-level security reads it.
create function gate.tenant(p_account text) returns text
language plpgsql volatile as $$
begin
  perform set_config('gate.account', p_account, true);
  return p_account;
end $$;

create function gate.current_account() returns text
language sql stable
return nullif(current_setting('gate.account', true), '');

-- One row per account that exists: what may be known before its name is.
create table gate_private.account_directory (
  account_id text not null,
  created_at timestamptz not null default clock_timestamp(),
  constraint account_directory_pkey primary key (account_id),
  constraint account_directory_id_form check (account_id ~ '^acct_[0-9A-Za-z]{16}$')
);

-- An account: a company, with the versions that decisions are checked against.
create table gate.account (
  account_id text not null,
  name text not null,
  created_at timestamptz not null default clock_timestamp(),
  suspended_at timestamptz,
  curricula_version bigint not null default 1,
  roster_version bigint not null default 1,
  policy_version bigint not null default 1,
  constraint account_pkey primary key (account_id),
  constraint account_directory_fkey foreign key (account_id) references gate_private.account_directory,
  constraint account_name_length check (length(name) between 1 and 200)
);

-- The end of each account's chain. Whoever appends holds this row's lock, so ids and sequence have no gaps.
create table gate.ledger_head (
  account_id text not null,
  seq bigint not null default 0,
  hash bytea not null default decode(repeat('00', 32), 'hex'),
  at timestamptz not null default date_trunc('milliseconds', clock_timestamp()),
  action_seq bigint not null default 0,
  constraint ledger_head_pkey primary key (account_id),
  constraint ledger_head_account_fkey foreign key (account_id) references gate.account
) with (fillfactor = 50);

-- One row per event, chained: hash = sha256(prev || 'account seq at' || newline || entry).
create table gate.ledger (
  account_id text not null,
  seq bigint not null,
  event_id uuid not null,
  at timestamptz not null,
  kind text not null,
  action_id bigint,
  entry text not null,
  prev bytea not null,
  hash bytea not null,
  constraint ledger_pkey primary key (account_id, seq),
  constraint ledger_event_key unique (account_id, event_id),
  constraint ledger_entry_length check (length(entry) <= 20000)
);

create function gate_private.refuse_change() returns trigger
language plpgsql as $$
begin
  raise exception 'the ledger is append-only' using errcode = 'insufficient_privilege';
end $$;
create trigger ledger_append_only before update or delete on gate.ledger
  for each row execute function gate_private.refuse_change();
create trigger ledger_no_truncate before truncate on gate.ledger
  for each statement execute function gate_private.refuse_change();
alter table gate.ledger enable always trigger ledger_append_only;
alter table gate.ledger enable always trigger ledger_no_truncate;

create function gate_private.iso(p_at timestamptz) returns text
language sql immutable
return to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- Takes the lock that makes everything after it in this transaction see the account as it now is.
create function gate_private.lock_head(p_account text) returns gate.ledger_head
language plpgsql as $$
declare
  head gate.ledger_head;
begin
  select * into head from gate.ledger_head where account_id = p_account for update;
  if not found then
    raise exception 'no such account' using errcode = 'no_data_found';
  end if;
  return head;
end $$;

-- Appends one entry and returns its time. The tail is the entry's canonical JSON after `{"action":<id>,`.
-- A repeated event id appends nothing and returns the time of the entry that stands.
create function gate_private.append(
  p_account text, p_event uuid, p_kind text, p_action bigint, p_tail text
) returns timestamptz
language plpgsql as $$
declare
  head gate.ledger_head;
  new_at timestamptz;
  new_entry text := '{"action":' || coalesce(p_action::text, 'null') || ',' || p_tail;
  new_hash bytea;
begin
  head := gate_private.lock_head(p_account);
  select at into new_at from gate.ledger where account_id = p_account and event_id = p_event;
  if found then
    return new_at;
  end if;
  new_at := greatest(head.at, date_trunc('milliseconds', clock_timestamp()));
  new_hash := sha256(
    head.hash
    || convert_to(p_account || ' ' || (head.seq + 1) || ' ' || gate_private.iso(new_at) || E'\n' || new_entry, 'UTF8')
  );
  insert into gate.ledger (account_id, seq, event_id, at, kind, action_id, entry, prev, hash)
  values (p_account, head.seq + 1, p_event, new_at, p_kind, p_action, new_entry, head.hash, new_hash);
  update gate.ledger_head set seq = head.seq + 1, hash = new_hash, at = new_at where account_id = p_account;
  return new_at;
end $$;

alter table gate.account enable row level security, force row level security;
alter table gate.ledger_head enable row level security, force row level security;
alter table gate.ledger enable row level security, force row level security;
create policy tenant on gate.account using (account_id = gate.current_account());
create policy tenant on gate.ledger_head using (account_id = gate.current_account());
create policy tenant on gate.ledger using (account_id = gate.current_account());
