-- Changes of the rules about approvals, and approvals by break-glass.

-- The action by which the approvers of a former rule agreed to a policy. Null: it changed no such rule.
alter table gate.policy add column action_id bigint;
alter table gate.policy add constraint policy_action_fkey foreign key (account_id, action_id) references gate.action;
