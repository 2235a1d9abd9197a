-- The list of actions that expired: they are a part of the cancelled ones.
create index action_expired on gate.action (account_id, id) where closed_reason = 'expired';
