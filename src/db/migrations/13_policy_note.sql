-- Policy notes, and connections that an administrator makes in the console.

-- Why the version was set, in the administrator's words. The ledger entry holds a digest of it, salted so that nobody can guess
-- the text.
alter table gate.policy
  add column note text,
  add column note_salt bytea,
  add constraint policy_note_form check (length(note) between 1 and 300 and note !~ '[[:cntrl:]]'),
  add constraint policy_note_salted check ((note is null) = (note_salt is null));

-- An administrator who connects a provider in the console does so in their own right: such a link and its connection belong
-- to no action and no member, but to that administrator.
alter table gate_private.connect_link
  alter column action_id drop not null,
  add column admin_id text,
  add constraint connect_link_of_one check ((action_id is null) <> (admin_id is null));
create index connect_link_of_admin on gate_private.connect_link (account_id, admin_id, provider) where admin_id is not null;
alter table gate.integration
  alter column action_id drop not null,
  alter column member_id drop not null,
  add column admin_id text,
  add constraint integration_admin_fkey foreign key (account_id, admin_id) references gate.admin,
  add constraint integration_of_one check (
    (action_id is null) = (member_id is null) and (action_id is null) <> (admin_id is null));
