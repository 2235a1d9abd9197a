-- Seals: what is to be sealed, the seals, tiles and epochs that were made of it, and what proofs of entries are made of.

-- The state that a sealer begins with: the id of the log, the last epoch, the last one that is signed, what it refused before, and the accounts after
-- p_after, by id, whose ledgers do not end as they were sealed: with new entries, or because something was lost. Bytes are in hex.
-- p_all false: of the accounts with new entries, and those that were refused before; the others are not looked at.
create function gate.seal_work(p_after text, p_limit integer, p_all boolean) returns json
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  listed text;
  found_work json;
  accounts json[] := '{}';
begin
  for listed in
    select d.account_id from gate_private.account_directory d where p_all and d.account_id > p_after
    union select u.account_id from gate_private.unsealed_account u where u.account_id > p_after
    union select f.account_id from gate_private.seal_fault f where f.account_id > p_after
    order by 1
  loop
    perform gate.tenant(listed);
    select json_build_object(
      'account', listed, 'seq', h.seq, 'head', encode(h.hash, 'hex'), 'by_epochs', coalesce(e.size, 0),
      'size', coalesce(s.size, 0), 'hash', encode(s.hash, 'hex'),
      'root', encode(s.root, 'hex'), 'frontier', encode(s.frontier, 'hex'), 'note', s.note,
      'archived_to', gate_private.archived_to(listed))
    into found_work
    from gate.ledger_head h
    left join lateral (
      select * from gate.ledger_seal l where l.account_id = listed order by l.size desc limit 1
    ) s on true
    left join lateral (
      select l.size from gate_private.epoch_leaf l where l.account_id = listed order by l.size desc limit 1
    ) e on true
    where h.account_id = listed
      and (h.seq, h.hash, e.size) is distinct from (coalesce(s.size, 0), coalesce(s.hash, h.hash), s.size);
    if found then
      accounts := accounts || found_work;
      exit when cardinality(accounts) = p_limit;
    end if;
  end loop;
  return json_build_object(
    'log', gate.log_id(),
    'epoch', (
      select json_build_object(
        'size', e.size, 'root', encode(e.root, 'hex'), 'frontier', encode(e.frontier, 'hex'), 'note', e.note)
      from gate_private.epoch_seal e order by e.size desc limit 1),
    'signed', (
      select json_build_object(
        'size', e.size, 'root', encode(e.root, 'hex'), 'frontier', encode(e.frontier, 'hex'), 'note', e.note)
      from gate_private.epoch_seal e where e.note is not null order by e.size desc limit 1),
    'faults', (
      select coalesce(json_agg(json_build_object('account', f.account_id, 'problem', f.problem, 'held', f.held)), '[]')
      from gate_private.seal_fault f),
    'accounts', to_json(accounts));
end $$;

-- Stores an epoch, not signed yet, with the seals and tiles of its accounts: all of it, or nothing. False: another process
-- stored one first, and nothing was stored. So no two epochs, and no two seals of an account, can follow the same one, and none
-- follows an epoch that is not signed: what was not checked is never behind what is.
-- p_epoch: the epoch, its tiles and leaves, and its accounts with their seals and tiles; bytes in hex.
create function gate.store_epoch(p_epoch text) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  epoch jsonb := p_epoch::jsonb;
  sealed jsonb;
