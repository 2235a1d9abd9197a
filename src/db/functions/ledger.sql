-- The ledger: locking, composing and appending entries. An entry is composed here from what is stored with it, so that no
-- caller can append one that says something else.

-- Locks the end of the account's chain, and returns it with the time of the next entries. Every later statement of the transaction
-- sees the account as it now is.
create function gate_private.lock_head(p_account text) returns gate.ledger_head
language plpgsql as $$
declare
  head gate.ledger_head;
begin
  select * into head from gate.ledger_head where account_id = p_account for update;
  if not found then
    raise exception 'no such account' using errcode = 'no_data_found';
  end if;
  head.at := greatest(head.at, date_trunc('milliseconds', clock_timestamp()));
  return head;
end $$;

-- Composes an entry and appends it. Returns its time. Parameters: see append and entry_tail.
create function gate_private.note(
  p_account text, p_event uuid, p_kind text, p_action bigint, p_actor text, p_api_key_id text, p_data jsonb,
  p_payload_digest text default null
) returns timestamptz
language sql volatile as $$
  select gate_private.append(
    p_account, p_event, p_kind, p_action,
    gate_private.entry_tail(p_actor, p_api_key_id, p_kind, p_data, p_payload_digest))
$$;

-- The same for what was just changed. An event that is in the ledger already is refused: the change would have no entry.
create function gate_private.note_change(
  p_account text, p_event uuid, p_kind text, p_action bigint, p_actor text, p_api_key_id text, p_data jsonb
) returns timestamptz
language sql volatile as $$
  select gate_private.append(
    p_account, p_event, p_kind, p_action, gate_private.entry_tail(p_actor, p_api_key_id, p_kind, p_data), false)
$$;

-- Appends an entry and returns its time. If the event was already appended, it appends nothing and returns the time of that
-- entry, or refuses it (p_repeatable false).
create function gate_private.append(
  p_account text, p_event uuid, p_kind text, p_action bigint, p_tail text, p_repeatable boolean default true
) returns timestamptz
language plpgsql as $$
declare
  head gate.ledger_head;
  former_at timestamptz;
begin
  head := gate_private.lock_head(p_account);
  select at into former_at from gate.ledger where account_id = p_account and event_id = p_event;
  if not found then
    perform gate_private.append_entries(head, array[gate_private.entry(p_event, p_kind, p_action, p_tail)]);
    return head.at;
  end if;
  if not p_repeatable then
    raise exception 'the event is in the ledger already' using errcode = 'unique_violation';
  end if;
  return former_at;
end $$;

-- Appends entries to a chain, in their order, and writes its new end, in one statement, because starting a second one takes time.
-- Nothing else appends to a chain. Without an entry, nothing changes. p_head: as lock_head returned it, with the id of the newest
-- action. p_entries: see entry.
create function gate_private.append_entries(p_head gate.ledger_head, p_entries gate.ledger[]) returns void
language plpgsql as $$
declare
  prefix text := p_head.account_id || ' ';
  suffix text := ' ' || gate_private.iso(p_head.at) || E'\n';
  made integer := cardinality(p_entries);
  -- The hash before each entry; one more at the end.
  hashes bytea[] := array[p_head.hash];
begin
  if made = 0 then
    return;
  end if;
  for n in 1 .. made loop
    p_head.hash := sha256(p_head.hash || convert_to(prefix || (p_head.seq + n) || suffix || p_entries[n].entry, 'UTF8'));
    hashes[n + 1] := p_head.hash;
  end loop;
  with appended as (
    insert into gate.ledger (account_id, seq, event_id, at, kind, action_id, entry, prev, hash)
    select p_head.account_id, p_head.seq + e.n, e.event_id, p_head.at, e.kind, e.action_id, e.entry, hashes[e.n], hashes[e.n + 1]
    from unnest(p_entries) with ordinality e(account_id, seq, event_id, at, kind, action_id, entry, prev, hash, actor, n)
  )
  update gate.ledger_head h
  set seq = p_head.seq + made, hash = p_head.hash, at = p_head.at, action_seq = p_head.action_seq
  where h.account_id = p_head.account_id;
  if p_head.has_endpoints then
    perform gate_private.queue_events(p_head, p_entries);
  end if;
end $$;

-- An entry for append_entries, without its place in a chain. p_tail: the canonical JSON after `{"action":<id>,`.
create function gate_private.entry(p_event uuid, p_kind text, p_action bigint, p_tail text) returns gate.ledger
-- Not in SQL: PostgreSQL cannot write a function that returns a row into a statement, and would prepare it for every call.
language plpgsql immutable as $$
declare
  made gate.ledger;
begin
  made.event_id := p_event;
  made.kind := p_kind;
  made.action_id := p_action;
  made.entry := '{"action":' || coalesce(p_action::text, 'null') || ',' || p_tail;
  return made;
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

-- The digest of a payload, for its entry.
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
  holder gate_private.api_key_hash;
  host text;
  is_held boolean;
  member_known text;
  is_current boolean;
  outcomes text[];
  -- One place for each check, null where it is not recorded: an array that begins with a gap would be read from its first value.
  results text[] := array_fill(null::text, array[cardinality(p_uuids)]);
  ids bigint[] := array_fill(null::bigint, array[cardinality(p_uuids)]);
  entries gate.ledger[] := '{}';
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
  for n in 1 .. cardinality(p_uuids) loop
    -- The checks of a group are mostly of few keys and members: what was just looked up holds for the next one.
    if holder.hash is distinct from p_api_keys[n] then
      select * into holder from gate_private.api_key_hash k where k.hash = p_api_keys[n];
      is_held := found and gate_private.key_holds(holder);
      host := gate_private.app_host(p_account, holder.family);
      perform gate_private.name_key(holder);
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
    head.action_seq := head.action_seq + 1;
    ids[n] := head.action_seq;
    results[n] := '{"certified":' || p_certified[n]::text || ',"tier":' || to_json(p_tiers[n])::text
      || ',"tier_source":' || to_json(p_tier_sources[n])::text || '}';
    -- The text that entry_tail composes, written out for speed: a thousand checks a second.
    entries := entries || gate_private.entry(p_uuids[n], 'checked', ids[n], '"actor":' || to_json(p_member_ids[n])::text
      || ',"data":{"certified":' || p_certified[n]::text
      || ',"member_digest":"' || gate_private.text_digest(p_uuids[n], p_members[n])
      || coalesce('","requested_host":' || to_json(host)::text || ',"source":', '","source":') || to_json(p_sources[n])::text
      || ',"tier":' || to_json(p_tiers[n])::text
      || ',"tier_source":' || to_json(p_tier_sources[n])::text
      || '},"key":' || to_json(p_api_key_ids[n])::text || ',"kind":"checked","payload_digest":null,"v":2}');
  end loop;
  insert into gate.action (
    account_id, id, uuid, kind, status, member_id, member, tier_at_request, source, payload, created_at,
    requires_confirmation, result, executed_at, proposed_key, requested_by, requested_host
  )
  select p_account, c.id, c.uuid, 'capability_check', 'executed', c.member_id, c.member, c.tier,
    c.source, '{}', head.at, false, c.result::json, head.at, c.key_id, k.name, gate_private.app_host(p_account, k.grant_id)
  from unnest(p_uuids, ids, p_member_ids, p_members, p_tiers, p_sources, results, p_api_key_ids)
    c(uuid, id, member_id, member, tier, source, result, key_id)
  left join gate.api_key k on k.account_id = p_account and k.key_id = c.key_id
  where c.id is not null;
  perform gate_private.append_entries(head, entries);
  return outcomes;
end $$;
