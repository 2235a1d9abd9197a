-- The ledger: locking, composing and appending entries. An entry is composed here from what is stored with it, so that no
-- caller can append one that says something else.

-- Locks the end of the account's chain. Every later statement of the transaction sees the account as it now is.
create function gate_private.lock_head(p_account text) returns gate.ledger_head
language plpgsql as $$
declare
  head gate.ledger_head;
begin
  select * into head from gate.ledger_head where account_id = p_account for update;
  if not found then
    raise exception 'no such account' using errcode = 'no_data_found';
  end if;
  return head;
end $$;

-- Composes an entry and appends it. Returns its time. Parameters: see append and entry_tail.
create function gate_private.note(
  p_account text, p_event uuid, p_kind text, p_action bigint, p_actor text, p_api_key_id text, p_data jsonb,
  p_payload_digest text default null, p_at timestamptz default null
) returns timestamptz
language sql volatile as $$
  select gate_private.append(
    p_account, p_event, p_kind, p_action,
    gate_private.entry_tail(p_actor, p_api_key_id, p_kind, p_data, p_payload_digest), p_at)
$$;

-- The same for what was just changed. An event that is in the ledger already is refused: the change would have no entry.
create function gate_private.note_change(
  p_account text, p_event uuid, p_kind text, p_action bigint, p_actor text, p_api_key_id text, p_data jsonb
) returns timestamptz
language sql volatile as $$
  select gate_private.append(
    p_account, p_event, p_kind, p_action, gate_private.entry_tail(p_actor, p_api_key_id, p_kind, p_data), null, false)
$$;

-- Appends an entry and returns its time. p_tail is the canonical JSON after `{"action":<id>,`. If the event was already
-- appended, it appends nothing and returns the time of that entry, or refuses it (p_repeatable false). p_at: a time chosen
-- under the same lock, not before the head's.
create function gate_private.append(
  p_account text, p_event uuid, p_kind text, p_action bigint, p_tail text,
  p_at timestamptz default null, p_repeatable boolean default true
) returns timestamptz
language plpgsql as $$
declare
  head gate.ledger_head;
  new_at timestamptz;
  new_entry text := '{"action":' || coalesce(p_action::text, 'null') || ',' || p_tail;
  new_hash bytea;
begin
  head := gate_private.lock_head(p_account);
  select at into new_at from gate.ledger where account_id = p_account and event_id = p_event;
  if found then
    if not p_repeatable then
      raise exception 'the event is in the ledger already' using errcode = 'unique_violation';
    end if;
    return new_at;
  end if;
  new_at := coalesce(p_at, greatest(head.at, date_trunc('milliseconds', clock_timestamp())));
  new_hash := sha256(
    head.hash
    || convert_to(p_account || ' ' || (head.seq + 1) || ' ' || gate_private.iso(new_at) || E'\n' || new_entry, 'UTF8')
  );
  insert into gate.ledger (account_id, seq, event_id, at, kind, action_id, entry, prev, hash)
  values (p_account, head.seq + 1, p_event, new_at, p_kind, p_action, new_entry, head.hash, new_hash);
  update gate.ledger_head set seq = head.seq + 1, hash = new_hash, at = new_at where account_id = p_account;
  return new_at;
end $$;

-- An entry after its `{"action":<id>,`. `v` is 2: the entry holds everything that is stored with it.
create function gate_private.entry_tail(
  p_actor text, p_api_key_id text, p_kind text, p_data jsonb, p_payload_digest text default null
) returns text
language sql immutable
return '"actor":' || to_json(p_actor)::text || ',"data":' || gate_private.canonical(p_data)
  || ',"key":' || coalesce(to_json(p_api_key_id)::text, 'null') || ',"kind":' || to_json(p_kind)::text
  || ',"payload_digest":' || coalesce(to_json(p_payload_digest)::text, 'null') || ',"v":2}';

-- The first entry from a moment on, of those that are not archived; one more than the last entry if there is none. Sequence
-- numbers have no gaps and times only grow, so that halving finds it without an index.
create function gate.first_entry_from(p_account text, p_at timestamptz) returns bigint
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  low bigint;
  high bigint;
  middle bigint;
begin
  perform gate.tenant(p_account);
  low := gate_private.archived_to(p_account) + 1;
  select h.seq + 1 into high from gate.ledger_head h where h.account_id = p_account;
  while low < high loop
    middle := (low + high) / 2;
    if (select l.at from gate.ledger l where l.account_id = p_account and l.seq = middle) < p_at then
      low := middle + 1;
    else
      high := middle;
    end if;
  end loop;
  return low;
end $$;

-- Whether the entry of a write exists: then the call is a repeat and changes nothing.
create function gate_private.is_noted(p_account text, p_event uuid) returns boolean
language sql stable as $$
  select exists (select 1 from gate.ledger l where l.account_id = p_account and l.event_id = p_event)
$$;

-- What an entry holds of a payload.
create function gate_private.payload_digest(p_salt bytea, p_payload text) returns text
language sql immutable
return encode(sha256(p_salt || convert_to(p_payload, 'UTF8')), 'hex');

