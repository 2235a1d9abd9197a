-- Break-glass: a named member executes what others must approve, alone, and the others review it.

-- One for an action. Its entry says all but the words.
create table gate.glass_break (
  account_id text not null,
  action_id bigint not null,
  member_id text not null,
  digest text not null,
  channel text not null,
  card bytea not null,
  -- Evidence of the passkey, as its entry has it.
  passkey json not null,
  -- Null where it was erased.
  reason text,
  at timestamptz not null,
  review_due_at timestamptz not null,
  -- The review of somebody else: a member, or an administrator with `admin:` before the id.
  reviewed_at timestamptz,
  reviewed_by text,
  is_justified boolean,
  note text,
  constraint glass_break_pkey primary key (account_id, action_id),
  constraint glass_break_action_fkey foreign key (account_id, action_id) references gate.action,
  constraint glass_break_member_fkey foreign key (account_id, member_id) references gate.member,
  constraint glass_break_reason_size check (length(reason) between 20 and 1000),
  constraint glass_break_note_size check (length(note) between 1 and 1000),
  constraint glass_break_review_whole check (
    (reviewed_at is null) = (reviewed_by is null) and (reviewed_at is null) = (is_justified is null))
);
create index glass_break_unreviewed on gate.glass_break (account_id, at) where reviewed_at is null;
alter table gate.glass_break enable row level security, force row level security;
create policy tenant on gate.glass_break using (account_id = gate.current_account());

-- Who is still to be told of one, each once. Deleted once they are told.
create table gate_private.glass_notice_due (
  account_id text not null,
  action_id bigint not null,
  member_id text not null,
  tries integer not null default 0,
  due_at timestamptz not null,
  constraint glass_notice_due_pkey primary key (account_id, action_id, member_id)
);
create index glass_notice_due_by_time on gate_private.glass_notice_due (due_at);