begin
  perform pg_advisory_xact_lock(7203146002);
  if (epoch ->> 'was')::bigint is distinct from (select coalesce(max(e.size), 0) from gate_private.epoch_seal e)
    or exists (select 1 from gate_private.epoch_seal e where e.size = (epoch ->> 'was')::bigint and e.note is null)
  then
    return false;
  end if;
  insert into gate_private.epoch_seal (size, root, frontier)
  values ((epoch ->> 'size')::bigint, decode(epoch ->> 'root', 'hex'), decode(epoch ->> 'frontier', 'hex'));
  insert into gate_private.epoch_tile (level, n, root, hashes, nodes)
  select t.level, t.n, decode(t.root, 'hex'), decode(t.hashes, 'hex'), decode(t.nodes, 'hex')
  from jsonb_to_recordset(epoch -> 'tiles') t(level integer, n bigint, root text, hashes text, nodes text);
  for sealed in select s.value from jsonb_array_elements(epoch -> 'accounts') s loop
    perform gate.tenant(sealed ->> 'account');
    if (sealed ->> 'was')::bigint is distinct from (
      select coalesce(max(l.size), 0) from gate.ledger_seal l where l.account_id = sealed ->> 'account'
    ) then
      raise exception 'the seal of % does not follow its last one', sealed ->> 'account' using errcode = 'check_violation';
    end if;
    insert into gate_private.epoch_leaf (n, account_id, size, hash)
    values (
      (sealed ->> 'leaf')::bigint, sealed ->> 'account', (sealed ->> 'size')::bigint, decode(sealed ->> 'leaf_hash', 'hex'));
    insert into gate.ledger_seal (account_id, size, hash, root, frontier, epoch_leaf, salt)
    values (
      sealed ->> 'account', (sealed ->> 'size')::bigint, decode(sealed ->> 'hash', 'hex'), decode(sealed ->> 'root', 'hex'),
      decode(sealed ->> 'frontier', 'hex'), (sealed ->> 'leaf')::bigint, decode(sealed ->> 'salt', 'hex'));
    insert into gate.ledger_tile (account_id, level, n, root, hashes, nodes)
    select sealed ->> 'account', t.level, t.n, decode(t.root, 'hex'), decode(t.hashes, 'hex'), decode(t.nodes, 'hex')
    from jsonb_to_recordset(sealed -> 'tiles') t(level integer, n bigint, root text, hashes text, nodes text);
  end loop;
  if (epoch ->> 'size')::bigint <> (select count(*) from gate_private.epoch_leaf l where l.n >= (epoch ->> 'was')::bigint)
    + (epoch ->> 'was')::bigint
  then
    raise exception 'an epoch has as many leaves as its size says' using errcode = 'check_violation';
  end if;
  return true;
end $$;

-- The leaves after the last signed epoch, which has p_from: each with its seal, the seal before it (was, 0 if there is none), and the
-- size of that seal in the tree of epochs. Without a seal where none waits for its note. No row: they were signed meanwhile.
create function gate.unsigned_seals(p_from bigint) returns table (
  account_id text, size bigint, root bytea, hash text, salt bytea, leaf_hash bytea, was bigint, was_hash text, was_root text,
  was_frontier text, was_note text, told bigint, archived_to bigint
)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  leaf gate_private.epoch_leaf;
begin
  if exists (select 1 from gate_private.epoch_seal e where e.size > p_from and e.note is not null) then
    return;
  end if;
  for leaf in select * from gate_private.epoch_leaf l where l.n >= p_from and l.n < gate.epoch_size() order by l.n loop
    perform gate.tenant(leaf.account_id);
    return query
      select leaf.account_id, leaf.size, s.root, encode(s.hash, 'hex'), s.salt, leaf.hash, coalesce(b.size, 0),
        encode(b.hash, 'hex'), encode(b.root, 'hex'), encode(b.frontier, 'hex'), b.note, (
          select coalesce(max(l.size), 0) from gate_private.epoch_leaf l
          where l.account_id = leaf.account_id and l.size < leaf.size),
        gate_private.archived_to(leaf.account_id)
      from (values (true)) leaf_row
      left join gate.ledger_seal s on s.account_id = leaf.account_id and s.size = leaf.size and s.note is null
      left join lateral (
        select p.size, p.hash, p.root, p.frontier, p.note from gate.ledger_seal p
        where p.account_id = leaf.account_id and p.size < leaf.size order by p.size desc limit 1
      ) b on true;
  end loop;
end $$;

-- The size of the epoch before the epoch of a size; 0 if there is none.
create function gate.epoch_before(p_size bigint) returns bigint
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select coalesce(max(e.size), 0) from gate_private.epoch_seal e where e.size < p_size
$$;

