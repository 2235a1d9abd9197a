-- Forms of the console that were sent, and messages in Slack that are to show how their action ended.

-- A form of the console that somebody sent, found by a hash over who sent it, to which page, and everything in it, so that
-- the same form does nothing twice. `path` is the page to look at, once the form was handled. Kept for 30 days.
create table gate_private.sent_form (
  form bytea not null,
  -- Of the request that handles it: the same request may be repeated to the database.
  claim uuid not null,
  sent_at timestamptz not null default clock_timestamp(),
  path text,
  flash text,
  constraint sent_form_pkey primary key (form),
  constraint sent_form_path_length check (length(path) <= 1000)
);
create index sent_form_by_time on gate_private.sent_form (sent_at);

-- A consent request in Slack whose buttons are to be replaced by the outcome of its action: the outbox of such updates,
-- across all accounts.
create table gate_private.message_update (
  account_id text not null,
  action_id bigint not null,
  -- Of the consent request.
  n integer not null,
  due_at timestamptz not null default clock_timestamp(),
  tries integer not null default 0,
  constraint message_update_pkey primary key (account_id, action_id, n)
);
create index message_update_due on gate_private.message_update (due_at);

-- After a consent request was sent: when the action is decided, in whatever way, and when it ends.
create trigger action_shown after update on gate.action
  for each row when (
    new.asked_at is not null
    and (old.decision is null and new.decision is not null or old.status = 'proposed' and new.status <> 'proposed'))
  execute function gate_private.queue_message_updates();
