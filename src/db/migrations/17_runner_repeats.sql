-- What a repeat must have in common with the call that it repeats: an id alone is the word of the runner.
alter table gate.tool_call
  -- SHA-256 over member, key, runner, session, tool, folder and input. Null: of a call from before this column.
  add column binding bytea;
