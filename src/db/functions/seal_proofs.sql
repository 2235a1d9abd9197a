-- What proofs of entries are made of.

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

-- What is published: the root of the last epoch, the last one that witnesses signed, and how many did. While it is the same, every
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
