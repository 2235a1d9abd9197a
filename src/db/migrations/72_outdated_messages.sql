-- After consent requests were sent, to approvers too: also when the action is changed, whose former version they show.
drop trigger action_shown on gate.action;
create trigger action_shown after update on gate.action
  for each row when (
    (new.asked_at is not null or new.approval_rule is not null)
    and (
      old.decision is null and new.decision is not null or old.status = 'proposed' and new.status <> 'proposed'
      or old.digest is distinct from new.digest))
  execute function gate_private.queue_message_updates();
