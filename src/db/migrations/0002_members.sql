-- A person an agent may act for. `version` moves with everything a decision about this member rests on.
create table gate.member (
  account_id text not null,
  member_id text not null,
  name text not null,
  email text,
  slack text,
  admin_tier text,
  is_active boolean not null default true,
  version bigint not null default 1,
  created_at timestamptz not null default clock_timestamp(),
  constraint member_pkey primary key (account_id, member_id),
  constraint member_account_fkey foreign key (account_id) references gate.account,
  constraint member_admin_tier_known check (admin_tier in ('read_only', 'guarded_write', 'write')),
  constraint member_name_length check (length(name) between 1 and 200),
  constraint member_email_length check (length(email) between 3 and 254),
  constraint member_slack_form check (slack ~ '^[UW][0-9A-Z]{1,63}$')
);
create unique index member_email_key on gate.member (account_id, lower(email)) where email is not null;
create unique index member_slack_key on gate.member (account_id, slack) where slack is not null;

-- A course of numbered modules that grants a tier once every module is passed.
create table gate.curriculum (
  account_id text not null,
  slug text not null,
  title text not null,
  modules integer not null,
  grants text not null,
  valid_days integer,
  created_at timestamptz not null default clock_timestamp(),
  constraint curriculum_pkey primary key (account_id, slug),
  constraint curriculum_account_fkey foreign key (account_id) references gate.account,
  constraint curriculum_grants_known check (grants in ('read_only', 'guarded_write', 'write')),
  constraint curriculum_modules_range check (modules between 1 and 100),
  constraint curriculum_valid_days_range check (valid_days between 1 and 3650)
);

-- A member passed a module. `passed_at` is the pass in force; `latest_at` the latest there ever was.
create table gate.pass (
  account_id text not null,
  member_id text not null,
  curriculum text not null,
  module integer not null,
  passed_at timestamptz not null,
  latest_at timestamptz not null,
  revoked_at timestamptz,
  constraint pass_pkey primary key (account_id, member_id, curriculum, module),
  constraint pass_member_fkey foreign key (account_id, member_id) references gate.member,
  constraint pass_curriculum_fkey foreign key (account_id, curriculum) references gate.curriculum
);

-- Every version of an account's policy that ever held. No row: the service's defaults, version 1.
create table gate.policy (
  account_id text not null,
  version bigint not null,
  document json not null,
  created_at timestamptz not null default clock_timestamp(),
  constraint policy_pkey primary key (account_id, version),
  constraint policy_account_fkey foreign key (account_id) references gate.account
);

-- What may be shown of an API key. `actors` null: any member of the account.
create table gate.api_key (
  account_id text not null,
  key_id text not null,
  name text not null,
  last4 text not null,
  actors text[],
  created_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz,
  revoked_at timestamptz,
  constraint api_key_pkey primary key (account_id, key_id),
  constraint api_key_account_fkey foreign key (account_id) references gate.account,
  constraint api_key_name_length check (length(name) between 1 and 200)
);

-- What authentication needs, found by the hash of the key alone.
create table gate_private.api_key_hash (
  hash bytea not null,
  account_id text not null,
  key_id text not null,
  actors text[],
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  constraint api_key_hash_pkey primary key (hash),
  constraint api_key_hash_key_fkey foreign key (account_id, key_id) references gate.api_key
);
create index api_key_hash_by_key on gate_private.api_key_hash (account_id, key_id);

alter table gate.member enable row level security, force row level security;
alter table gate.curriculum enable row level security, force row level security;
alter table gate.pass enable row level security, force row level security;
alter table gate.policy enable row level security, force row level security;
alter table gate.api_key enable row level security, force row level security;
create policy tenant on gate.member using (account_id = gate.current_account());
create policy tenant on gate.curriculum using (account_id = gate.current_account());
create policy tenant on gate.pass using (account_id = gate.current_account());
create policy tenant on gate.policy using (account_id = gate.current_account());
create policy tenant on gate.api_key using (account_id = gate.current_account());

-- Who holds the key with this hash: no row, or one, whether or not it still holds.
create function gate.authenticate(p_hash bytea)
returns table (account_id text, key_id text, actors text[], hash bytea, is_valid boolean, touch_due boolean)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select k.account_id, k.key_id, k.actors, k.hash,
    k.revoked_at is null and (k.expires_at is null or k.expires_at > clock_timestamp()),
    k.last_used_at is null or k.last_used_at < clock_timestamp() - interval '5 minutes'
  from gate_private.api_key_hash k
  where k.hash = p_hash
$$;

-- Notes that a key was used, at most every five minutes.
create function gate.touch_key(p_hash bytea) returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  update gate_private.api_key_hash set last_used_at = clock_timestamp()
  where hash = p_hash and (last_used_at is null or last_used_at < clock_timestamp() - interval '5 minutes')
$$;
