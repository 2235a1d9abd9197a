-- Integrations: providers that an account connected with its own credentials.

-- A connection that was confirmed. state: pending (not in use yet), connected (used instead of the credential from the
-- environment; one for each provider), disconnected (replaced or removed, its secrets deleted).
create table gate.integration (
  account_id text not null,
  integration_id text not null,
  provider text not null,
  state text not null default 'pending',
  action_id bigint not null,
  member_id text not null,
  -- What may be shown.
  settings json not null,
  -- Of the credential: tells whether another one is the same.
  fingerprint text not null,
  created_at timestamptz not null default clock_timestamp(),
  connected_at timestamptz,
  disconnected_at timestamptz,
  constraint integration_pkey primary key (account_id, integration_id),
  constraint integration_action_key unique (account_id, action_id),
  constraint integration_action_fkey foreign key (account_id, action_id) references gate.action,
  constraint integration_member_fkey foreign key (account_id, member_id) references gate.member,
  constraint integration_id_form check (integration_id ~ '^int_[0-9A-Za-z]{16}$'),
  constraint integration_provider_known check (provider in ('slack', 'resend', 'stripe')),
  constraint integration_state_known check (state in ('pending', 'connected', 'disconnected'))
);
create unique index integration_connected_key on gate.integration (account_id, provider) where state = 'connected';
alter table gate.integration enable row level security, force row level security;
create policy tenant on gate.integration using (account_id = gate.current_account());

-- An encrypted field of a credential. It has its own data key, which is wrapped under the key `kid` of SECRETS_KEYS.
create table gate.integration_secret (
  account_id text not null,
  integration_id text not null,
  field text not null,
  ciphertext bytea not null,
  wrapped_key bytea not null,
  kid text not null,
  created_at timestamptz not null default clock_timestamp(),
  constraint integration_secret_pkey primary key (account_id, integration_id, field),
  constraint integration_secret_integration_fkey foreign key (account_id, integration_id) references gate.integration
);
alter table gate.integration_secret enable row level security, force row level security;
create policy tenant on gate.integration_secret using (account_id = gate.current_account());

-- A connect link, found by the hash of its token. Valid until it expires, is used, or its action is decided.
create table gate_private.connect_link (
  token bytea not null,
  account_id text not null,
  action_id bigint not null,
  provider text not null,
  expires_at timestamptz not null,
  tries integer not null default 0,
  -- Hashes of the state that Slack's page sends back, and of the session that began the install: the redirect from Slack
  -- carries no session cookie.
  state bytea,
  state_session bytea,
  used_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  constraint connect_link_pkey primary key (token),
  constraint connect_link_state_key unique (state)
);
create index connect_link_expiring on gate_private.connect_link (expires_at);

-- A credential that its provider accepted and that nobody has put into use yet: encrypted, one for each link. It becomes
-- the connection `integration_id` when the signed-in person confirms it, and is otherwise deleted with the link.
create table gate_private.connect_draft (
  token bytea not null,
  integration_id text not null,
  settings json not null,
  fingerprint text not null,
  field text not null,
  ciphertext bytea not null,
  wrapped_key bytea not null,
  kid text not null,
  created_at timestamptz not null default clock_timestamp(),
  constraint connect_draft_pkey primary key (token),
  constraint connect_draft_link_fkey foreign key (token) references gate_private.connect_link on delete cascade,
  constraint connect_draft_id_form check (integration_id ~ '^int_[0-9A-Za-z]{16}$')
);
