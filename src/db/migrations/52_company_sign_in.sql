-- Sign-in with the company: an OpenID provider of the account's own.

-- The provider of an account. No row: its people sign in by mailed links and passkeys alone.
create table gate.company_sign_in (
  account_id text not null,
  issuer text not null,
  client_id text not null,
  -- The secret of the client, sealed for this issuer.
  ciphertext bytea not null,
  wrapped_key bytea not null,
  kid text not null,
  -- Whether a first sign-in links the member or administrator whose mailbox the provider has verified.
  links_by_mailbox boolean not null,
  -- The claim that says the role, and the values that mean each: {"administrator": ["gate-admins"]}. Null: roles are of the gate.
  roles_claim text,
  roles json not null,
  -- One of these must be the `acr` of each sign-in. Null: any.
  acr text[],
  -- Whether mailed links and passkeys do not sign in to this account.
  is_only boolean not null,
  set_at timestamptz not null default clock_timestamp(),
  constraint company_sign_in_pkey primary key (account_id),
  constraint company_sign_in_account_fkey foreign key (account_id) references gate.account,
  constraint company_sign_in_sizes check (
    length(issuer) between 8 and 2048 and length(client_id) between 1 and 256 and length(roles_claim) between 1 and 256
    and length(roles::text) <= 8192 and cardinality(acr) between 1 and 10
  )
);
alter table gate.company_sign_in enable row level security, force row level security;
create policy tenant on gate.company_sign_in using (account_id = gate.current_account());

-- Whom a subject of an issuer is here: a member, an administrator or auditor, or both. Issuer and subject are the identity, never a
-- mailbox. One that ended stays: entries name it.
create table gate.company_identity (
  account_id text not null,
  identity_id text not null,
  issuer text not null,
  subject text not null,
  member_id text,
  admin_id text,
  -- The actor of the entry: an administrator, or `company` for the provider's own word.
  linked_by text not null,
  linked_at timestamptz not null default clock_timestamp(),
  seen_at timestamptz,
  ended_at timestamptz,
  constraint company_identity_pkey primary key (account_id, identity_id),
  constraint company_identity_id_form check (identity_id ~ '^idn_[0-9A-Za-z]{16}$'),
  constraint company_identity_member_fkey foreign key (account_id, member_id) references gate.member,
  constraint company_identity_admin_fkey foreign key (account_id, admin_id) references gate.admin,
  constraint company_identity_sizes check (length(issuer) between 8 and 2048 and length(subject) between 1 and 255)
);
create unique index company_identity_subject on gate.company_identity (account_id, issuer, subject) where ended_at is null;
create unique index company_identity_member on gate.company_identity (account_id, issuer, member_id) where ended_at is null;
create unique index company_identity_admin on gate.company_identity (account_id, issuer, admin_id) where ended_at is null;
alter table gate.company_identity enable row level security, force row level security;
create policy tenant on gate.company_identity using (account_id = gate.current_account());

-- A sign-in that came back from the provider, by the hash of its state: each is used once.
create table gate_private.company_state (
  state bytea not null,
  used_at timestamptz not null default clock_timestamp(),
  constraint company_state_pkey primary key (state)
);
create index company_state_by_time on gate_private.company_state (used_at);

-- An administrator or auditor by the company's word alone: their row goes when the provider no longer says so, and no mailed link
-- signs them in.
alter table gate.admin add column is_managed boolean not null default false;

-- The identity that began a session; null: a link or a passkey did.
alter table gate_private.session add column identity_id text;
-- Whether the provider asked the person again, just before, who they are.
alter table gate_private.session add column is_fresh boolean not null default true;
-- The sealed ID token, to end the session at the provider, too.
alter table gate_private.session add column id_token text;

-- Whether the account has a provider: read before the account is known.
alter table gate_private.account_directory add column has_company_sign_in boolean not null default false;

-- Members are told whom the company signs in as them, as of their passkeys.
alter table gate.identity_notice drop constraint identity_notice_identity_known;
alter table gate.identity_notice add constraint identity_notice_identity_known
  check (identity in ('email', 'slack', 'passkey', 'company'));
