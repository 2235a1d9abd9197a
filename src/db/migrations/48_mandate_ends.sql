-- What members are told of their mandates: why one did not cover what they are asked about, and that one ends.

-- Why no mandate of the member covered the action, where they had signed one for its agent.
alter table gate.consent_request
  add column outside_mandate text,
  add constraint consent_request_outside_mandate_size check (length(outside_mandate) <= 1000);

-- When a member is told that a bounded mandate of theirs is over: at its end, or at once where somebody else ends it before. Deleted
-- once they are told, and where they end it themselves.
create table gate_private.mandate_end_due (
  account_id text not null,
  mandate_id bigint not null,
  tries integer not null default 0,
  due_at timestamptz not null,
  constraint mandate_end_due_pkey primary key (account_id, mandate_id)
);
create index mandate_end_due_by_time on gate_private.mandate_end_due (due_at);