-- Stores a group of capability checks of one account: parallel arrays, one element for each check. Answers for each:
-- recorded, stale (the member or the curricula changed since they were read), unauthenticated (the key is no longer valid, or
-- may not read this member). What is recorded of a group is stored as a whole or not at all, so a repeat is recognised by
-- its uuids.
create function gate.record_checks(
  p_account text, p_uuids uuid[], p_member_ids text[], p_members text[], p_tiers text[], p_tier_sources text[],
  p_certified boolean[], p_sources text[], p_api_key_ids text[], p_api_keys bytea[], p_member_versions bigint[],
  p_curricula_versions bigint[]
) returns text[]
-- Planned once: the number of elements, which a plan of their own would be made for each time, changes nothing.
language plpgsql security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan as $$
declare
  head gate.ledger_head;
  now_at timestamptz;
  prefix text := p_account || ' ';
  suffix text;
  holder gate_private.api_key_hash;
  is_held boolean;
  member_known text;
  is_current boolean;
  outcomes text[];
  -- One place for each check, null where it is not recorded: an array that begins with a gap would be read from its first value.
  results text[] := array_fill(null::text, array[cardinality(p_uuids)]);
  entries text[] := array_fill(null::text, array[cardinality(p_uuids)]);
  prevs bytea[] := array_fill(null::bytea, array[cardinality(p_uuids)]);
  hashes bytea[] := array_fill(null::bytea, array[cardinality(p_uuids)]);
  -- The position among those that are recorded.
  places integer[] := array_fill(null::integer, array[cardinality(p_uuids)]);
  made integer := 0;
begin
  perform gate.tenant(p_account);
  head := gate_private.lock_head(p_account);
  -- One by one, each by the index of the uuid: for `any` of them the planner may read the whole account.
  perform 1 from unnest(p_uuids) u cross join lateral (select 1 from gate.action a where a.uuid = u offset 0) known;
  if found then
    return array(
      select case when a.uuid is null then 'stale' else 'recorded' end
      from unnest(p_uuids) with ordinality c(uuid, n) left join gate.action a on a.uuid = c.uuid
      order by c.n);
  end if;
  now_at := greatest(head.at, date_trunc('milliseconds', clock_timestamp()));
  suffix := ' ' || gate_private.iso(now_at) || E'\n';
  for n in 1 .. cardinality(p_uuids) loop
    -- The checks of a group are mostly of few keys and members: what was just looked up holds for the next one.
    if holder.hash is distinct from p_api_keys[n] then
      select * into holder from gate_private.api_key_hash k where k.hash = p_api_keys[n];
      is_held := found and gate_private.key_holds(holder);
    end if;
    if is_held is not true or holder.account_id <> p_account or holder.key_id <> p_api_key_ids[n]
      or 'read' <> all (holder.powers) or p_member_ids[n] <> all (holder.actors)
    then
      outcomes[n] := 'unauthenticated';
      continue;
    end if;
    if member_known is distinct from concat_ws(' ', p_member_ids[n], p_member_versions[n], p_curricula_versions[n]) then
      member_known := concat_ws(' ', p_member_ids[n], p_member_versions[n], p_curricula_versions[n]);
      is_current := exists (
        select 1 from gate.member m join gate.account c on c.account_id = m.account_id
        where m.account_id = p_account and m.member_id = p_member_ids[n] and m.is_active
          and m.version = p_member_versions[n] and c.curricula_version = p_curricula_versions[n]);
    end if;
    if not is_current then
      outcomes[n] := 'stale';
      continue;
    end if;
    outcomes[n] := 'recorded';
    made := made + 1;
    places[n] := made;
    results[n] := '{"certified":' || p_certified[n]::text || ',"tier":' || to_json(p_tiers[n])::text
      || ',"tier_source":' || to_json(p_tier_sources[n])::text || '}';
    -- The text that entry_tail composes, written out for speed: a thousand checks a second.
    entries[n] := '{"action":' || (head.action_seq + made) || ',"actor":' || to_json(p_member_ids[n])::text
      || ',"data":{"certified":' || p_certified[n]::text
      || ',"member_digest":"' || gate_private.text_digest(p_uuids[n], p_members[n])
      || '","source":' || to_json(p_sources[n])::text || ',"tier":' || to_json(p_tiers[n])::text
      || ',"tier_source":' || to_json(p_tier_sources[n])::text
      || '},"key":' || to_json(p_api_key_ids[n])::text || ',"kind":"checked","payload_digest":null,"v":2}';
    prevs[n] := head.hash;
    head.hash := sha256(head.hash || convert_to(prefix || (head.seq + made) || suffix || entries[n], 'UTF8'));
    hashes[n] := head.hash;
  end loop;
  if made = 0 then
    return outcomes;
  end if;
  insert into gate.action (
    account_id, id, uuid, kind, status, member_id, member, tier_at_request, source, payload, created_at,
    requires_confirmation, result, executed_at, proposed_key, requested_by
  )
  select p_account, head.action_seq + c.place, c.uuid, 'capability_check', 'executed', c.member_id, c.member, c.tier,
    c.source, '{}', now_at, false, c.result::json, now_at, c.key_id, k.name
  from unnest(p_uuids, places, p_member_ids, p_members, p_tiers, p_sources, results, p_api_key_ids)
    c(uuid, place, member_id, member, tier, source, result, key_id)
  left join gate.api_key k on k.account_id = p_account and k.key_id = c.key_id
  where c.place is not null;
  insert into gate.ledger (account_id, seq, event_id, at, kind, action_id, entry, prev, hash)
  select p_account, head.seq + c.place, c.uuid, now_at, 'checked', head.action_seq + c.place, c.entry, c.prev, c.hash
  from unnest(p_uuids, places, entries, prevs, hashes) c(uuid, place, entry, prev, hash)
  where c.place is not null;
  update gate.ledger_head
  set seq = head.seq + made, hash = head.hash, at = now_at, action_seq = head.action_seq + made
  where account_id = p_account;
  return outcomes;
end $$;
