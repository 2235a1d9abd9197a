-- Claims: who executes a confirmed action that the gate calls nobody for, and what they reported.

-- `execute`: to claim confirmed actions and report their outcome.
alter table gate.api_key drop constraint api_key_powers_known;
alter table gate.api_key add constraint api_key_powers_known check (
  cardinality(powers) > 0 and powers <@ array['read', 'propose', 'confirm', 'execute']
  or powers = array['runner'] and cardinality(actors) = 1
);

alter table gate_private.open_action
  drop constraint open_action_wake_known,
  -- wake: a step that goes on later is to be called now.
  add constraint open_action_wake_known check (wake in ('start', 'ask', 'confirm', 'cancel', 'wake')),
  -- When a step that goes on later is called again: until then its action is not overdue.
  add column again_at timestamptz;

-- The one claim of a confirmed action. No row: nobody has claimed it yet.
create table gate.claim (
  account_id text not null,
  action_id bigint not null,
  -- held: claimed, and nothing is reported. lapsed: the lease ended without a report. unclaimed: nobody claimed it in time.
  -- The last three are ends: the action is never claimed again.
  state text not null,
  claimed_at timestamptz,
  lease_expires_at timestamptz,
  claimed_key text,
  -- SHA-256 of the token that reports the outcome.
  token bytea,
  outcome text,
  -- What was reported beside the outcome, in the RFC 8785 form. Erased with the payload.
  result json,
  -- SHA-256 over the token, the outcome and the result: a repeat has the same.
  report bytea,
  reported_at timestamptz,
  reported_key text,
  constraint claim_pkey primary key (account_id, action_id),
  constraint claim_action_fkey foreign key (account_id, action_id) references gate.action,
  constraint claim_state_known check (state in ('held', 'reported', 'lapsed', 'unclaimed')),
  constraint claim_outcome_known check (outcome in ('done', 'refused', 'failed', 'unknown')),
  constraint claim_held_by_someone check (
    num_nulls(claimed_at, lease_expires_at, claimed_key, token) = case when state = 'unclaimed' then 4 else 0 end),
  constraint claim_reported_whole check (
    num_nulls(outcome, report, reported_at, reported_key) = case when state = 'reported' then 0 else 4 end)
);
alter table gate.claim enable row level security, force row level security;
create policy tenant on gate.claim using (account_id = gate.current_account());
