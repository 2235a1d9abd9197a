-- Curricula that are changed and retired, and what a session shows of its browser.

-- Null: in force. A retired curriculum earns no tier; its passes stay.
alter table gate.curriculum add column retired_at timestamptz;
-- The titles of its modules, in order. Null: they have numbers only.
alter table gate.curriculum add column module_titles text[];
alter table gate.curriculum add constraint curriculum_module_titles_whole
  check (cardinality(module_titles) = modules and array_position(module_titles, null) is null);

-- The browser as it names itself, where the person signed in, and where the session was last used.
alter table gate_private.session add column browser text;
alter table gate_private.session add column address text;
alter table gate_private.session add column seen_address text;
alter table gate_private.session add constraint session_texts_length
  check (length(browser) <= 512 and length(address) <= 64 and length(seen_address) <= 64);

-- For the decisions on the page of a member's own access, newest first.
create index action_decided_by_member on gate.action (account_id, member_id, decided_at) where decision is not null;
