-- Seals: signed checkpoints of the ledgers. Each account has a Merkle tree over the hashes of its chain; a tree of epochs has
-- one leaf for each seal of each account.

-- Which log this database has: what is recorded outside of the database belongs to one log. A restored database has its id, too.
create table gate_private.ledger_log (
  log_id uuid not null default gen_random_uuid(),
  constraint ledger_log_pkey primary key (log_id)
);
insert into gate_private.ledger_log default values;

-- 256 neighbouring hashes of an account's tree. Level 0: of its leaves; level n: of the tiles below. Full tiles only.
create table gate.ledger_tile (
  account_id text not null,
  level integer not null,
  n bigint not null,
  -- What stands for the tile one level up.
  root bytea not null,
  hashes bytea not null,
  -- The roots of its subtrees of 16 hashes, then of 32, 64 and 128: a path needs few of its hashes beside these.
  nodes bytea not null,
  constraint ledger_tile_pkey primary key (account_id, level, n),
  constraint ledger_tile_account_fkey foreign key (account_id) references gate.account,
  constraint ledger_tile_form check (
    level between 0 and 7 and n >= 0 and length(root) = 32 and length(hashes) = 8192 and length(nodes) = 960)
);
-- Hashes do not compress.
alter table gate.ledger_tile alter column hashes set storage external;
create trigger ledger_tile_append_only before update or delete on gate.ledger_tile
  for each row execute function gate_private.refuse_change();
create trigger ledger_tile_no_truncate before truncate on gate.ledger_tile
  for each statement execute function gate_private.refuse_change();
alter table gate.ledger_tile enable always trigger ledger_tile_append_only;
alter table gate.ledger_tile enable always trigger ledger_tile_no_truncate;
alter table gate.ledger_tile enable row level security, force row level security;
create policy tenant on gate.ledger_tile using (account_id = gate.current_account());

-- A seal of an account's ledger: its first `size` entries have this root. It is published once it has a note.
create table gate.ledger_seal (
  account_id text not null,
  size bigint not null,
  -- Of the entry `size`.
  hash bytea not null,
  root bytea not null,
  -- The roots of the full subtrees that the tree consists of, largest first.
  frontier bytea not null,
  -- Its leaf in the tree of epochs, and the salt of that leaf.
  epoch_leaf bigint not null,
  salt bytea not null,
  at timestamptz not null default clock_timestamp(),
  -- The signed checkpoint. Null: not signed yet.
  note text,
  constraint ledger_seal_pkey primary key (account_id, size),
  constraint ledger_seal_account_fkey foreign key (account_id) references gate.account,
  constraint ledger_seal_form check (size > 0 and length(hash) = 32 and length(root) = 32 and length(salt) = 32)
);
create index ledger_seal_by_leaf on gate.ledger_seal (account_id, epoch_leaf);
create trigger ledger_seal_append_only before update or delete on gate.ledger_seal
  for each row execute function gate_private.refuse_seal_change();
create trigger ledger_seal_no_truncate before truncate on gate.ledger_seal
  for each statement execute function gate_private.refuse_change();
alter table gate.ledger_seal enable always trigger ledger_seal_append_only;
alter table gate.ledger_seal enable always trigger ledger_seal_no_truncate;
alter table gate.ledger_seal enable row level security, force row level security;
create policy tenant on gate.ledger_seal using (account_id = gate.current_account());

-- A leaf of the tree of epochs: that account was sealed at that size.
create table gate_private.epoch_leaf (
  n bigint not null,
  account_id text not null,
  size bigint not null,
  -- Of the leaf, as the tree has it.
  hash bytea not null,
  constraint epoch_leaf_pkey primary key (n),
  constraint epoch_leaf_size_key unique (account_id, size),
  constraint epoch_leaf_form check (n >= 0 and length(hash) = 32)
);
create trigger epoch_leaf_append_only before update or delete on gate_private.epoch_leaf
  for each row execute function gate_private.refuse_change();
create trigger epoch_leaf_no_truncate before truncate on gate_private.epoch_leaf
  for each statement execute function gate_private.refuse_change();
alter table gate_private.epoch_leaf enable always trigger epoch_leaf_append_only;
alter table gate_private.epoch_leaf enable always trigger epoch_leaf_no_truncate;

-- The tiles of the tree of epochs: see gate.ledger_tile.
create table gate_private.epoch_tile (
  level integer not null,
  n bigint not null,
  root bytea not null,
  hashes bytea not null,
  nodes bytea not null,
  constraint epoch_tile_pkey primary key (level, n),
  constraint epoch_tile_form check (
    level between 0 and 7 and n >= 0 and length(root) = 32 and length(hashes) = 8192 and length(nodes) = 960)
);
alter table gate_private.epoch_tile alter column hashes set storage external;
create trigger epoch_tile_append_only before update or delete on gate_private.epoch_tile
  for each row execute function gate_private.refuse_change();
create trigger epoch_tile_no_truncate before truncate on gate_private.epoch_tile
  for each statement execute function gate_private.refuse_change();
alter table gate_private.epoch_tile enable always trigger epoch_tile_append_only;
alter table gate_private.epoch_tile enable always trigger epoch_tile_no_truncate;

-- An epoch: a seal of the tree of epochs. It is published once it has a note.
create table gate_private.epoch_seal (
  size bigint not null,
  root bytea not null,
  frontier bytea not null,
  at timestamptz not null default clock_timestamp(),
  note text,
  constraint epoch_seal_pkey primary key (size),
  constraint epoch_seal_form check (size > 0 and length(root) = 32)
);
create trigger epoch_seal_append_only before update or delete on gate_private.epoch_seal
  for each row execute function gate_private.refuse_seal_change();
create trigger epoch_seal_no_truncate before truncate on gate_private.epoch_seal
  for each statement execute function gate_private.refuse_change();
alter table gate_private.epoch_seal enable always trigger epoch_seal_append_only;
alter table gate_private.epoch_seal enable always trigger epoch_seal_no_truncate;

-- What a witness signed of an epoch: a line of its note.
create table gate_private.epoch_cosignature (
  size bigint not null,
  name text not null,
  line text not null,
  at timestamptz not null default clock_timestamp(),
  constraint epoch_cosignature_pkey primary key (size, name),
  constraint epoch_cosignature_epoch_fkey foreign key (size) references gate_private.epoch_seal
);
create trigger epoch_cosignature_append_only before update or delete on gate_private.epoch_cosignature
  for each row execute function gate_private.refuse_change();
create trigger epoch_cosignature_no_truncate before truncate on gate_private.epoch_cosignature
  for each statement execute function gate_private.refuse_change();
alter table gate_private.epoch_cosignature enable always trigger epoch_cosignature_append_only;
alter table gate_private.epoch_cosignature enable always trigger epoch_cosignature_no_truncate;

-- Why the sealer refuses to go on: for one account, or, with an empty id, for all.
create table gate_private.seal_fault (
  account_id text not null,
  problem text not null,
  -- The size of the last epoch that the process which refused has signed or seen.
  held bigint not null default 0,
  at timestamptz not null default clock_timestamp(),
  constraint seal_fault_pkey primary key (account_id)
);
