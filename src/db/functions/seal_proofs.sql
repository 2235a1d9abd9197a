-- What proofs of entries are made of.

-- The hashes that the path of a leaf needs in a tree of p_size leaves, one after the other; what its frontier tells is left out.
-- p_account null: the tree of epochs. From each full tile the 16 hashes around the leaf, and its nodes; then, of the tile that has
-- the root of the largest full subtree with the leaf, the hashes of that subtree. Fewer bytes than due, or null: some are gone.
create function gate_private.path_parts(p_account text, p_index bigint, p_size bigint) returns bytea
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
    if p_account is null then
      select substring(t.hashes from 1 + 32 * (place & 240)::integer for 512) || t.nodes into part
      from gate_private.epoch_tile t where t.level = tile_level and t.n = place >> 8;
    else
      select substring(t.hashes from 1 + 32 * (place & 240)::integer for 512) || t.nodes into part
      from gate.ledger_tile t where t.account_id = p_account and t.level = tile_level and t.n = place >> 8;
    end if;
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
  if p_account is null then
    if tile_level = 0 then
      select string_agg(l.hash, '' order by l.n) into part
      from gate_private.epoch_leaf l where l.n >= first and l.n < first + width;
    else
      select string_agg(t.root, '' order by t.n) into part
      from gate_private.epoch_tile t where t.level = tile_level - 1 and t.n >= first and t.n < first + width;
    end if;
  elsif tile_level > 0 then
    select string_agg(t.root, '' order by t.n) into part
    from gate.ledger_tile t
    where t.account_id = p_account and t.level = tile_level - 1 and t.n >= first and t.n < first + width;
  else
    -- The tile may have become full since, and some of its entries archived.
    select substring(t.hashes from 1 + 32 * (first & 255)::integer for 32 * width) into part
    from gate.ledger_tile t where t.account_id = p_account and t.level = 0 and t.n = first >> 8;
    if not found then
      select string_agg(sha256('\x00'::bytea || l.hash), '' order by l.seq) into part
      from gate.ledger l where l.account_id = p_account and l.seq > first and l.seq <= first + width;
    end if;
  end if;
  return parts || part;
end $$;

-- The published seal that proves the entry p_seq, and the size of the epoch that has it. An epoch that a witness signed comes
-- before a newer one without. `seal` null: the entry is not sealed. p_seq null: the last seal; one that a witness signed then comes
-- before newer ones for an hour, so that witnesses which are asked no more do not keep a ledger in the past.
create function gate_private.proving_seal(p_account text, p_seq bigint, out seal gate.ledger_seal, out epoch bigint)
language plpgsql stable as $$
begin
  select max(c.size) into epoch from gate_private.epoch_cosignature c;
  if p_seq is null and (select e.at from gate_private.epoch_seal e where e.size = epoch)
    < (select e.at from gate_private.epoch_seal e where e.note is not null order by e.size desc limit 1) - interval '1 hour'
  then
    epoch := null;
  end if;
  if epoch is not null then
    select s.* into seal from gate.ledger_seal s
    where s.account_id = p_account and s.epoch_leaf < epoch and s.note is not null and s.size >= coalesce(p_seq, 0)
    order by s.epoch_leaf desc limit 1;
    if found then
      return;
    end if;
  end if;
  select s.* into seal from gate.ledger_seal s
  where s.account_id = p_account and s.note is not null and s.size >= coalesce(p_seq, 0)
  order by s.epoch_leaf desc limit 1;
  select e.size into epoch from gate_private.epoch_seal e where e.note is not null order by e.size desc limit 1;
  if epoch <= seal.epoch_leaf then
    epoch := null;
  end if;
end $$;

-- All that the proof of an entry is made of: the published seal that proves it, the epoch that has this seal, and what their
-- paths need. `leaf` null: the entry is not sealed. `entry` null: it is archived. p_seq null: of the last seal, without an entry.
-- p_salt, p_epoch, p_cosigned: of a seal that the caller has kept. If it is the same one, `is_known`, and nothing else of it is
-- read again.
create function gate.entry_proof(
  p_account text, p_seq bigint, p_salt bytea, p_epoch bigint, p_cosigned bigint, out leaf bigint, out epoch bigint,
  out cosigned bigint, out is_known boolean, out size bigint, out root bytea, out frontier bytea, out note text, out salt bytea,
  out epoch_note text, out epoch_frontier bytea, out epoch_parts bytea, out at timestamptz, out entry text, out prev text,
  out hash bytea, out parts bytea)
-- Planned once, also in the functions that it calls: planning would take longer than reading.
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  found_seal record;
  seal gate.ledger_seal;
begin
  perform gate.tenant(p_account);
  found_seal := gate_private.proving_seal(p_account, p_seq);
  seal := found_seal.seal;
  leaf := seal.epoch_leaf;
  if leaf is null then
    return;
  end if;
  epoch := found_seal.epoch;
  select count(*) into cosigned from gate_private.epoch_cosignature c where c.size = epoch;
  is_known := seal.salt is not distinct from p_salt and epoch is not distinct from p_epoch and cosigned is not distinct from p_cosigned;
  if not is_known then
    size := seal.size;
    root := seal.root;
    frontier := seal.frontier;
    note := seal.note;
    salt := seal.salt;
    if epoch is not null then
      select e.note, e.frontier into epoch_note, epoch_frontier from gate.epoch_note(epoch) e;
      epoch_parts := gate_private.path_parts(null, leaf, epoch);
    end if;
  end if;
  if p_seq is not null then
    select l.at, l.entry, encode(l.prev, 'hex'), l.hash into at, entry, prev, hash
    from gate.ledger l where l.account_id = p_account and l.seq = p_seq;
    if entry is not null then
      parts := gate_private.path_parts(p_account, p_seq - 1, seal.size);
    end if;
  end if;
end $$;
