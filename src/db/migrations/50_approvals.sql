-- Approvals of other members: what a policy asks for beside the consent of the member who acts.

alter table gate.action
  -- Who must approve, as the policy said when it was proposed: a later policy changes nothing. Null: nobody else.
  add column approval_rule json,
  -- When its member consented to it as it is now; the others are asked from then on. Null: not yet, or nobody else must approve.
  add column consented_at timestamptz,
  -- How many others approved it as it is now. Null: nobody did anything yet.
  add column approvals_given integer;

-- Each approver is reminded once.
drop index gate.consent_request_reminder_key;
create unique index consent_request_reminder_key on gate.consent_request (account_id, action_id, member_id) where is_reminder;

-- The consent of the member who acts, or the approval of somebody else, to an action as a digest names it: one a person.
create table gate.approval (
  account_id text not null,
  action_id bigint not null,
  n integer not null,
  member_id text not null,
  -- Of the member who acts.
  is_own boolean not null,
  digest text not null,
  strength text not null,
  channel text not null,
  card bytea,
  -- Evidence of a passkey, as its entry has it.
  passkey json,
  -- The API key of a confirm.
  key_id text,
  reason text,
  command_id uuid not null,
  at timestamptz not null,
  constraint approval_pkey primary key (account_id, action_id, n),
  constraint approval_action_fkey foreign key (account_id, action_id) references gate.action,
  constraint approval_member_fkey foreign key (account_id, member_id) references gate.member,
  constraint approval_person_key unique (account_id, action_id, digest, member_id)
);
alter table gate.approval enable row level security, force row level security;
create policy tenant on gate.approval using (account_id = gate.current_account());
