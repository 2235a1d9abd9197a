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

-- All that the proof of an entry is made of: the published seal that proves it, the epoch that has this seal, and what their
-- paths need. `size` null: the entry is not sealed. `entry` null: it is archived. p_seq null: of the last seal, without an entry.
create function gate.entry_proof(
  p_account text, p_seq bigint, out size bigint, out root bytea, out frontier bytea, out note text, out epoch_leaf bigint,
  out salt bytea, out epoch_note text, out epoch_frontier bytea, out epoch_parts bytea, out at timestamptz, out entry text,
  out prev text, out hash bytea, out parts bytea)
-- Planned once, also in the functions that it calls: planning would take longer than reading.
language plpgsql stable security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  sealed_by bigint;
begin
  perform gate.tenant(p_account);
  select s.size, s.root, s.frontier, s.note, s.epoch_leaf, s.salt, s.epoch
  into size, root, frontier, note, epoch_leaf, salt, sealed_by
  from gate.seal_for(p_account, p_seq) s;
  if sealed_by is not null then
    select e.note, e.frontier into epoch_note, epoch_frontier from gate.epoch_note(sealed_by) e;
    epoch_parts := gate_private.path_parts(null, epoch_leaf, sealed_by);
  end if;
  if size is not null and p_seq is not null then
    select l.at, l.entry, encode(l.prev, 'hex'), l.hash into at, entry, prev, hash
    from gate.ledger l where l.account_id = p_account and l.seq = p_seq;
    if entry is not null then
      parts := gate_private.path_parts(p_account, p_seq - 1, size);
    end if;
  end if;
end $$;
