-- Accounts, their policies, their administrators and their API keys.
--
-- There are two schemas. `gate` holds what the service role may read under row-level security, and the functions that it may
-- call. `gate_private` holds what is looked up before the account is known (hashes, ids, dates): no grants, no policies.

-- An account that exists. Everything else about it can be read only once its id is known.
create table gate_private.account_directory (
  account_id text not null,
  created_at timestamptz not null default clock_timestamp(),
  constraint account_directory_pkey primary key (account_id),
  constraint account_directory_id_form check (account_id ~ '^acct_[0-9A-Za-z]{16}$')
);

-- An account: a company that uses the gate. A decision records the versions that it was checked against, and is refused
-- once one of them has changed.
create table gate.account (
  account_id text not null,
  name text not null,
  created_at timestamptz not null default clock_timestamp(),
  -- Null: the account is not suspended.
  suspended_at timestamptz,
  curricula_version bigint not null default 1,
  roster_version bigint not null default 1,
  policy_version bigint not null default 1,
  -- Changes whenever a credential in use is connected, replaced or removed. 0: the account never connected one.
  integrations_version bigint not null default 0,
  -- When the Stripe account that money moves through last changed, and how. Null: never.
  stripe_changed_at timestamptz,
  stripe_change text,
  constraint account_pkey primary key (account_id),
  constraint account_directory_fkey foreign key (account_id) references gate_private.account_directory,
  constraint account_name_length check (length(name) between 1 and 200),
  constraint account_stripe_change_known check (stripe_change in ('connected', 'disconnected'))
);
alter table gate.account enable row level security, force row level security;
create policy tenant on gate.account using (account_id = gate.current_account());

-- One version of an account's policy. Versions are never changed or deleted. An account without a row uses the defaults of
-- the service, which count as version 1.
create table gate.policy (
  account_id text not null,
  version bigint not null,
  document json not null,
  created_at timestamptz not null default clock_timestamp(),
  constraint policy_pkey primary key (account_id, version),
  constraint policy_account_fkey foreign key (account_id) references gate.account
);
alter table gate.policy enable row level security, force row level security;
create policy tenant on gate.policy using (account_id = gate.current_account());

-- An administrator: anyone who reads this mailbox. A removed administrator keeps the row, because ledger entries name it.
create table gate.admin (
  account_id text not null,
  admin_id text not null,
  email text not null,
  created_at timestamptz not null default clock_timestamp(),
  removed_at timestamptz,
  -- Ledger entries hold a digest of the address. Without the salt nobody can guess what was hashed.
  salt bytea not null default decode(replace(gen_random_uuid()::text, '-', ''), 'hex'),
  constraint admin_pkey primary key (account_id, admin_id),
  constraint admin_account_fkey foreign key (account_id) references gate.account,
  constraint admin_id_form check (admin_id ~ '^adm_[0-9A-Za-z]{16}$'),
  constraint admin_email_length check (length(email) between 3 and 254)
);
create unique index admin_email_key on gate.admin (account_id, lower(email)) where removed_at is null;
create trigger admin_mailbox after insert or update of email, removed_at on gate.admin
  for each row execute function gate_private.keep_admin_mailbox();
alter table gate.admin enable row level security, force row level security;
create policy tenant on gate.admin using (account_id = gate.current_account());

-- What may be shown of an API key, and what the key may do. A limit that is null does not apply.
create table gate.api_key (
  account_id text not null,
  key_id text not null,
  name text not null,
  last4 text not null,
  -- Ids of the members that the key may act for. Null: any member of the account.
  actors text[],
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz,
  revoked_at timestamptz,
  powers text[] not null default array['read', 'propose', 'confirm'],
  kinds text[],
  -- In CIDR form.
  networks text[],
  actions_per_day integer,
  -- By currency: {"usd": 100000}.
  cents_per_day json,
  -- The key that this one replaces.
  rotated_from text,
  constraint api_key_pkey primary key (account_id, key_id),
  constraint api_key_account_fkey foreign key (account_id) references gate.account,
  constraint api_key_rotated_from_fkey foreign key (account_id, rotated_from) references gate.api_key,
  constraint api_key_name_length check (length(name) between 1 and 200),
  constraint api_key_powers_known check (powers <@ array['read', 'propose', 'confirm'] and cardinality(powers) > 0),
  -- The form only: which kinds exist is known to the service.
  constraint api_key_kinds_form check (
    cardinality(kinds) between 1 and 50 and array_to_string(kinds, ' ', '') ~ '^[a-z_]{1,64}( [a-z_]{1,64})*$'
  ),
  constraint api_key_networks_form check (
    cardinality(networks) between 1 and 20 and gate_private.are_networks(networks)
  ),
  constraint api_key_actions_per_day_range check (actions_per_day between 1 and 9999),
  constraint api_key_cents_per_day_form check (gate_private.are_ceilings(cents_per_day))
);
alter table gate.api_key enable row level security, force row level security;
create policy tenant on gate.api_key using (account_id = gate.current_account());

-- What authentication needs to know of an API key, found by the hash of the key. The limits repeat those of gate.api_key.
create table gate_private.api_key_hash (
  hash bytea not null,
  account_id text not null,
  key_id text not null,
  -- The first key of a chain of rotations. Daily limits count for the whole family, so that a rotation does not double them.
  family text not null,
  actors text[],
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  powers text[] not null default array['read', 'propose', 'confirm'],
  kinds text[],
  networks text[],
  actions_per_day integer,
  cents_per_day json,
  -- When a refused write by this key was last noted in the ledger: at most once a minute.
  refused_noted_at timestamptz,
  constraint api_key_hash_pkey primary key (hash),
  constraint api_key_hash_key_fkey foreign key (account_id, key_id) references gate.api_key
);
create index api_key_hash_by_key on gate_private.api_key_hash (account_id, key_id);
