-- Members, what they are certified for, and changes of their identities.

-- A member: a person that an agent may act for. `version` changes with everything that a decision about the member is
-- checked against.
create table gate.member (
  account_id text not null,
  member_id text not null,
  name text not null,
  email text,
  slack text,
  -- The tier that an administrator set. Null: the tier comes from certifications or from the policy.
  admin_tier text,
  is_active boolean not null default true,
  version bigint not null default 1,
  created_at timestamptz not null default clock_timestamp(),
  -- Ledger entries hold a digest of name and identities. Without the salt nobody can guess what was hashed.
  salt bytea not null default decode(replace(gen_random_uuid()::text, '-', ''), 'hex'),
  constraint member_pkey primary key (account_id, member_id),
  constraint member_account_fkey foreign key (account_id) references gate.account,
  constraint member_admin_tier_known check (admin_tier in ('read_only', 'guarded_write', 'write')),
  constraint member_name_length check (length(name) between 1 and 200),
  constraint member_email_length check (length(email) between 3 and 254),
  constraint member_slack_form check (slack ~ '^[UW][0-9A-Z]{1,63}$')
);
create unique index member_email_key on gate.member (account_id, lower(email)) where email is not null;
create unique index member_slack_key on gate.member (account_id, slack) where slack is not null;
-- For lists, which are sorted by name.
create index member_by_name on gate.member (account_id, lower(name), member_id);

create trigger member_mailbox after insert or update of email, is_active on gate.member
  for each row execute function gate_private.keep_member_mailbox();
create trigger member_identities after update on gate.member
  for each row when (old.email is distinct from new.email or old.slack is distinct from new.slack)
  execute function gate_private.keep_identities();
alter table gate.member enable row level security, force row level security;
create policy tenant on gate.member using (account_id = gate.current_account());

-- A curriculum: a course of numbered modules that grants a tier once every module is passed.
create table gate.curriculum (
  account_id text not null,
  slug text not null,
  title text not null,
  modules integer not null,
  grants text not null,
  -- Null: a pass does not expire.
  valid_days integer,
  created_at timestamptz not null default clock_timestamp(),
  constraint curriculum_pkey primary key (account_id, slug),
  constraint curriculum_account_fkey foreign key (account_id) references gate.account,
  constraint curriculum_grants_known check (grants in ('read_only', 'guarded_write', 'write')),
  constraint curriculum_modules_range check (modules between 1 and 100),
  constraint curriculum_valid_days_range check (valid_days between 1 and 3650)
);
alter table gate.curriculum enable row level security, force row level security;
create policy tenant on gate.curriculum using (account_id = gate.current_account());

-- A module that a member passed. `passed_at` is the date that counts, `latest_at` the latest date ever recorded.
create table gate.pass (
  account_id text not null,
  member_id text not null,
  curriculum text not null,
  module integer not null,
  passed_at timestamptz not null,
  latest_at timestamptz not null,
  revoked_at timestamptz,
  constraint pass_pkey primary key (account_id, member_id, curriculum, module),
  constraint pass_member_fkey foreign key (account_id, member_id) references gate.member,
  constraint pass_curriculum_fkey foreign key (account_id, curriculum) references gate.curriculum
);
alter table gate.pass enable row level security, force row level security;
create policy tenant on gate.pass using (account_id = gate.current_account());

-- An e-mail address or Slack identity that was set after its member was added. No row: it never changed.
create table gate.identity_change (
  account_id text not null,
  member_id text not null,
  via text not null,
  set_at timestamptz not null,
  -- When it replaced another identity, also one that had been removed before. Null: it is the member's first.
  changed_at timestamptz,
  -- The actor of the ledger entry. Null: unknown.
  changed_by text,
  -- Set by an administrator other than the one who changed it.
  confirmed_at timestamptz,
  confirmed_by text,
  -- While the member has none: the last one, which is told when a new one is set.
  former text,
  constraint identity_change_pkey primary key (account_id, member_id, via),
  constraint identity_change_member_fkey foreign key (account_id, member_id) references gate.member,
  constraint identity_change_via_known check (via in ('email', 'slack')),
  constraint identity_change_confirmed_whole check ((confirmed_at is null) = (confirmed_by is null)),
  constraint identity_change_confirmed_a_change check (confirmed_at is null or changed_at is not null)
);
alter table gate.identity_change enable row level security, force row level security;
create policy tenant on gate.identity_change using (account_id = gate.current_account());

-- A message about a changed identity that is still to be sent. Deleted once it is sent or given up.
create table gate.identity_notice (
  account_id text not null,
  notice_id uuid not null default gen_random_uuid(),
  member_id text not null,
  -- Where the message goes: never to the new identity.
  via text not null,
  address text not null,
  -- Which identity changed, and to what: masked, or null where it was removed.
  identity text not null,
  next text,
  is_first boolean not null,
  changed_by text,
  changed_at timestamptz not null,
  constraint identity_notice_pkey primary key (account_id, notice_id),
  constraint identity_notice_member_fkey foreign key (account_id, member_id) references gate.member,
  constraint identity_notice_via_known check (via in ('email', 'slack')),
  constraint identity_notice_identity_known check (identity in ('email', 'slack'))
);
alter table gate.identity_notice enable row level security, force row level security;
create policy tenant on gate.identity_notice using (account_id = gate.current_account());

-- When such a message is due to be sent or retried, across all accounts. Holds no address.
create table gate_private.identity_notice_due (
  notice_id uuid not null,
  account_id text not null,
  tries integer not null default 0,
  due_at timestamptz not null default clock_timestamp(),
  constraint identity_notice_due_pkey primary key (notice_id)
);
create index identity_notice_due_by_time on gate_private.identity_notice_due (due_at);
