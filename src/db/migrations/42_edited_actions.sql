-- Actions that their member changed before they approved, and actions that answer one that they declined.

alter table gate.action
  -- Version 1 as it was proposed: payload, facts, digest and duplicate_of, which the columns hold of version 2. Null: it was not
  -- changed. Of an erased payload only the digest is left.
  add column former json,
  -- The action that this one answers: one of the same member and kind that they declined.
  add column replaces bigint,
  add constraint action_replaces_fkey foreign key (account_id, replaces) references gate.action;

-- What is read from the payload is read again from version 2.
create trigger action_edited before update on gate.action
  for each row when (
    old.former is null and new.former is not null and new.kind in ('refund', 'subscription_cancellation', 'checkout', 'payout'))
  execute function gate_private.set_subject();
create trigger action_edited_declared before update on gate.action
  for each row when (old.former is null and new.former is not null and new.kind_version is not null)
  execute function gate_private.set_declared();
