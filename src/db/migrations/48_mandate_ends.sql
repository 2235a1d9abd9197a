-- What members are told of their mandates: why one did not cover what they are asked about, and that one ends.

-- Why no mandate of the member covered the action, where they had signed one for its agent.
alter table gate.consent_request
  add column outside_mandate text,
  add constraint consent_request_outside_mandate_size check (length(outside_mandate) <= 1000);
