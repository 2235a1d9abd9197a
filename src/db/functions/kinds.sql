-- Declared kinds: their versions, and what the database reads by their documents. p_session and p_event: see accounts.sql.

-- Stores a document as the next version of its kind, which is in force again if it was retired. p_document: canonical JSON.
-- p_base: the count of changes of the declared kinds that the administrator was shown the effect for; null: not shown.
-- outcome: set, unchanged (the version in force has the same document), too_many (kinds of the account, retired ones too),
-- stale (declared kinds changed since).
create function gate.set_kind(
  p_account text, p_session bytea, p_kind text, p_document json, p_kinds_max integer, p_event uuid,
  p_base bigint default null, out outcome text, out version integer
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  newest gate.kind;
  stored gate.kind;
begin
  if p_document ->> 'kind' is distinct from p_kind then
    raise exception 'this is not the document of %', p_kind using errcode = 'check_violation';
  end if;
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session, 'kinds.write');
  if p_base <> (select a.kinds_version from gate.account a where a.account_id = p_account) then
    outcome := 'stale';
    return;
  end if;
  newest := gate_private.newest_kind(p_account, p_kind);
  if newest.version is not null and newest.retired_at is null and newest.document::text = p_document::text then
    outcome := 'unchanged';
    version := newest.version;
    return;
  end if;
  if newest.version is null and p_kinds_max <= (
    select count(*) from gate.kind k where k.account_id = p_account and k.version = 1
  ) then
    outcome := 'too_many';
    return;
  end if;
  version := coalesce(newest.version, 0) + 1;
  insert into gate.kind (account_id, kind, version, document, digest, created_by)
  values (
    p_account, p_kind, version, p_document, encode(sha256(convert_to(p_document::text, 'UTF8')), 'hex'), actor)
  returning * into stored;
  perform gate_private.count_kinds(p_account);
  perform gate_private.note_change(
    p_account, p_event, 'kind_set', null, actor, null,
    jsonb_build_object('kind', p_kind, 'version', version, 'document', stored.digest));
  outcome := 'set';
end $$;

-- Retires a kind: nothing of it can be proposed or confirmed until it is set again. outcome: retired, unchanged, missing.
create function gate.retire_kind(p_account text, p_session bytea, p_kind text, p_event uuid) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  newest gate.kind;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session, 'kinds.write');
  newest := gate_private.newest_kind(p_account, p_kind);
  if newest.version is null then
    return 'missing';
  end if;
  if newest.retired_at is not null then
    return 'unchanged';
  end if;
  update gate.kind k set retired_at = clock_timestamp()
  where k.account_id = p_account and k.kind = p_kind and k.version = newest.version;
  perform gate_private.count_kinds(p_account);
  perform gate_private.note_change(
    p_account, p_event, 'kind_retired', null, actor, null,
    jsonb_build_object('kind', p_kind, 'version', newest.version));
  return 'retired';
end $$;

-- Makes every decision that rests on the declared kinds be made again: those of open proposals, too.
create function gate_private.count_kinds(p_account text) returns void
language sql volatile as $$
  update gate.account set kinds_version = kinds_version + 1, curricula_version = curricula_version + 1
  where account_id = p_account
$$;

create function gate_private.newest_kind(p_account text, p_kind text) returns gate.kind
language sql stable as $$
  select k.* from gate.kind k where k.account_id = p_account and k.kind = p_kind order by k.version desc limit 1
$$;

-- Whether a version of a declared kind is the one in force.
create function gate_private.is_kind_in_force(p_account text, p_kind text, p_version integer) returns boolean
language sql stable as $$
  select coalesce(k.version = p_version and k.retired_at is null, false)
  from gate_private.newest_kind(p_account, p_kind) k
$$;

-- The value of a payload that a document points to (RFC 6901), as text. The names in pointers need no escapes.
create function gate_private.at_pointer(p_payload json, p_pointer text) returns text
language sql immutable strict
return p_payload #>> string_to_array(substr(p_pointer, 2), '/');