-- Publishes an epoch: gives it and its seals their notes, all at once; an epoch that has a note keeps it, and no seal gets one
-- before its epoch. A ledger without later entries is unsealed no more; one that is just written to is looked at again.
-- p_accounts: JSON array of account, size and note.
create function gate.publish_epoch(p_size bigint, p_note text, p_accounts text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  was bigint := gate.epoch_before(p_size);
  signed jsonb;
begin
  update gate_private.epoch_seal e set note = p_note where e.size = p_size and e.note is null;
  if not found then
    return;
  end if;
  for signed in select s.value from jsonb_array_elements(p_accounts::jsonb) s loop
    perform gate.tenant(signed ->> 'account');
    update gate.ledger_seal l set note = signed ->> 'note'
    where l.account_id = signed ->> 'account' and l.size = (signed ->> 'size')::bigint and l.note is null
      and l.epoch_leaf >= was and l.epoch_leaf < p_size;
    continue when not found;
    perform gate_private.queue_sealed(signed ->> 'account', (signed ->> 'size')::bigint);
    perform 1 from gate.ledger_head h
    where h.account_id = signed ->> 'account' and h.seq = (signed ->> 'size')::bigint for update skip locked;
    if found then
      update gate.ledger_head h set is_unsealed = false where h.account_id = signed ->> 'account' and h.is_unsealed;
      delete from gate_private.unsealed_account u where u.account_id = signed ->> 'account';
    end if;
  end loop;
end $$;

-- Keeps what witnesses signed of an epoch.
create function gate.store_cosignatures(p_size bigint, p_names text[], p_lines text[]) returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  insert into gate_private.epoch_cosignature (size, name, line)
  select p_size, c.name, c.line from unnest(p_names, p_lines) c(name, line)
  on conflict on constraint epoch_cosignature_pkey do nothing
$$;

-- An epoch that was published, with its cosignatures. p_size null: the last one.
create function gate.epoch_note(p_size bigint, out size bigint, out frontier bytea, out note text, out at timestamptz,
  out witnesses text[])
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  epoch gate_private.epoch_seal;
begin
  select * into epoch from gate_private.epoch_seal e
  where e.note is not null and (p_size is null or e.size = p_size)
  order by e.size desc limit 1;
  size := epoch.size;
  frontier := epoch.frontier;
  at := epoch.at;
  note := epoch.note || coalesce((
    select string_agg(c.line, '' order by c.name) from gate_private.epoch_cosignature c where c.size = epoch.size), '');
  witnesses := array(select c.name from gate_private.epoch_cosignature c where c.size = epoch.size order by c.name);
end $$;

-- The published seal that proves an entry, as gate_private.proving_seal finds it, with its epoch. No row: it is not sealed.
create function gate.seal_for(p_account text, p_seq bigint) returns table (size bigint, at timestamptz, epoch bigint)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  return query
    select (f.seal).size, (f.seal).at, f.epoch from gate_private.proving_seal(p_account, p_seq) f where (f.seal).size is not null;
end $$;

-- Tiles of the tree of epochs: parallel arrays name them.
create function gate.epoch_tiles(p_tiles json) returns table (level integer, n bigint, hashes bytea)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select t.level, t.n, t.hashes
  from json_to_recordset(p_tiles) w(level integer, n bigint)
  join gate_private.epoch_tile t on t.level = w.level and t.n = w.n
$$;

-- The roots of neighbouring tiles of the tree of epochs, one after the other.
create function gate.epoch_tile_roots(p_level integer, p_from bigint, p_to bigint) returns bytea
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select coalesce(string_agg(t.root, '' order by t.n), '') from gate_private.epoch_tile t
  where t.level = p_level and t.n >= p_from and t.n < p_to
$$;

-- The hashes of neighbouring leaves of the tree of epochs, one after the other.
create function gate.epoch_leaves(p_from bigint, p_to bigint) returns bytea
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select coalesce(string_agg(l.hash, '' order by l.n), '') from gate_private.epoch_leaf l where l.n >= p_from and l.n < p_to
$$;

-- The refusals of the sealer, for the status of the service and of an account. p_account null: all of them.
create function gate.seal_faults(p_account text) returns table (account_id text, problem text, at timestamptz)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select f.account_id, f.problem, f.at from gate_private.seal_fault f
  where p_account is null or f.account_id in ('', p_account)
  order by f.account_id
$$;

-- Replaces what the sealer refuses. p_faults: JSON array of account, problem and held.
create function gate.set_seal_faults(p_faults text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform pg_advisory_xact_lock(7203146002);
  delete from gate_private.seal_fault f
  where f.account_id not in (select g.account from json_to_recordset(p_faults::json) g(account text));
  insert into gate_private.seal_fault (account_id, problem, held)
  select g.account, g.problem, g.held from json_to_recordset(p_faults::json) g(account text, problem text, held bigint)
  on conflict on constraint seal_fault_pkey do update set problem = excluded.problem, held = excluded.held;
end $$;

-- The largest size at which the tree of epochs says that an account was sealed; 0 if none.
create function gate.sealed_by_epochs(p_account text) returns bigint
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select coalesce(max(l.size), 0) from gate_private.epoch_leaf l where l.account_id = p_account
$$;

-- The first leaf of the tree of epochs that no seal proves, among those of this account and of accounts that do not exist. The hash
-- of a leaf covers the account, the size and the root, with the salt of its seal. No row: every leaf is proved.
create function gate.unproven_leaf(p_account text) returns table (n bigint, account_id text, size bigint)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  perform gate.tenant(p_account);
  return query
    select l.n, l.account_id, l.size from gate_private.epoch_leaf l
    left join gate.ledger_seal s on s.account_id = l.account_id and s.size = l.size and s.epoch_leaf = l.n
    where l.account_id = p_account and l.hash is distinct from sha256(
        '\x00'::bytea || sha256(s.salt || convert_to(l.account_id, 'UTF8')) || int8send(l.size) || s.root)
      or l.account_id <> p_account and not exists (
        select from gate_private.account_directory d where d.account_id = l.account_id)
    order by l.n limit 1;
end $$;

-- The state of sealing, for `gate doctor`: the last published epoch, and since when the oldest entry waits for its seal. Of the
-- accounts with entries after their seal it looks at p_accounts: a pass of the sealer goes by id, so where it does not get round,
-- the first and the last tell. Those that it refuses are told by gate.seal_faults.
create function gate.seal_status(
  p_accounts integer, out epoch bigint, out sealed_at timestamptz, out waiting_since timestamptz)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  listed text;
  waits_since timestamptz;
begin
  select e.size, e.at into epoch, sealed_at from gate_private.epoch_seal e where e.note is not null
  order by e.size desc limit 1;
  for listed in
    (select u.account_id from gate_private.unsealed_account u order by u.account_id limit p_accounts / 2)
    union
    (select u.account_id from gate_private.unsealed_account u order by u.account_id desc limit p_accounts / 2)
  loop
    perform gate.tenant(listed);
    select l.at into waits_since from gate.ledger l
    where l.account_id = listed and l.seq = 1 + coalesce((
      select max(s.size) from gate.ledger_seal s where s.account_id = listed and s.note is not null), 0);
    waiting_since := least(waiting_since, waits_since);
  end loop;
end $$;

-- The size of the last epoch, published or not; 0 if there is none.
create function gate.epoch_size() returns bigint
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select coalesce(max(e.size), 0) from gate_private.epoch_seal e
$$;

-- Which log this database has.
create function gate.log_id() returns text
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select l.log_id::text from gate_private.ledger_log l
$$;

-- The hashes that the path of a leaf needs in the tree of p_size epochs, one after the other; what its frontier tells is left out.
-- From each full tile the 16 hashes around the leaf, and its nodes; then, of the tile that has the root of the largest full subtree
-- with the leaf, the hashes of that subtree. Fewer bytes than due, or null: some are gone.
create function gate_private.epoch_path_parts(p_index bigint, p_size bigint) returns bytea
language plpgsql stable as $$
declare
  parts bytea := '';
  part bytea;
  tile_level integer := 0;
  place bigint := p_index;
  -- Its highest bit is the level of that subtree.
  differs bigint := p_index # p_size;
  width integer := 1;
  first bigint;
begin
  while differs >= 256 loop
    select substring(t.hashes from 1 + 32 * (place & 240)::integer for 512) || t.nodes into part
    from gate_private.epoch_tile t where t.level = tile_level and t.n = place >> 8;
    parts := parts || part;
    tile_level := tile_level + 1;
    place := place >> 8;
    differs := differs >> 8;
  end loop;
  while 2 * width <= differs loop
    width := 2 * width;
  end loop;
  if width = 1 then
    return parts;
  end if;
  first := place - place % width;
  if tile_level = 0 then
    select string_agg(l.hash, '' order by l.n) into part
    from gate_private.epoch_leaf l where l.n >= first and l.n < first + width;
  else
    select string_agg(t.root, '' order by t.n) into part
    from gate_private.epoch_tile t where t.level = tile_level - 1 and t.n >= first and t.n < first + width;
  end if;
  return parts || part;
end $$;

-- The published seal that proves the entry p_seq, the size of the epoch that has it, and the first entry that this seal proves: an
-- epoch that a witness signed comes before a newer one without. `seal` null: the entry is not sealed. p_seq null: the last seal;
-- one that a witness signed then comes before newer ones for an hour, so that witnesses which are asked no more do not keep a
-- ledger in the past.
create function gate_private.proving_seal(
  p_account text, p_seq bigint, out seal gate.ledger_seal, out epoch bigint, out proves_from bigint)
language plpgsql stable as $$
begin
  select max(c.size) into epoch from gate_private.epoch_cosignature c;
  if p_seq is null and (select e.at from gate_private.epoch_seal e where e.size = epoch)
    < (select e.at from gate_private.epoch_seal e where e.note is not null order by e.size desc limit 1) - interval '1 hour'
  then
    epoch := null;
  end if;
  proves_from := 1;
  if epoch is not null then
    select s.* into seal from gate.ledger_seal s
    where s.account_id = p_account and s.epoch_leaf < epoch and s.note is not null
    order by s.epoch_leaf desc limit 1;
    if seal.size >= coalesce(p_seq, 0) then
      return;
    end if;
    proves_from := coalesce(seal.size, 0) + 1;
  end if;
  select s.* into seal from gate.ledger_seal s
  where s.account_id = p_account and s.note is not null and s.size >= coalesce(p_seq, 0)
  order by s.epoch_leaf desc limit 1;
  select e.size into epoch from gate_private.epoch_seal e where e.note is not null order by e.size desc limit 1;
  if epoch <= seal.epoch_leaf then
    epoch := null;
  end if;
end $$;

-- The published state: the root of the last epoch, the last one that witnesses signed, and how many did. While it is the same, every
-- entry is proven by the seal that proved it before; after a rollback it is another one, as each leaf below that root has a salt.
create function gate.published_state() returns text
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  return concat_ws('/', (
    select encode(e.root, 'hex') from gate_private.epoch_seal e where e.note is not null order by e.size desc limit 1), (
    select c.size || '/' || count(*) from gate_private.epoch_cosignature c group by c.size order by c.size desc limit 1));
end $$;

-- The published seal that proves an entry, with the state in which it does, the epoch that has it, and what the path to that epoch
-- needs. `leaf` null: the entry is not sealed. p_seq null: the last seal.
create function gate.seal_parts(
  p_account text, p_seq bigint, out state text, out leaf bigint, out proves_from bigint, out size bigint, out root bytea,
  out frontier bytea, out note text, out salt bytea, out epoch_note text, out epoch_frontier bytea, out epoch_parts bytea)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  found_seal record;
  seal gate.ledger_seal;
begin
  perform gate.tenant(p_account);
  state := gate.published_state();
  found_seal := gate_private.proving_seal(p_account, p_seq);
  seal := found_seal.seal;
  leaf := seal.epoch_leaf;
  proves_from := found_seal.proves_from;
  size := seal.size;
  root := seal.root;
  frontier := seal.frontier;
  note := seal.note;
  salt := seal.salt;
  if found_seal.epoch is not null then
    select e.note, e.frontier into epoch_note, epoch_frontier from gate.epoch_note(found_seal.epoch) e;
    epoch_parts := gate_private.epoch_path_parts(leaf, found_seal.epoch);
  end if;
end $$;
