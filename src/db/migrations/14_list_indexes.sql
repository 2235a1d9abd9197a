-- Lists of actions with every filter: each combination of member, kind and status is one range of an index, in order of id.

drop index gate.action_by_kind;
create index action_by_kind on gate.action (account_id, kind, status, id);
create index action_by_member_and_kind on gate.action (account_id, member_id, kind, status, id);
-- Ids and times of an account ascend together, so a time is turned into the id of the first action from then on.
create index action_by_time on gate.action (account_id, created_at, id);
