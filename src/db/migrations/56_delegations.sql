-- Deputies: who approves for an approver who is away.

-- A member has another one approve for them until a time. It ends by itself then. The entry of its start says all but the reason.
create table gate.delegation (
  account_id text not null,
  delegation_id text not null,
  -- Who is away, and their deputy.
  from_member text not null,
  to_member text not null,
  -- Null: every kind of action.
  kinds text[],
  until timestamptz not null,
  reason text,
  created_at timestamptz not null,
  -- Ended before its time.
  ended_at timestamptz,
  ended_by text,
  constraint delegation_pkey primary key (account_id, delegation_id),
  constraint delegation_from_fkey foreign key (account_id, from_member) references gate.member,
  constraint delegation_to_fkey foreign key (account_id, to_member) references gate.member,
  constraint delegation_of_another check (from_member <> to_member),
  constraint delegation_time check (until > created_at and until <= created_at + interval '30 days 1 minute'),
  constraint delegation_reason_size check (length(reason) between 1 and 1000),
  constraint delegation_end_whole check ((ended_at is null) = (ended_by is null))
);
create index delegation_by_deputy on gate.delegation (account_id, to_member) where ended_at is null;
create index delegation_by_approver on gate.delegation (account_id, from_member) where ended_at is null;
alter table gate.delegation enable row level security, force row level security;
create policy tenant on gate.delegation using (account_id = gate.current_account());

-- For whom a deputy approved. Null: for themselves.
alter table gate.approval add column for_member text;
alter table gate.approval add constraint approval_for_fkey foreign key (account_id, for_member) references gate.member;

-- When somebody is told that a delegation of theirs starts or is over: both people, each once. Deleted once they are told.
create table gate_private.delegation_notice_due (
  account_id text not null,
  delegation_id text not null,
  member_id text not null,
  is_end boolean not null,
  tries integer not null default 0,
  due_at timestamptz not null,
  constraint delegation_notice_due_pkey primary key (account_id, delegation_id, member_id, is_end)
);
create index delegation_notice_due_by_time on gate_private.delegation_notice_due (due_at);
