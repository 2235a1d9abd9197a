-- The console's page of agent runners: each combination of key and decision is one range of an index, newest last.

create index tool_call_by_key on gate.tool_call (account_id, key_id, decision, n);
-- By time as well, to count those of a day.
drop index gate.tool_call_unreported;
create index tool_call_unreported on gate.tool_call (account_id, key_id, at, n) where decision = 'allow' and outcome is null;
