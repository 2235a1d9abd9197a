-- Archiving: entries of a ledger are moved into files. Only the owner of the database can do it: the functions are in
-- gate_private, where the service's role may call nothing, and no function of `gate` calls them.

-- The last entry that is archived; 0 if none is.
create function gate_private.archived_to(p_account text) returns bigint
language sql stable as $$
  select coalesce(max(a.last_seq), 0) from gate.ledger_archive a where a.account_id = p_account
$$;

-- The last entry that may be archived with all before it: older than p_before, and older than the first entry of every action
-- that has not ended. Of a ledger that is sealed only entries in full tiles: the proofs of others need their hashes.
create function gate_private.archivable_to(p_account text, p_before timestamptz) returns bigint
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  last_old bigint;
  first_open bigint;
  last_tiled bigint;
begin
  perform gate.tenant(p_account);
  last_old := gate.first_entry_from(p_account, p_before) - 1;
  -- Ids of actions and their first entries ascend together.
  select min(l.seq) into first_open
  from gate.ledger l
  where l.account_id = p_account and l.kind <> 'checked' and l.action_id = (
    select min(a.id) from gate.action a where a.account_id = p_account and a.status = 'proposed'
  );
  select max(s.size) / 256 * 256 into last_tiled from gate.ledger_seal s where s.account_id = p_account;
  return least(last_old, first_open - 1, last_tiled);
end $$;

-- An entry as a line of an archive and of an export: what JSON.stringify makes of a link.
create function gate_private.archive_line(p_entry gate.ledger) returns text
language sql stable
return '{"seq":' || p_entry.seq || ',"at":"' || gate_private.iso(p_entry.at) || '","kind":' || to_json(p_entry.kind)::text
  || ',"action_id":' || coalesce(p_entry.action_id::text, 'null') || ',"entry":' || to_json(p_entry.entry)::text
  || ',"prev":"' || encode(p_entry.prev, 'hex') || '","hash":"' || encode(p_entry.hash, 'hex') || '"}' || E'\n';

-- Records which file holds the entries p_first to p_last, appends that to the chain, and deletes the entries: all of it or
-- nothing. A repeated step changes nothing.
-- p_file: SHA-256 of the file. It must be the one that the stored entries make, so that a file with other content, or none,
-- deletes nothing. p_manifest: SHA-256 of the manifest up to the line of that file.
create function gate_private.archive_entries(
  p_account text, p_first bigint, p_last bigint, p_before timestamptz, p_file bytea, p_manifest bytea
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  stored record;
  deleted bigint;
begin
  perform gate.tenant(p_account);
  perform 1 from gate.ledger_archive a
  where a.account_id = p_account and a.first_seq = p_first and a.last_seq = p_last and a.file = p_file;
  if found then
    return;
  end if;
  if p_first <> gate_private.archived_to(p_account) + 1 then
    raise exception 'seq % is not the first entry that is not archived', p_first using errcode = 'check_violation';
  end if;
  if p_last not between p_first and p_first + 9999 then
    raise exception 'a file holds 1 to 10000 entries' using errcode = 'check_violation';
  end if;
  if p_last > gate_private.archivable_to(p_account, p_before) then
    raise exception 'seq % is too recent, or an action before it has not ended', p_last using errcode = 'check_violation';
  end if;
  select
    count(*) as entries,
    sha256(convert_to(string_agg(gate_private.archive_line(l), '' order by l.seq), 'UTF8')) as file,
    (array_agg(l.hash order by l.seq desc))[1] as hash
  into stored
  from gate.ledger l
  where l.account_id = p_account and l.seq between p_first and p_last;
  if stored.entries <> p_last - p_first + 1 or stored.file is distinct from p_file then
    raise exception 'the file does not hold the entries % to %', p_first, p_last using errcode = 'check_violation';
  end if;
  -- If two processes archive at once, one waits here and is refused.
  insert into gate.ledger_archive (account_id, first_seq, last_seq, hash, file, manifest)
  values (p_account, p_first, p_last, stored.hash, p_file, p_manifest);
  delete from gate.ledger l where l.account_id = p_account and l.seq between p_first and p_last;
  get diagnostics deleted = row_count;
  if deleted <> stored.entries then
    raise exception '% of % entries were deleted', deleted, stored.entries using errcode = 'check_violation';
  end if;
  -- Last, because it locks the end of the chain for everyone who writes to the account.
  perform gate_private.note(
    p_account, gen_random_uuid(), 'ledger_archived', null, 'admin', null,
    jsonb_build_object(
      'first_seq', p_first, 'last_seq', p_last, 'entries', stored.entries, 'hash', encode(stored.hash, 'hex'),
      'file', encode(p_file, 'hex'), 'manifest', encode(p_manifest, 'hex')));
end $$;
