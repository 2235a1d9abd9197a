-- How many questions about the status could not be signed: those that were sent have tries of their own.
alter table gate.executor_call add column unsigned integer not null default 0;
