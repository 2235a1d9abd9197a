-- Apps that people connect by signing in to the gate (OAuth 2.1), and what they may do.

-- A program that the gate knows by an id of its own: it registered itself, or an administrator entered it. Apps that are known by
-- the address of a document have no row. Looked up before the account is known.
create table gate_private.app_client (
  client_id text not null,
  -- Only members of this account can connect it, and it has a secret. Null: it registered itself, for anyone.
  account_id text,
  name text not null,
  -- Where it may have people sent back to, each compared as a whole.
  redirects text[] not null,
  secret bytea,
  created_at timestamptz not null default clock_timestamp(),
  -- When it was first connected. One that registered itself and was not connected within a day is deleted.
  connected_at timestamptz,
  constraint app_client_pkey primary key (client_id),
  constraint app_client_account_fkey foreign key (account_id) references gate_private.account_directory,
  constraint app_client_fixed_whole check ((account_id is null) = (secret is null)),
  constraint app_client_name_length check (length(name) between 1 and 100),
  constraint app_client_redirects_length check (cardinality(redirects) between 1 and 10)
);
create index app_client_unused on gate_private.app_client (created_at) where connected_at is null and account_id is null;

-- What a person allowed an app. Its access tokens are API keys with these rights, one after the other.
create table gate.app_grant (
  account_id text not null,
  grant_id text not null,
  client_id text not null,
  -- As the app calls itself, and the host that it was found at: anyone can choose a name.
  name text not null,
  host text not null,
  -- Whom it acts for.
  member_id text not null,
  -- That member's id, or `admin:` and an administrator's id.
  granted_by text not null,
  powers text[] not null,
  kinds text[],
  actions_per_day integer,
  cents_per_day json,
  created_at timestamptz not null default clock_timestamp(),
  -- Until the app has taken its first token: when its code expires. Moved by each refresh.
  expires_at timestamptz not null,
  ended_at timestamptz,
  constraint app_grant_pkey primary key (account_id, grant_id),
  constraint app_grant_member_fkey foreign key (account_id, member_id) references gate.member,
  constraint app_grant_id_form check (grant_id ~ '^app_[0-9A-Za-z]{16}$'),
  constraint app_grant_name_length check (length(name) between 1 and 100),
  constraint app_grant_host_length check (length(host) between 1 and 260)
);
create index app_grant_by_member on gate.app_grant (account_id, member_id) where ended_at is null;
alter table gate.app_grant enable row level security, force row level security;
create policy tenant on gate.app_grant using (account_id = gate.current_account());

-- The grant that a key is an access token of. Null: a key that somebody made.
alter table gate.api_key
  add column grant_id text,
  add constraint api_key_grant_fkey foreign key (account_id, grant_id) references gate.app_grant;
create index api_key_by_grant on gate.api_key (account_id, grant_id) where grant_id is not null;

-- The host of the connected app that proposed it. Null: it was not proposed by one.
alter table gate.action add column requested_host text;

-- An authorization code, found by its hash. Good once, for a minute. A second use ends the grant.
create table gate_private.app_code (
  code bytea not null,
  account_id text not null,
  grant_id text not null,
  -- SHA-256 of the verifier that only the app knows (PKCE).
  challenge bytea not null,
  redirect text not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  constraint app_code_pkey primary key (code),
  constraint app_code_grant_fkey foreign key (account_id, grant_id) references gate.app_grant
);
create index app_code_by_expiry on gate_private.app_code (expires_at);

-- A refresh token, found by its hash. Good once: a second use ends the grant.
create table gate_private.app_refresh (
  token bytea not null,
  account_id text not null,
  grant_id text not null,
  created_at timestamptz not null default clock_timestamp(),
  used_at timestamptz,
  constraint app_refresh_pkey primary key (token),
  constraint app_refresh_grant_fkey foreign key (account_id, grant_id) references gate.app_grant
);
create index app_refresh_by_grant on gate_private.app_refresh (account_id, grant_id);
