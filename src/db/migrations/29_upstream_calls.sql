-- Calls of tools of MCP servers behind the gate.

-- Its subject is read from the payload, as that of other kinds with an amount.
create trigger action_upstream before insert on gate.action
  for each row when (new.kind = 'upstream_tool')
  execute function gate_private.set_subject();
