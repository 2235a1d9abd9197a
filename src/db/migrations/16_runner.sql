-- Tool calls of agent runners: what was asked, what was decided, and what became of it.

alter table gate.action
  -- What a runner's tool call carries, with secrets masked: for the decision card. Its digest is in the payload.
  add column input text,
  add constraint action_input_length check (length(input) between 1 and 20000);

-- A runner key asks about tool calls for one member, and can do nothing else.
alter table gate.api_key drop constraint api_key_powers_known;
alter table gate.api_key add constraint api_key_powers_known check (
  cardinality(powers) > 0 and powers <@ array['read', 'propose', 'confirm']
  or powers = array['runner'] and cardinality(actors) = 1
);

-- A tool call that a runner asked about, and the answer. Kept for 30 days.
create table gate.tool_call (
  account_id text not null,
  n bigint generated always as identity,
  at timestamptz not null,
  key_id text not null,
  member_id text not null,
  -- The tier of the member when they asked.
  tier_at_request text not null,
  runner text not null,
  tool text not null,
  effect text not null,
  -- SHA-256 over what identifies the call: by it a repeat, and the report of its outcome, are recognized.
  ref bytea not null,
  -- SHA-256 over everything that a repeat has in common with it: member, key, runner, session, tool, folder and input.
  binding bytea not null,
  -- allow: it may run, by the policy or by a consent. consent: the member was asked.
  decision text not null,
  -- The place of the rule that decided, from 1. Null: no rule matched, or the decision was made without the rules.
  rule integer,
  -- The row of the ledger, where it has one.
  action_id bigint,
  -- What rules read: the masked input, the folder and the MCP server. Null: it was too long.
  call json,
  -- What the runner reported: ran or failed. Null: nothing yet.
  outcome text,
  reported_at timestamptz,
  constraint tool_call_pkey primary key (account_id, n),
  constraint tool_call_decision_known check (decision in ('allow', 'deny', 'consent')),
  constraint tool_call_outcome_known check (outcome in ('ran', 'failed')),
  constraint tool_call_tool_length check (length(tool) between 1 and 255)
);
create index tool_call_by_ref on gate.tool_call (account_id, ref, n);
-- For the lists of the console: each combination of key and decision is one range, newest last.
create index tool_call_by_key on gate.tool_call (account_id, key_id, decision, n);
-- For calls that were allowed and never reported.
create index tool_call_unreported on gate.tool_call (account_id, key_id, at, n) where decision = 'allow' and outcome is null;
alter table gate.tool_call enable row level security, force row level security;
create policy tenant on gate.tool_call using (account_id = gate.current_account());

-- The answers to tool calls, counted by hour. `is_noted`: an entry of the ledger has these counts.
create table gate.tool_count (
  account_id text not null,
  hour timestamptz not null,
  member_id text not null,
  key_id text not null,
  tool text not null,
  allowed integer not null default 0,
  denied integer not null default 0,
  asked integer not null default 0,
  is_noted boolean not null default false,
  constraint tool_count_pkey primary key (account_id, hour, member_id, key_id, tool)
);
create index tool_count_unnoted on gate.tool_count (account_id, hour) where not is_noted;
alter table gate.tool_count enable row level security, force row level security;
create policy tenant on gate.tool_count using (account_id = gate.current_account());

-- The consent to one tool call. Once the member approved, it is a grant: the same call may run once, until `expires_at`.
create table gate.tool_consent (
  account_id text not null,
  action_id bigint not null,
  -- SHA-256 over everything that the repeat must have in common with the call that the member approved.
  binding bytea not null,
  granted_at timestamptz,
  expires_at timestamptz,
  spent_at timestamptz,
  constraint tool_consent_pkey primary key (account_id, action_id),
  constraint tool_consent_action_fkey foreign key (account_id, action_id) references gate.action,
  constraint tool_consent_granted_expires check ((granted_at is null) = (expires_at is null)),
  constraint tool_consent_spent_was_granted check (spent_at is null or granted_at is not null)
);
create index tool_consent_by_binding on gate.tool_consent (account_id, binding, action_id);
create index tool_consent_usable on gate.tool_consent (account_id, expires_at) where spent_at is null and granted_at is not null;
alter table gate.tool_consent enable row level security, force row level security;
create policy tenant on gate.tool_consent using (account_id = gate.current_account());
