-- What members allow agent runners in advance: a project's own tools, in one folder of one machine, for a time.

-- A mandate. Its commands are in the payload of its action. It is in force from `granted_at` until `expires_at` or `ended_at`.
create table gate.tool_mandate (
  account_id text not null,
  action_id bigint not null,
  -- SHA-256 over everything that its calls have in common: member, key, runner, tool and folder.
  scope bytea not null,
  member_id text not null,
  key_id text not null,
  granted_at timestamptz,
  expires_at timestamptz,
  ended_at timestamptz,
  -- A member's id, `admin`, `admin:` and an administrator's id, or `system`.
  ended_by text,
  uses bigint not null default 0,
  last_used_at timestamptz,
  constraint tool_mandate_pkey primary key (account_id, action_id),
  constraint tool_mandate_action_fkey foreign key (account_id, action_id) references gate.action,
  constraint tool_mandate_granted_expires check ((granted_at is null) = (expires_at is null)),
  constraint tool_mandate_ended_whole check ((ended_at is null) = (ended_by is null)),
  constraint tool_mandate_used_was_granted check (uses = 0 or granted_at is not null)
);
create index tool_mandate_by_scope on gate.tool_mandate (account_id, scope, action_id);
create index tool_mandate_by_member on gate.tool_mandate (account_id, member_id, action_id);
create index tool_mandate_by_expiry on gate.tool_mandate (account_id, expires_at) where ended_at is null and granted_at is not null;
alter table gate.tool_mandate enable row level security, force row level security;
create policy tenant on gate.tool_mandate using (account_id = gate.current_account());
