-- Passkeys: keys in members' own devices, by which they decide and sign in.

-- A passkey of a member. Its private key never leaves their device or its maker's vault. A removed one stays: entries name it.
create table gate.passkey (
  account_id text not null,
  passkey_id text not null,
  member_id text not null,
  -- What the member calls it.
  name text not null,
  -- Its id, as the device gave it, and its public key, a SubjectPublicKeyInfo.
  credential bytea not null,
  public_key bytea not null,
  -- It cannot leave the device that made it.
  is_device_bound boolean not null,
  -- How a browser reaches it, as the browser said.
  transports text[] not null,
  sign_count bigint not null,
  -- The administrator that the member was signed in as, too, when they added it.
  admin_id text,
  created_at timestamptz not null,
  used_at timestamptz,
  removed_at timestamptz,
  -- The actor of the ledger entry.
  removed_by text,
  constraint passkey_pkey primary key (account_id, passkey_id),
  constraint passkey_credential_key unique (account_id, credential),
  constraint passkey_member_fkey foreign key (account_id, member_id) references gate.member,
  constraint passkey_sizes check (
    length(name) between 1 and 60 and length(credential) between 1 and 1023
    and length(public_key) <= 1024 and cardinality(transports) <= 10
  ),
  constraint passkey_removed_whole check ((removed_at is null) = (removed_by is null))
);
create index passkey_by_member on gate.passkey (account_id, member_id);
alter table gate.passkey enable row level security, force row level security;
create policy tenant on gate.passkey using (account_id = gate.current_account());

-- What a passkey is asked to sign, once: a random number of the service. The row goes when it is used.
create table gate_private.passkey_nonce (
  nonce bytea not null,
  -- add, decide or sign_in
  purpose text not null,
  -- For whom and what it is; null at a sign-in, where nobody is known yet.
  account_id text,
  member_id text,
  action_id bigint,
  expires_at timestamptz not null,
  constraint passkey_nonce_pkey primary key (nonce),
  constraint passkey_nonce_purpose_known check (purpose in ('add', 'decide', 'sign_in')),
  constraint passkey_nonce_of_somebody check (
    (purpose = 'sign_in') = (account_id is null) and (account_id is null) = (member_id is null)
    and (purpose = 'decide') = (action_id is not null)
  )
);
create index passkey_nonce_expiring on gate_private.passkey_nonce (expires_at);

-- The evidence of a consent by passkey, as its entry has it.
alter table gate.action add column consent_passkey json;

-- The passkey that began a session; null: a link did. With the passkey its sessions go.
alter table gate_private.session add column passkey_id text;

alter table gate.consent_request drop constraint consent_request_required_known;
alter table gate.consent_request add constraint consent_request_required_known check (required in ('chat', 'page', 'passkey'));

-- Members are told of their passkeys as they are of their identities.
alter table gate.identity_notice drop constraint identity_notice_identity_known;
alter table gate.identity_notice add constraint identity_notice_identity_known check (identity in ('email', 'slack', 'passkey'));
