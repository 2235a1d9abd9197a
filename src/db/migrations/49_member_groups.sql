-- Groups of members: who may be asked to approve what others propose.

-- A group. Its name is for people; policies and entries name its id.
create table gate.member_group (
  account_id text not null,
  group_id text not null,
  name text not null,
  created_at timestamptz not null,
  constraint member_group_pkey primary key (account_id, group_id),
  constraint member_group_account_fkey foreign key (account_id) references gate.account,
  constraint member_group_name_size check (length(name) between 1 and 200)
);
create unique index member_group_name_key on gate.member_group (account_id, lower(name));
alter table gate.member_group enable row level security, force row level security;
create policy tenant on gate.member_group using (account_id = gate.current_account());

-- A member in a group. A deactivated member stays in it, and counts for nothing.
create table gate.group_membership (
  account_id text not null,
  group_id text not null,
  member_id text not null,
  constraint group_membership_pkey primary key (account_id, group_id, member_id),
  constraint group_membership_group_fkey foreign key (account_id, group_id) references gate.member_group,
  constraint group_membership_member_fkey foreign key (account_id, member_id) references gate.member
);
create index group_membership_by_member on gate.group_membership (account_id, member_id);
alter table gate.group_membership enable row level security, force row level security;
create policy tenant on gate.group_membership using (account_id = gate.current_account());
