-- What people read in the console: one row's entries, who set a policy, how members decide.

-- The entries of one action, in order. Checks have one entry each, which is found by the row's uuid: they are most of a
-- ledger, and their writing is not made slower by this.
create index ledger_by_action on gate.ledger (account_id, action_id, seq)
  where action_id is not null and kind <> 'checked';

-- Who set each version of a policy.
create index ledger_policies on gate.ledger (account_id, seq) where kind = 'policy_set';

-- What members decided within some time.
create index action_decided on gate.action (account_id, decided_at) where decision in ('confirm', 'cancel');
