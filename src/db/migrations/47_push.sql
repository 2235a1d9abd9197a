-- Web Push: devices on which members are told that something waits for them.

-- A browser of a member that shows notifications of the console, as its push service knows it.
create table gate.push_device (
  account_id text not null,
  device_id text not null,
  member_id text not null,
  -- Where the push service of the browser takes messages to it.
  endpoint text not null,
  -- The browser's public key, and the secret of the subscription: messages are encrypted for both (RFC 8291).
  public_key bytea not null,
  auth bytea not null,
  -- What the browser called itself.
  browser text,
  created_at timestamptz not null default clock_timestamp(),
  -- When its push service last took a message.
  notified_at timestamptz,
  constraint push_device_pkey primary key (account_id, device_id),
  constraint push_device_endpoint_key unique (account_id, endpoint),
  constraint push_device_member_fkey foreign key (account_id, member_id) references gate.member,
  constraint push_device_sizes check (
    length(endpoint) <= 1024 and length(public_key) = 65 and length(auth) = 16 and length(browser) <= 512
  )
);
create index push_device_by_member on gate.push_device (account_id, member_id);
alter table gate.push_device enable row level security, force row level security;
create policy tenant on gate.push_device using (account_id = gate.current_account());

-- The key by which push services recognize this service (RFC 8292). There is one: devices are bound to it.
create table gate_private.push_key (
  is_only boolean not null default true,
  public_key bytea not null,
  -- The private key, encrypted as that of receipts.
  ciphertext bytea not null,
  wrapped_key bytea not null,
  secrets_kid text not null,
  created_at timestamptz not null default clock_timestamp(),
  constraint push_key_pkey primary key (is_only),
  constraint push_key_one check (is_only),
  constraint push_key_public_length check (length(public_key) = 65)
);

-- Its mail is not sent before then, because a device of the member was told. Null: no device was tried yet.
alter table gate.consent_request add column held_until timestamptz;
