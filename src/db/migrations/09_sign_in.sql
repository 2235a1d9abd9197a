-- Sign-in to the console: by a link that is sent to a mailbox.

-- Who reads a mailbox: an active member or an administrator who is not removed. Found by the hash of the address, before
-- the account is known. Triggers on gate.member and gate.admin keep it.
create table gate_private.mailbox (
  hash bytea not null,
  account_id text not null,
  -- The id of the member or administrator.
  holder text not null,
  constraint mailbox_pkey primary key (account_id, holder)
);
create index mailbox_by_hash on gate_private.mailbox (hash);

-- A sign-in link, found by the hash of its token. Valid once, until it expires, for the people it was made for while they
-- read that mailbox.
create table gate_private.sign_in_link (
  token bytea not null,
  account_id text not null,
  mailbox bytea not null,
  admin_id text,
  member_id text,
  expires_at timestamptz not null,
  used_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  -- The hash of the network that requested the link. Null: the command line printed it.
  asker bytea,
  -- Whether someone had signed in to this mailbox from that network before.
  is_known boolean not null default false,
  constraint sign_in_link_pkey primary key (token),
  constraint sign_in_link_for_somebody check (admin_id is not null or member_id is not null)
);
create index sign_in_link_by_mailbox on gate_private.sign_in_link (mailbox);
create index sign_in_link_expiring on gate_private.sign_in_link (expires_at);

-- A network, as a hash, from which someone signed in to a mailbox. Requests from there have a share of sign-in mails that
-- strangers cannot use up.
create table gate_private.sign_in_asker (
  mailbox bytea not null,
  asker bytea not null,
  seen_at timestamptz not null default clock_timestamp(),
  constraint sign_in_asker_pkey primary key (mailbox, asker)
);
create index sign_in_asker_by_time on gate_private.sign_in_asker (seen_at);

-- A browser that is signed in, found by the hash of its token. Each request reads again who still reads the mailbox, so the
-- rights of a session can shrink and never grow.
create table gate_private.session (
  token bytea not null,
  session_id text not null,
  account_id text not null,
  mailbox bytea not null,
  admin_id text,
  member_id text,
  created_at timestamptz not null default clock_timestamp(),
  seen_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  constraint session_pkey primary key (token),
  constraint session_id_key unique (session_id),
  constraint session_of_somebody check (admin_id is not null or member_id is not null)
);
create index session_by_account on gate_private.session (account_id, mailbox);
create index session_expiring on gate_private.session (expires_at);
