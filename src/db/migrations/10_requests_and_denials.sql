-- What an agent and the gate add to a proposal, why an action was denied, and why a member declined.

alter table gate.action
  -- Why the agent asks for it, written by the agent. Part of the digest.
  add column rationale text,
  -- The consent that the policy required when it was proposed.
  add column consent_required text,
  -- What the provider said about it when it was proposed: an array of [label, value] for the decision card.
  add column facts json,
  -- Which rule denied it, and what would suffice: `needed_tier`, `curricula`.
  add column denial_code text,
  add column denial_needs json,
  -- Why the member declined it, written by the member.
  add column decline_reason text,
  add constraint action_rationale_length check (length(rationale) between 1 and 500),
  add constraint action_decline_reason_length check (length(decline_reason) between 1 and 500),
  add constraint action_denial_code_of_denied check (denial_code is null or denial_reason is not null);
