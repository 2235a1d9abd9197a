-- The attempt that is under way, or the last one: the statement of its intent may be repeated, and only it records its outcome.
alter table gate.executor_call add column attempt_id uuid;
