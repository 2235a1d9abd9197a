-- What the hooks of agent runners sign with.

-- The secret that signs the requests of a runner key, and the answers to them. Found by its name, before the account is known.
create table gate_private.runner_signing (
  account_id text not null,
  key_id text not null,
  -- SHA-256 of a label and the key: how requests name the key.
  name bytea not null,
  -- Encrypted as credentials are. Where kid is null the service had no SECRETS_KEYS: then it is the secret itself.
  ciphertext bytea not null,
  wrapped_key bytea,
  -- The key of SECRETS_KEYS that it is wrapped under.
  kid text,
  constraint runner_signing_pkey primary key (account_id, key_id),
  constraint runner_signing_key_fkey foreign key (account_id, key_id) references gate.api_key,
  constraint runner_signing_name_key unique (name),
  constraint runner_signing_wrapped check ((wrapped_key is null) = (kid is null))
);

-- A request that was signed and has changed something, or asked for consent: it does so once. Rows are deleted once the time of the
-- request is too old to be accepted.
create table gate_private.runner_nonce (
  account_id text not null,
  key_id text not null,
  nonce bytea not null,
  -- Of the request that was first.
  request uuid not null,
  at timestamptz not null default clock_timestamp(),
  constraint runner_nonce_pkey primary key (account_id, key_id, nonce),
  constraint runner_nonce_key_fkey foreign key (account_id, key_id) references gate.api_key
);
alter table gate_private.runner_nonce set (autovacuum_vacuum_scale_factor = 0.02);
alter table gate_private.runner_nonce enable row level security, force row level security;
create policy tenant on gate_private.runner_nonce using (account_id = gate.current_account());
