-- The company's directory: it adds, changes and deactivates members over SCIM, and keeps groups.

-- A member whom the directory manages. `external_id` is the directory's own id of them, and who they are there.
create table gate.directory_user (
  account_id text not null,
  member_id text not null,
  external_id text,
  user_name text not null,
  changed_at timestamptz not null default clock_timestamp(),
  -- When the directory deleted them: it no longer sees the member. Null: it manages them.
  left_at timestamptz,
  constraint directory_user_pkey primary key (account_id, member_id),
  constraint directory_user_member_fkey foreign key (account_id, member_id) references gate.member,
  constraint directory_user_sizes check (length(external_id) between 1 and 255 and length(user_name) between 1 and 254)
);
create unique index directory_user_external on gate.directory_user (account_id, external_id);
create unique index directory_user_name on gate.directory_user (account_id, lower(user_name)) where left_at is null;
alter table gate.directory_user enable row level security, force row level security;
create policy tenant on gate.directory_user using (account_id = gate.current_account());

-- A group that the directory made is changed by it alone.
alter table gate.member_group
  add column is_of_directory boolean not null default false,
  add column external_id text,
  add constraint member_group_external_size check (length(external_id) between 1 and 255);
create unique index member_group_external_key on gate.member_group (account_id, external_id);
-- When the approval of somebody whom the directory put into the group begins to count. Null: at once.
alter table gate.group_membership add column counts_from timestamptz;

-- The claim of an ID token that is the directory's `external_id`: the first sign-in links the member. Null: it links nobody.
alter table gate.company_sign_in
  add column directory_claim text,
  add constraint company_sign_in_claim_size check (length(directory_claim) between 1 and 256);

-- When it ended with the rights of who gave it. It counts no more, and they may give another.
alter table gate.approval add column ended_at timestamptz;
alter table gate.approval drop constraint approval_person_key;
create unique index approval_person_key on gate.approval (account_id, action_id, digest, member_id) where ended_at is null;

-- The token of the directory does that, and nothing else.
alter table gate.api_key drop constraint api_key_powers_known;
alter table gate.api_key add constraint api_key_powers_known check (
  cardinality(powers) > 0 and array_to_string(powers, ' ', '')
    ~ '^(read|propose|confirm|execute|admin:[a-z]+\.[a-z]+)( (read|propose|confirm|execute|admin:[a-z]+\.[a-z]+))*$'
  or powers = array['runner'] and cardinality(actors) = 1
  or powers = array['directory'] and actors is null and grant_id is null
);
