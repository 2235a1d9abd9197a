-- MCP servers behind the gate, and the tools that they offer.

-- Counts every change of the account's servers and tools: a process that keeps them in memory reads them again when it differs.
alter table gate.account add column upstreams_version bigint not null default 0;

-- An MCP server. It is called by the worker and the API of the service, never by an agent.
create table gate.upstream (
  account_id text not null,
  -- Its name: tools are served as <upstream>__<tool>.
  upstream text not null,
  -- http: Streamable HTTP at `url`. stdio: the command of that name in the operator's file.
  transport text not null,
  -- Without its query, which is encrypted with the headers.
  url text,
  command text,
  -- The names of the headers that are sent with every request. Their values are in upstream_secret.
  headers text[] not null default '{}',
  -- Another one whenever the address or the headers change: connections that are kept open belong to one.
  connection uuid not null default gen_random_uuid(),
  added_at timestamptz not null default clock_timestamp(),
  -- The last time that its whole list of tools was read, and since when that fails.
  checked_at timestamptz,
  failing_since timestamptz,
  failure text,
  -- What it says of itself: name, version and protocol.
  server json,
  -- Tools that cannot be served, with the reason: [{tool, why}].
  refused json not null default '[]',
  constraint upstream_pkey primary key (account_id, upstream),
  constraint upstream_account_fkey foreign key (account_id) references gate.account,
  constraint upstream_name_form check (upstream ~ '^[a-z][a-z0-9-]{0,19}$'),
  constraint upstream_transport_whole check (
    transport = 'http' and url is not null and command is null
    or transport = 'stdio' and command is not null and url is null and headers = '{}'
  ),
  constraint upstream_texts_length check (length(url) <= 2048 and length(command) <= 64 and length(failure) <= 500)
);
alter table gate.upstream enable row level security, force row level security;
create policy tenant on gate.upstream using (account_id = gate.current_account());

-- The encrypted query and header values of an upstream. Its data key is wrapped under the key `kid` of SECRETS_KEYS.
create table gate.upstream_secret (
  account_id text not null,
  upstream text not null,
  ciphertext bytea not null,
  wrapped_key bytea not null,
  kid text not null,
  constraint upstream_secret_pkey primary key (account_id, upstream),
  constraint upstream_secret_upstream_fkey foreign key (account_id, upstream) references gate.upstream on delete cascade
);
alter table gate.upstream_secret enable row level security, force row level security;
create policy tenant on gate.upstream_secret using (account_id = gate.current_account());

-- A tool of an upstream, pinned by the hash of its whole definition.
create table gate.upstream_tool (
  account_id text not null,
  upstream text not null,
  tool text not null,
  -- As the upstream listed it last, in its RFC 8785 form, and the SHA-256 of that, hex.
  definition text not null,
  hash text not null,
  seen_at timestamptz not null default clock_timestamp(),
  -- The upstream no longer lists it.
  gone_at timestamptz,
  -- What an administrator reviewed. Null: the tool is new, and not served.
  reviewed_definition text,
  reviewed_hash text,
  reviewed_at timestamptz,
  reviewed_by text,
  -- It changed after the review: it is denied until an administrator reviews it again, also if it changes back.
  quarantined_at timestamptz,
  -- Whether a call is allowed, confirmed or denied. Null: confirmed, by the default rule.
  rule json,
  constraint upstream_tool_pkey primary key (account_id, upstream, tool),
  constraint upstream_tool_upstream_fkey foreign key (account_id, upstream) references gate.upstream on delete cascade,
  constraint upstream_tool_name_form check (tool ~ '^[A-Za-z0-9_-]{1,61}$' and length(upstream) + 2 + length(tool) <= 64),
  constraint upstream_tool_hash_matches check (hash = encode(sha256(convert_to(definition, 'UTF8')), 'hex')),
  constraint upstream_tool_reviewed_matches check (
    reviewed_hash = encode(sha256(convert_to(reviewed_definition, 'UTF8')), 'hex')
  ),
  constraint upstream_tool_review_whole check (
    (reviewed_hash is null) = (reviewed_definition is null) and (reviewed_hash is null) = (reviewed_at is null)
    and (reviewed_hash is null) = (reviewed_by is null) and (quarantined_at is null or reviewed_hash is not null)
  ),
  -- What differs from the review is in quarantine.
  constraint upstream_tool_changed_quarantined check (
    reviewed_hash is null or reviewed_hash = hash or quarantined_at is not null
  )
);
alter table gate.upstream_tool enable row level security, force row level security;
create policy tenant on gate.upstream_tool using (account_id = gate.current_account());

-- When the tools of an upstream are read again, across all accounts.
create table gate_private.upstream_due (
  account_id text not null,
  upstream text not null,
  due_at timestamptz not null default clock_timestamp(),
  constraint upstream_due_pkey primary key (account_id, upstream),
  constraint upstream_due_upstream_fkey foreign key (account_id, upstream) references gate.upstream on delete cascade
);
create index upstream_due_by_time on gate_private.upstream_due (due_at);
