-- Conversations, their workspaces' participants, and previews of what they built.

-- A conversation in which members build something. Its workspace is a folder named by these two ids.
create table gate.conversation (
  account_id text not null,
  conversation_id text not null,
  title text not null,
  created_at timestamptz not null default clock_timestamp(),
  constraint conversation_pkey primary key (account_id, conversation_id),
  constraint conversation_account_fkey foreign key (account_id) references gate.account,
  constraint conversation_id_form check (conversation_id ~ '^[A-Za-z0-9_-]{1,64}$'),
  constraint conversation_title_length check (length(title) between 1 and 200)
);
-- On a file system that ignores case, two ids that differ in case only would share one folder.
create unique index conversation_folder_key on gate.conversation (account_id, lower(conversation_id collate "C"));
alter table gate.conversation enable row level security, force row level security;
create policy tenant on gate.conversation using (account_id = gate.current_account());

-- A member who takes part in a conversation. Only participants see its files.
create table gate.participant (
  account_id text not null,
  conversation_id text not null,
  member_id text not null,
  created_at timestamptz not null default clock_timestamp(),
  constraint participant_pkey primary key (account_id, conversation_id, member_id),
  constraint participant_conversation_fkey foreign key (account_id, conversation_id) references gate.conversation,
  constraint participant_member_fkey foreign key (account_id, member_id) references gate.member
);
alter table gate.participant enable row level security, force row level security;
create policy tenant on gate.participant using (account_id = gate.current_account());

-- A process that runs previews, from its start to its end; after a restart it is another host. Alive while it sends beats.
create table gate_private.preview_host (
  host_id text not null,
  gateway_url text not null,
  modes text[] not null,
  -- Why it cannot run the other modes.
  unavailable json not null,
  started_at timestamptz not null default clock_timestamp(),
  beat_at timestamptz not null default clock_timestamp(),
  constraint preview_host_pkey primary key (host_id),
  constraint preview_host_id_form check (host_id ~ '^host_[0-9A-Za-z]{16}$')
);

-- A preview of a conversation's workspace. state: starting, running (its links work), stopping (a stop was requested);
-- stopped, failed, expired (ended, its link secret deleted).
create table gate.preview (
  account_id text not null,
  preview_id text not null,
  conversation_id text not null,
  action_id bigint not null,
  -- Until it runs: the mode that is expected.
  mode text not null default 'static',
  state text not null default 'starting',
  host_id text,
  gateway_url text,
  link_secret bytea,
  started_at timestamptz not null,
  running_at timestamptz,
  expires_at timestamptz not null,
  last_access_at timestamptz,
  ended_at timestamptz,
  error text,
  exit_code integer,
  log_tail text,
  constraint preview_pkey primary key (account_id, preview_id),
  constraint preview_action_key unique (account_id, action_id),
  constraint preview_action_fkey foreign key (account_id, action_id) references gate.action,
  constraint preview_conversation_fkey foreign key (account_id, conversation_id) references gate.conversation,
  constraint preview_id_form check (preview_id ~ '^prev_[0-9a-z]{20}$'),
  constraint preview_mode_known check (mode in ('static', 'command')),
  constraint preview_state_known check (state in ('starting', 'running', 'stopping', 'stopped', 'failed', 'expired')),
  constraint preview_failed_has_error check (state <> 'failed' or error is not null),
  constraint preview_log_length check (length(log_tail) <= 65536),
  constraint preview_ended_is_dated check ((state in ('stopped', 'failed', 'expired')) = (ended_at is not null)),
  constraint preview_ended_has_no_link check (ended_at is null or link_secret is null)
);
create unique index preview_live_key on gate.preview (account_id, conversation_id) where ended_at is null;
create index preview_by_start on gate.preview (account_id, started_at, preview_id);
alter table gate.preview enable row level security, force row level security;
create policy tenant on gate.preview using (account_id = gate.current_account());

-- A preview that has not ended, across all accounts: the load of the hosts, and what the reconciler looks at. `due_at` is
-- when its workflow must be started again. Null: the workflow has taken its first step.
create table gate_private.open_preview (
  preview_id text not null,
  account_id text not null,
  action_id bigint not null,
  host_id text,
  expires_at timestamptz not null,
  due_at timestamptz,
  constraint open_preview_pkey primary key (preview_id)
);
create index open_preview_by_host on gate_private.open_preview (host_id);
