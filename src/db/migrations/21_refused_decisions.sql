-- For the overview: confirms of the last day that were refused because the member's tier or the policy had changed.
create index action_refused on gate.action (account_id, decided_at) where decision = 'deny';
