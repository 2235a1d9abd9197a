-- Consent requests: members who are asked to decide themselves.

-- A message that asks a member to decide about a proposal, in Slack or by e-mail.
-- state: pending (to be sent), sending (a send is running or died), sent, unknown (perhaps sent), failed,
-- withdrawn (the proposal was decided before the message was sent).
create table gate.consent_request (
  account_id text not null,
  action_id bigint not null,
  n integer not null,
  is_reminder boolean not null default false,
  required text not null,
  via text not null,
  address text not null,
  state text not null default 'pending',
  -- Until the request is sent; afterwards only its hash is left, in consent_token.
  token text,
  message json,
  -- The hash of the decision card in the message.
  card bytea,
  -- The Slack team that the message was sent in.
  team text,
  provider_id text,
  code text,
  attempted_at timestamptz,
  created_at timestamptz not null,
  -- Who was asked, and the API key whose confirm led to the request.
  member_id text,
  asked_key text,
  constraint consent_request_pkey primary key (account_id, action_id, n),
  constraint consent_request_action_fkey foreign key (account_id, action_id) references gate.action,
  constraint consent_request_required_known check (required in ('chat', 'page')),
  constraint consent_request_via_known check (via in ('slack', 'email')),
  constraint consent_request_state_known check (
    state in ('pending', 'sending', 'sent', 'unknown', 'failed', 'withdrawn')
  ),
  constraint consent_request_token_until_sent check ((token is not null) = (state in ('pending', 'sending')))
);
-- For limits: how often a member was asked recently.
create index consent_request_by_time on gate.consent_request (account_id, created_at);
create index consent_request_by_member on gate.consent_request (account_id, member_id, created_at);
-- A member is reminded of a proposal once.
create unique index consent_request_reminder_key on gate.consent_request (account_id, action_id) where is_reminder;
alter table gate.consent_request enable row level security, force row level security;
create policy tenant on gate.consent_request using (account_id = gate.current_account());

-- The hash of a request's token: valid once, until the proposal expires or is decided.
create table gate_private.consent_token (
  token bytea not null,
  account_id text not null,
  action_id bigint not null,
  -- Of the request.
  n integer not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  constraint consent_token_pkey primary key (token)
);
create index consent_token_expiring on gate_private.consent_token (expires_at);
