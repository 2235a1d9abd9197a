-- Mandates for actions of any kind, with limits, a budget and an end, beside those for the commands of agent runners.

alter table gate.tool_mandate rename to mandate;
alter table gate.mandate rename constraint tool_mandate_pkey to mandate_pkey;
alter table gate.mandate rename constraint tool_mandate_action_fkey to mandate_action_fkey;
alter table gate.mandate rename constraint tool_mandate_granted_expires to mandate_granted_expires;
alter table gate.mandate rename constraint tool_mandate_ended_whole to mandate_ended_whole;
alter table gate.mandate rename constraint tool_mandate_used_was_granted to mandate_used_was_granted;
alter index gate.tool_mandate_by_scope rename to mandate_by_scope;
alter index gate.tool_mandate_by_member rename to mandate_by_member;
alter index gate.tool_mandate_by_expiry rename to mandate_by_expiry;
alter table gate.mandate
  -- Null: it is not for the calls of a scope, but bounded by the limits in the payload of its action. `key_id` is then the agent: the
  -- first key of a chain of rotations, or a connected app.
  alter column scope drop not null,
  -- While it is frozen, nothing is done by it. By whom: as `ended_by`.
  add column frozen_at timestamptz,
  add column frozen_by text,
  -- How often it was frozen or resumed: a use that was judged before is judged again.
  add column epoch bigint not null default 0,
  add constraint mandate_frozen_whole check ((frozen_at is null) = (frozen_by is null));

-- A use of a bounded mandate. No use is ever given back, whatever became of its action.
create table gate.mandate_debit (
  account_id text not null,
  mandate_id bigint not null,
  n bigint not null,
  -- What was confirmed by it; null: a tool call of an agent runner.
  action_id bigint,
  -- Its day in UTC is the day that it counts for.
  at timestamptz not null,
  cents bigint,
  currency text,
  constraint mandate_debit_pkey primary key (account_id, mandate_id, n),
  constraint mandate_debit_mandate_fkey foreign key (account_id, mandate_id) references gate.mandate,
  constraint mandate_debit_action_fkey foreign key (account_id, action_id) references gate.action,
  constraint mandate_debit_action_key unique (account_id, action_id),
  constraint mandate_debit_amount_whole check ((cents is null) = (currency is null)),
  constraint mandate_debit_cents_range check (cents >= 0)
);
alter table gate.mandate_debit enable row level security, force row level security;
create policy tenant on gate.mandate_debit using (account_id = gate.current_account());

-- The mandate that an action was confirmed by. Null: somebody decided about this one.
alter table gate.action
  add column mandate_id bigint,
  add constraint action_mandate_fkey foreign key (account_id, mandate_id) references gate.mandate;
