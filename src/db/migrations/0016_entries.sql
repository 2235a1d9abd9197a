-- Entries are composed here, from what is stored beside them: nobody hands in a text that could say something else. Who made
-- an entry is read from the credential that came with the write, which must still hold under the account's lock.

-- The canonical JSON of a value (RFC 8785): keys sorted, no spaces. Keys are ASCII, numbers are integers here.
create function gate_private.canonical(p_value jsonb) returns text
language plpgsql immutable strict set search_path = pg_catalog, pg_temp as $$
declare
  made text;
begin
  if jsonb_typeof(p_value) = 'object' then
    select string_agg(to_json(e.key)::text || ':' || gate_private.canonical(e.value), ',' order by e.key collate "C")
    into made from jsonb_each(p_value) e;
    return '{' || coalesce(made, '') || '}';
  elsif jsonb_typeof(p_value) = 'array' then
    select string_agg(gate_private.canonical(e.value), ',' order by e.n)
    into made from jsonb_array_elements(p_value) with ordinality e(value, n);
    return '[' || coalesce(made, '') || ']';
  end if;
  return p_value::text;
end $$;

-- An entry after its `{"action":<id>,`. `v` is 2 where the entry tells everything that is stored with it.
create function gate_private.entry_tail(
  p_actor text, p_api_key_id text, p_kind text, p_data jsonb, p_payload_digest text default null
) returns text
language sql immutable
return '"actor":' || to_json(p_actor)::text || ',"data":' || gate_private.canonical(p_data)
  || ',"key":' || coalesce(to_json(p_api_key_id)::text, 'null') || ',"kind":' || to_json(p_kind)::text
  || ',"payload_digest":' || coalesce(to_json(p_payload_digest)::text, 'null') || ',"v":2}';

drop function gate_private.append;
-- Appends one entry and returns its time. The tail is the entry's canonical JSON after `{"action":<id>,`.
-- A repeated event id appends nothing and returns the time of the entry that stands.
-- p_at: its time, where the caller chose one under the same lock, not before the head's.
create function gate_private.append(
  p_account text, p_event uuid, p_kind text, p_action bigint, p_tail text,
  p_at timestamptz default null
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

-- Composes an entry and appends it. Returns its time.
create function gate_private.note(
  p_account text, p_event uuid, p_kind text, p_action bigint, p_actor text, p_api_key_id text, p_data jsonb,
  p_payload_digest text default null, p_at timestamptz default null
) returns timestamptz
language sql volatile as $$
  select gate_private.append(
    p_account, p_event, p_kind, p_action,
    gate_private.entry_tail(p_actor, p_api_key_id, p_kind, p_data, p_payload_digest), p_at)
$$;

-- What an entry keeps of a text that must not stand in it. The row's uuid is in no export, so the digest tells nothing there.
create function gate_private.text_digest(p_uuid uuid, p_text text) returns text
language sql immutable
return encode(sha256(convert_to(p_uuid::text || ' ' || p_text, 'UTF8')), 'hex');

create function gate_private.key_name(p_account text, p_key text) returns text
language sql stable as $$
  select k.name from gate.api_key k where k.account_id = p_account and k.key_id = p_key
$$;

create function gate_private.payload_digest(p_salt bytea, p_payload text) returns text
language sql immutable
return encode(sha256(p_salt || convert_to(p_payload, 'UTF8')), 'hex');

-- What a key may do, of which kinds, from which networks (CIDR), and how much within 24 hours. null: not limited. Keys of
-- before keep every power there was.
alter table gate.api_key
  add column powers text[] not null default array['read', 'propose', 'confirm'],
  add column kinds text[],
  add column networks text[],
  add column actions_per_day integer,
  add column cents_per_day json,
  add constraint api_key_powers_known check (powers <@ array['read', 'propose', 'confirm'] and cardinality(powers) > 0);
alter table gate_private.api_key_hash
  add column powers text[] not null default array['read', 'propose', 'confirm'],
  add column kinds text[],
  add column networks text[],
  add column actions_per_day integer,
  add column cents_per_day json,
  add column refused_noted_at timestamptz;

drop function gate.authenticate;
-- Who holds the key with this hash: no row, or one, whether or not it still holds. A key whose members are all inactive does
-- not.
create function gate.authenticate(p_hash bytea)
returns table (
  account_id text, key_id text, actors text[], powers text[], kinds text[], networks text[], actions_per_day integer,
  cents_per_day json, hash bytea, is_valid boolean, touch_due boolean
)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  k gate_private.api_key_hash;
begin
  select * into k from gate_private.api_key_hash h where h.hash = p_hash;
  if not found then
    return;
  end if;
  return query select k.account_id, k.key_id, k.actors, k.powers, k.kinds, k.networks, k.actions_per_day, k.cents_per_day,
    k.hash, gate_private.key_holds(k),
    k.last_used_at is null or k.last_used_at < clock_timestamp() - interval '5 minutes';
end $$;

create function gate_private.key_holds(p_key gate_private.api_key_hash) returns boolean
language plpgsql volatile as $$
begin
  if p_key.revoked_at is not null or p_key.expires_at <= clock_timestamp() then
    return false;
  end if;
  if p_key.actors is null then
    return true;
  end if;
  perform gate.tenant(p_key.account_id);
  return exists (
    select 1 from gate.member m
    where m.account_id = p_key.account_id and m.member_id = any (p_key.actors) and m.is_active);
end $$;

-- subject: what an amount is taken from or given to; see the sums of the day. *_key: the API key that proposed,
-- or decided. requested_by: the name of the key that proposed.
alter table gate.action
  add column subject text,
  add column proposed_key text,
  add column decided_key text,
  add column requested_by text;
-- The rows of one member, for keys that are bound to members.
create index action_by_member on gate.action (account_id, member_id, id);
alter table gate.consent_request add column asked_key text;

-- The API key of a write, as of now. p_power: what the write needs; `cancel` is either of propose and confirm. p_member, p_kind: whom and what it is about.
-- Raises GA401 where the key no longer holds, GA403 where it may not do this: nothing is written then.
create function gate_private.require_key(
  p_account text, p_hash bytea, p_power text, p_member text default null, p_kind text default null
) returns gate_private.api_key_hash
language plpgsql as $$
declare
  held gate_private.api_key_hash;
begin
  select * into held from gate_private.api_key_hash k
  where k.hash = p_hash and k.account_id = p_account;
  if not found or not gate_private.key_holds(held) then
    raise exception 'the API key does not hold' using errcode = 'GA401';
  end if;
  if not (p_power = any (held.powers) or p_power = 'cancel' and held.powers && array['propose', 'confirm']) then
    raise exception 'the API key lacks the power %', p_power using errcode = 'GA403', detail = p_power;
  end if;
  if p_kind is not null and held.kinds is not null and not p_kind = any (held.kinds) then
    raise exception 'the API key is not for %', p_kind using errcode = 'GA403', detail = 'kind ' || p_kind;
  end if;
  if p_member is not null and held.actors is not null and not p_member = any (held.actors) then
    raise exception 'the API key is bound to other members' using errcode = 'GA403', detail = 'member';
  end if;
  return held;
end $$;

-- A console session, as of now: whom it speaks for is read from who still reads its mailbox. Raises GA401 where it is over.
create function gate_private.require_session(
  p_account text, p_token bytea, out admin_id text, out member_id text
)
language plpgsql as $$
begin
  select a.admin_id, m.member_id into admin_id, member_id
  from gate_private.session s
  left join gate.admin a on a.account_id = s.account_id and a.admin_id = s.admin_id and a.removed_at is null
    and gate_private.reads_mailbox(s.account_id, a.admin_id, s.mailbox)
  left join gate.member m on m.account_id = s.account_id and m.member_id = s.member_id and m.is_active
    and gate_private.reads_mailbox(s.account_id, m.member_id, s.mailbox)
  where s.token = p_token and s.account_id = p_account and s.expires_at > clock_timestamp();
  if admin_id is null and member_id is null then
    raise exception 'the session does not hold' using errcode = 'GA401';
  end if;
end $$;

-- Who administers: `admin` from the command line, or the administrator whose session it is. Raises GA401 or GA403.
create function gate_private.require_admin(p_account text, p_session bytea) returns text
language plpgsql as $$
declare
  holder record;
  actor text := 'admin';
begin
  if p_session is not null then
    holder := gate_private.require_session(p_account, p_session);
    if holder.admin_id is null then
      raise exception 'the session is not of an administrator' using errcode = 'GA403', detail = 'admin';
    end if;
    actor := 'admin:' || holder.admin_id;
  end if;
  -- For triggers, which note who made a change.
  perform set_config('gate.actor', actor, true);
  return actor;
end $$;

-- Notes that a write by an API key was refused because the key no longer holds: at most one entry a key and minute, since
-- anyone who has the old key can cause them.
create function gate.note_refused_key(p_hash bytea, p_event uuid, p_operation text, p_source text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  known gate_private.api_key_hash;
begin
  update gate_private.api_key_hash k set refused_noted_at = clock_timestamp()
  where k.hash = p_hash and (k.refused_noted_at is null or k.refused_noted_at < clock_timestamp() - interval '1 minute')
    and (k.revoked_at is not null or k.expires_at <= clock_timestamp())
  returning * into known;
  if not found then
    return;
  end if;
  perform gate.tenant(known.account_id);
  perform gate_private.note(
    known.account_id, p_event, 'write_refused', null, 'unknown', known.key_id,
    jsonb_build_object(
      'operation', p_operation, 'source', p_source,
      'reason', case when known.revoked_at is null then 'key_expired' else 'key_revoked' end));
end $$;

-- Notes that a write was refused by what its key may do, or by a session that is over. p_actor: an id, or `unknown`.
create function gate.note_refused_write(
  p_account text, p_event uuid, p_api_key bytea, p_actor text, p_operation text, p_source text, p_reason text
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  perform gate_private.note(
    p_account, p_event, 'write_refused', null, p_actor,
    (select k.key_id from gate_private.api_key_hash k where k.hash = p_api_key and k.account_id = p_account),
    jsonb_build_object('operation', p_operation, 'source', p_source, 'reason', p_reason));
end $$;

drop function gate.record_checks;
-- Appends a group of capability checks of one account: parallel arrays, one place a check.
-- A group is written whole or not at all, so a repeat is known by its first uuid.
create function gate.record_checks(
  p_account text, p_uuids uuid[], p_member_ids text[], p_members text[], p_tiers text[], p_tier_sources text[],
  p_certified boolean[], p_sources text[], p_api_key_ids text[]
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  head gate.ledger_head;
  now_at timestamptz;
  prefix text := p_account || ' ';
  suffix text;
  results text[];
  entries text[];
  prevs bytea[];
  hashes bytea[];
begin
  perform gate.tenant(p_account);
  head := gate_private.lock_head(p_account);
  perform 1 from gate.action a where a.uuid = p_uuids[1];
  if found then
    return;
  end if;
  now_at := greatest(head.at, date_trunc('milliseconds', clock_timestamp()));
  suffix := ' ' || gate_private.iso(now_at) || E'\n';
  for n in 1 .. cardinality(p_uuids) loop
    results[n] := '{"certified":' || p_certified[n]::text || ',"tier":' || to_json(p_tiers[n])::text
      || ',"tier_source":' || to_json(p_tier_sources[n])::text || '}';
    -- As entry_tail composes it; written out here, since a thousand are made in a second.
    entries[n] := '{"action":' || (head.action_seq + n) || ',"actor":' || to_json(p_member_ids[n])::text
      || ',"data":{"certified":' || p_certified[n]::text
      || ',"member_digest":"' || gate_private.text_digest(p_uuids[n], p_members[n])
      || '","source":' || to_json(p_sources[n])::text || ',"tier":' || to_json(p_tiers[n])::text
      || ',"tier_source":' || to_json(p_tier_sources[n])::text
      || '},"key":' || coalesce(to_json(p_api_key_ids[n])::text, 'null')
      || ',"kind":"checked","payload_digest":null,"v":2}';
    prevs[n] := head.hash;
    head.hash := sha256(head.hash || convert_to(prefix || (head.seq + n) || suffix || entries[n], 'UTF8'));
    hashes[n] := head.hash;
  end loop;
  insert into gate.action (
    account_id, id, uuid, kind, status, member_id, member, tier_at_request, source, payload, created_at,
    requires_confirmation, result, executed_at, proposed_key, requested_by
  )
  select p_account, head.action_seq + c.n, c.uuid, 'capability_check', 'executed', c.member_id, c.member, c.tier,
    c.source, '{}', now_at, false, c.result::json, now_at, c.key_id, k.name
  from unnest(p_uuids, p_member_ids, p_members, p_tiers, p_sources, results, p_api_key_ids)
    with ordinality c(uuid, member_id, member, tier, source, result, key_id, n)
  left join gate.api_key k on k.account_id = p_account and k.key_id = c.key_id;
  insert into gate.ledger (account_id, seq, event_id, at, kind, action_id, entry, prev, hash)
  select p_account, head.seq + c.n, c.uuid, now_at, 'checked', head.action_seq + c.n, c.entry, c.prev, c.hash
  from unnest(p_uuids, entries, prevs, hashes) with ordinality c(uuid, entry, prev, hash, n);
  update gate.ledger_head
  set seq = head.seq + cardinality(p_uuids), hash = head.hash, at = now_at,
    action_seq = head.action_seq + cardinality(p_uuids)
  where account_id = p_account;
end $$;

-- The data of the entry that makes a row, without its payload. `rule` is the sentence of the policy that applied.
create function gate_private.birth_data(p_row gate.action, p_policy_version bigint, p_rule text) returns jsonb
language sql immutable
return jsonb_strip_nulls(jsonb_build_object(
  'kind', p_row.kind, 'tier', p_row.tier_at_request, 'source', p_row.source, 'policy_version', p_policy_version,
  'rule', p_rule, 'recipients', encode(p_row.recipients, 'hex'),
  'member_digest', gate_private.text_digest(p_row.uuid, p_row.member),
  'reach', jsonb_build_array(p_row.reach_slack, p_row.reach_email, p_row.reach_unreachable),
  'digest', p_row.digest, 'expires_at', gate_private.iso(p_row.expires_at), 'duplicate_of', p_row.duplicate_of,
  'reason', p_row.denial_reason));

drop function gate.propose;
-- Makes a row, proposed or denied, under a credential that holds.
-- p_payload: canonical JSON text. p_rule: the sentence that it was judged by.
-- outcome: created, replayed (same key and request), reused (same key, other request), stale (facts moved), too_many,
-- too_many_of_key (other keys propose for the member, and this one holds its share).
create function gate.propose(
  p_account text, p_uuid uuid, p_event uuid, p_kind text, p_status text, p_denial_reason text, p_rule text,
  p_member_id text, p_member text, p_member_version bigint, p_curricula_version bigint, p_policy_version bigint,
  p_tier text, p_source text, p_payload text, p_salt bytea,
  p_reach_slack integer, p_reach_email integer, p_reach_unreachable integer, p_recipients bytea,
  p_ttl_ms bigint, p_open_max integer, p_due_ms integer, p_api_key bytea,
  p_key uuid, p_request bytea,
  out outcome text, out action gate.action
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  head gate.ledger_head;
  held gate_private.api_key_hash;
  used record;
begin
  perform gate.tenant(p_account);
  head := gate_private.lock_head(p_account);
  held := gate_private.require_key(p_account, p_api_key, 'propose', p_member_id, p_kind);
  used := gate_private.replay(p_account, 'propose', p_key, p_request);
  if used.outcome = 'new' then
    select * into action from gate.action a where a.uuid = p_uuid;
    if found then
      outcome := 'created';
      return;
    end if;
  else
    outcome := used.outcome;
    select * into action from gate.action a where a.account_id = p_account and a.id = used.action_id;
    return;
  end if;
  perform 1
  from gate.member m
  join gate.account c on c.account_id = m.account_id
  where m.account_id = p_account and m.member_id = p_member_id and m.is_active
    and m.version = p_member_version and c.curricula_version = p_curricula_version
    and c.policy_version = p_policy_version;
  if not found then
    outcome := 'stale';
    return;
  end if;
  if p_status = 'proposed' and p_open_max <= (
    select count(*) from gate.action a
    where a.account_id = p_account and a.member_id = p_member_id and a.status = 'proposed' and a.decision is null
  ) then
    outcome := 'too_many';
    return;
  end if;
  if p_status = 'proposed' and not gate_private.open_share_left(p_account, p_member_id, held.key_id, p_open_max) then
    outcome := 'too_many_of_key';
    return;
  end if;
  action.account_id := p_account;
  action.id := head.action_seq + 1;
  action.uuid := p_uuid;
  action.kind := p_kind;
  action.status := p_status;
  action.member_id := p_member_id;
  action.member := p_member;
  action.tier_at_request := p_tier;
  action.source := p_source;
  action.payload := p_payload::json;
  action.salt := p_salt;
  action.created_at := greatest(head.at, date_trunc('milliseconds', clock_timestamp()));
  action.requires_confirmation := p_status = 'proposed';
  action.denial_reason := p_denial_reason;
  action.reach_slack := p_reach_slack;
  action.reach_email := p_reach_email;
  action.reach_unreachable := p_reach_unreachable;
  action.recipients := p_recipients;
  action.proposed_key := held.key_id;
  action.requested_by := gate_private.key_name(p_account, held.key_id);
  if p_status = 'proposed' then
    action.digest := encode(sha256(convert_to(
      '{"account":' || to_json(p_account)::text || ',"id":' || action.id || ',"kind":' || to_json(p_kind)::text
      || ',"member":' || to_json(p_member)::text || ',"payload":' || p_payload || ',"recipients":'
      || coalesce(to_json(encode(p_recipients, 'hex'))::text, 'null') || '}', 'UTF8')), 'hex');
    action.expires_at := action.created_at + p_ttl_ms * interval '1 millisecond';
    action.duplicate_of := gate_private.duplicate_of(p_account, p_member_id, p_kind, p_payload, p_recipients);
  end if;
  update gate.ledger_head h set action_seq = action.id where h.account_id = p_account;
  perform gate_private.note(
    p_account, p_event, p_status, action.id, p_member_id, held.key_id,
    gate_private.birth_data(action, p_policy_version, p_rule), gate_private.payload_digest(p_salt, p_payload),
    action.created_at);
  insert into gate.action values (action.*) returning * into action;
  if p_status = 'proposed' then
    insert into gate_private.open_action (uuid, account_id, action_id, kind, expires_at, wake, due_at)
    values (
      p_uuid, p_account, action.id, p_kind, action.expires_at, 'start',
      clock_timestamp() + p_due_ms * interval '1 millisecond');
  end if;
  perform gate_private.keep_key(p_account, 'propose', p_key, p_request, action.id);
  outcome := 'created';
end $$;

drop function gate_private.expire;
-- Closes a proposal whose time is over. Assumes the head's lock and an undecided row.
create function gate_private.expire(p_account text, p_id bigint, p_event uuid, p_due_ms integer) returns gate.action
language plpgsql as $$
declare
  closed gate.action;
  closed_at timestamptz;
begin
  closed_at := gate_private.note(
    p_account, p_event, 'expired', p_id, 'system', null, jsonb_build_object('closed_reason', 'expired'));
  update gate.action a
  set status = 'cancelled', decision = 'expire', decided_at = closed_at, closed_reason = 'expired'
  where a.account_id = p_account and a.id = p_id
  returning * into closed;
  update gate_private.open_action o
  set decided_at = closed_at, wake = 'cancel', due_at = clock_timestamp() + p_due_ms * interval '1 millisecond'
  where o.uuid = closed.uuid;
  return closed;
end $$;

-- By what a decision about a row comes, and how strong it can be at most: an API key's word is `agent_attested`; a request
-- that was answered in Slack is `chat`, one by mail, or a session of that member, `page`. A connection is confirmed in a session
-- alone, of that member or of an administrator. Spends the token. actor: for the entry. decided_by: for the row.
-- Raises GA401 where the credential does not hold, GA403 where it is somebody else's. is_lost: the token was used.
create function gate_private.credential_of(
  p_row gate.action, p_power text, p_api_key bytea, p_session bytea, p_token bytea,
  out strength_max text, out age_hours integer, out api_key_id text, out actor text, out decided_by text,
  out is_lost boolean
)
language plpgsql as $$
declare
  asked_n integer;
  asked_via text;
  holder record;
begin
  is_lost := false;
  actor := p_row.member_id;
  decided_by := p_row.member;
  if p_token is not null then
    update gate_private.consent_token t set used_at = clock_timestamp()
    where t.token = p_token and t.account_id = p_row.account_id and t.action_id = p_row.id and t.used_at is null
    returning t.n into asked_n;
    is_lost := not found;
    select q.via into asked_via from gate.consent_request q
    where q.account_id = p_row.account_id and q.action_id = p_row.id and q.n = asked_n;
    strength_max := case asked_via when 'slack' then 'chat' when 'email' then 'page' end;
  elsif p_session is not null then
    strength_max := 'page';
    holder := gate_private.require_session(p_row.account_id, p_session);
    asked_via := 'console';
    if holder.member_id is distinct from p_row.member_id then
      if p_row.kind <> 'integration' or holder.admin_id is null then
        raise exception 'the session is not of the member who proposed' using errcode = 'GA403', detail = 'member';
      end if;
      asked_via := null;
      actor := 'admin:' || holder.admin_id;
      select 'admin:' || a.email into decided_by from gate.admin a
      where a.account_id = p_row.account_id and a.admin_id = holder.admin_id;
    end if;
  else
    if p_row.kind = 'integration' and p_power = 'confirm' then
      raise exception 'a provider is connected in a session' using errcode = 'GA403', detail = 'session';
    end if;
    api_key_id := (gate_private.require_key(p_row.account_id, p_api_key, p_power, p_row.member_id, p_row.kind)).key_id;
    strength_max := 'agent_attested';
  end if;
  -- An identity that was changed a moment ago proves no more than the word of who changed it.
  if asked_via is not null then
    strength_max := coalesce(gate_private.strength_cap(p_row.account_id, p_row.member_id, asked_via), strength_max);
    age_hours := gate_private.mailbox_age_hours(p_row.account_id, p_row.member_id, asked_via);
  end if;
end $$;

-- Whether a consent of that strength can come by a credential that gives another at most.
create function gate_private.is_within(p_strength text, p_max text) returns boolean
language sql immutable
return array_position(array['agent_attested', 'chat', 'page'], p_strength)
  <= array_position(array['agent_attested', 'chat', 'page'], p_max);

drop function gate.claim_decision;
-- The arbiter of every race about a proposal. p_decision: confirm, cancel, expire, admin_cancel.
-- outcome: claimed (also on a repeat of the same command), replayed, reused, missing, lost, expired, early (an expiry
-- before its time), suspended, stale, moved (a count that it rests on is another now).
-- A confirm or cancel comes by one of p_api_key, p_session, p_token (of the request that is answered); an administrator's cancel
-- by p_session or the command line. p_strength: as it counts, which the credential must allow. p_card: hash of what was shown.
-- p_counted: see counts_moved; null where the decision rests on no count.
create function gate.claim_decision(
  p_account text, p_id bigint, p_decision text, p_command uuid, p_event uuid, p_expire_event uuid, p_due_ms integer,
  p_member_version bigint, p_curricula_version bigint, p_policy_version bigint, p_counted jsonb, p_tier text,
  p_strength text, p_channel text, p_reason text, p_api_key bytea, p_session bytea, p_token bytea, p_card bytea,
  p_key uuid, p_request bytea,
  out outcome text, out action gate.action
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  used record;
  credential record;
  actor text;
  age_hours integer;
  claimed_at timestamptz;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  if p_decision = 'admin_cancel' then
    actor := gate_private.require_admin(p_account, p_session);
  end if;
  select * into action from gate.action a where a.account_id = p_account and a.id = p_id for update;
  if not found then
    outcome := 'missing';
    return;
  end if;
  used := gate_private.replay(p_account, p_decision, p_key, p_request);
  outcome := case
    when action.command_id = p_command then 'claimed'
    when used.outcome <> 'new' then used.outcome
    when action.status <> 'proposed' or action.decision is not null then 'lost'
  end;
  if outcome is not null then
    return;
  end if;
  if p_decision = 'expire' and action.expires_at > clock_timestamp() then
    outcome := 'early';
    return;
  end if;
  if p_decision <> 'admin_cancel' and action.expires_at <= clock_timestamp() then
    outcome := case when p_decision = 'expire' then 'claimed' else 'expired' end;
    action := gate_private.expire(p_account, p_id, p_expire_event, p_due_ms);
    return;
  end if;
  if p_decision = 'confirm' then
    outcome := gate_private.confirm_obstacle(
      p_account, action.member_id, p_member_version, p_curricula_version, p_policy_version);
    if outcome is null and p_counted is not null and gate_private.counts_moved(action, p_counted) then
      outcome := 'moved';
    end if;
    if outcome is not null then
      return;
    end if;
  end if;
  if p_decision in ('confirm', 'cancel') then
    credential := gate_private.credential_of(
      action, p_decision, p_api_key, p_session, p_token);
    if credential.is_lost then
      outcome := 'lost';
      return;
    end if;
    if gate_private.is_within(p_strength, credential.strength_max) is not true then
      raise exception 'a consent of strength % does not come this way', p_strength using errcode = 'check_violation';
    end if;
    actor := credential.actor;
    age_hours := credential.age_hours;
    action.decided_key := credential.api_key_id;
    action.consent_by := credential.decided_by;
  end if;
  claimed_at := gate_private.note(
    p_account, p_event, case p_decision when 'confirm' then 'confirmed' else 'cancelled' end, p_id, actor,
    action.decided_key,
    jsonb_strip_nulls(case p_decision
      when 'confirm' then jsonb_build_object(
        'strength', p_strength, 'channel', p_channel, 'tier', p_tier, 'policy_version', p_policy_version,
        'card', encode(p_card, 'hex'), 'mailbox_age_hours', age_hours)
        || case when action.kind = 'integration' then gate_private.connection_data(p_account, p_id) else '{}' end
      when 'cancel' then jsonb_build_object(
        'closed_reason', 'proposer', 'source', p_channel, 'strength', p_strength, 'card', encode(p_card, 'hex'),
        'mailbox_age_hours', age_hours)
      else jsonb_build_object('closed_reason', 'admin', 'reason', p_reason)
    end));
  update gate.action a set
    decision = p_decision, decided_at = claimed_at, command_id = p_command, decided_key = action.decided_key,
    consent_strength = case when p_decision <> 'admin_cancel' then p_strength end,
    consent_by = action.consent_by,
    consent_channel = case when p_decision <> 'admin_cancel' then p_channel end, card = p_card,
    status = case p_decision when 'confirm' then a.status else 'cancelled' end,
    closed_reason = case p_decision when 'cancel' then 'proposer' when 'admin_cancel' then 'admin' end
  where a.account_id = p_account and a.id = p_id
  returning * into action;
  update gate_private.open_action o set
    decided_at = claimed_at, wake = case p_decision when 'confirm' then 'confirm' else 'cancel' end,
    due_at = clock_timestamp() + p_due_ms * interval '1 millisecond'
  where o.uuid = action.uuid;
  perform gate_private.keep_key(p_account, p_decision, p_key, p_request, p_id);
  outcome := 'claimed';
end $$;

-- Whether another confirm was claimed since a decision read its sums: p_counted lists { scope, value, since, count }.
-- scope `member`: of the row's member and kind. (The other scopes come with the sums of the day.)
create function gate_private.counts_moved(p_action gate.action, p_counted jsonb) returns boolean
language sql stable as $$
  select exists (
    select 1 from jsonb_to_recordset(p_counted) c(scope text, value text, since timestamptz, count bigint)
    where c.count <> (
      select count(*) from gate.action a
      where a.account_id = p_action.account_id and a.member_id = p_action.member_id and a.kind = p_action.kind
        and a.decision = 'confirm' and a.recipients is null and a.decided_at > c.since
    )
  )
$$;

drop function gate.deny_action;
-- Denies a proposal at its confirm, or, claimed but late, before it began. outcome: denied, replayed, reused, lost, stale.
-- A denial at the confirm comes by the credential of that confirm, which must hold; nothing is spent.
create function gate.deny_action(
  p_account text, p_id bigint, p_claimed boolean, p_reason text, p_event uuid, p_due_ms integer,
  p_member_version bigint, p_curricula_version bigint, p_policy_version bigint, p_api_key bytea,
  p_key uuid, p_request bytea,
  out outcome text, out action gate.action
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  used record;
  held gate_private.api_key_hash;
  denied_at timestamptz;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  select * into action from gate.action a where a.account_id = p_account and a.id = p_id for update;
  if p_api_key is not null then
    held := gate_private.require_key(p_account, p_api_key, 'confirm', action.member_id, action.kind);
  end if;
  used := gate_private.replay(p_account, 'confirm', p_key, p_request);
  if used.outcome <> 'new' then
    outcome := used.outcome;
    return;
  end if;
  if action.status = 'denied' and exists (
    select 1 from gate.ledger l where l.account_id = p_account and l.event_id = p_event
  ) then
    outcome := 'denied';
    return;
  end if;
  if action.status <> 'proposed' or action.begun_at is not null or (action.decision is not null) <> p_claimed then
    outcome := 'lost';
    return;
  end if;
  if gate_private.confirm_obstacle(
    p_account, action.member_id, p_member_version, p_curricula_version, p_policy_version) = 'stale' then
    outcome := 'stale';
    return;
  end if;
  denied_at := gate_private.note(
    p_account, p_event, 'denied', p_id, action.member_id, held.key_id,
    jsonb_build_object('reason', p_reason, 'at', case when p_claimed then 'execution' else 'confirm' end));
  update gate.action a
  set status = 'denied', decision = 'deny', decided_at = coalesce(a.decided_at, denied_at), denial_reason = p_reason,
    consent_strength = null, consent_by = null, consent_channel = null
  where a.account_id = p_account and a.id = p_id
  returning * into action;
  update gate_private.open_action o
  set decided_at = clock_timestamp(), wake = 'cancel', due_at = clock_timestamp() + p_due_ms * interval '1 millisecond'
  where o.uuid = action.uuid;
  perform gate_private.keep_key(p_account, 'confirm', p_key, p_request, p_id);
  perform pg_notify('gate_ended', action.uuid::text);
  outcome := 'denied';
end $$;

drop function gate.note_refusal;
-- Notes in the ledger that a confirm, cancel or connection was refused. Changes nothing else.
-- p_actor: a member's id, `admin:` and an administrator's, or `unknown`.
create function gate.note_refusal(
  p_account text, p_id bigint, p_event uuid, p_decision text, p_reason text, p_source text, p_actor text,
  p_api_key bytea
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  perform gate_private.note(
    p_account, p_event, 'decision_refused', p_id, p_actor,
    (select k.key_id from gate_private.api_key_hash k where k.hash = p_api_key and k.account_id = p_account),
    jsonb_build_object('decision', p_decision, 'reason', p_reason, 'source', p_source));
end $$;

-- The data of the entry of one step of a broadcast (`<channel>:<from>-<to>`, slices): how many recipients are in each state.
create function gate_private.delivered_data(p_account text, p_id bigint, p_step text) returns jsonb
language plpgsql stable as $$
declare
  part text[] := regexp_match(p_step, '^(\w+):(\d+)-(\d+)$');
  counts jsonb;
begin
  select jsonb_object_agg(s.state, s.count) into counts
  from (
    select u.state, count(*) as count
    from gate.delivery d cross join unnest(d.states) u(state)
    where d.account_id = p_account and d.action_id = p_id
      and d.channel = part[1] and d.slice >= part[2]::integer and d.slice < part[3]::integer
    group by u.state
  ) s;
  return jsonb_build_object('step', p_step) || coalesce(counts, '{}');
end $$;

drop function gate.note_delivered;
-- Appends the `delivered` entry of one step, once per event id.
create function gate.note_delivered(p_account text, p_id bigint, p_event uuid, p_step text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  perform gate_private.note(
    p_account, p_event, 'delivered', p_id, 'system', null, gate_private.delivered_data(p_account, p_id, p_step));
end $$;

drop function gate.finish_action;
-- Ends a confirmed action: p_status executed, or cancelled where the provider refused and nothing was done.
-- p_delivered_*: steps that were not noted yet, to go before the end. A repeat answers the row as it stands.
create function gate.finish_action(
  p_account text, p_id bigint, p_status text, p_result text, p_closed_reason text, p_event uuid,
  p_delivered_events uuid[], p_delivered_steps text[],
  out outcome text, out action gate.action
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  ended_at timestamptz;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  select * into action from gate.action a where a.account_id = p_account and a.id = p_id for update;
  if action.status <> 'proposed' then
    outcome := 'ended';
    delete from gate_private.open_action o where o.uuid = action.uuid;
    return;
  end if;
  if action.decision is distinct from 'confirm' then
    raise exception 'action % was not confirmed', p_id using errcode = 'check_violation';
  end if;
  perform gate_private.note(
    p_account, u.event, 'delivered', p_id, 'system', null, gate_private.delivered_data(p_account, p_id, u.step))
  from unnest(p_delivered_events, p_delivered_steps) u(event, step);
  ended_at := gate_private.note(
    p_account, p_event, case p_status when 'executed' then 'executed' else 'cancelled' end, p_id, 'system', null,
    p_result::jsonb || case when p_closed_reason is null then '{}' else jsonb_build_object('closed_reason', p_closed_reason) end);
  update gate.action a set
    status = p_status, result = p_result::json, closed_reason = p_closed_reason,
    executed_at = case p_status when 'executed' then ended_at end
  where a.account_id = p_account and a.id = p_id
  returning * into action;
  delete from gate_private.open_action o where o.uuid = action.uuid;
  perform pg_notify('gate_ended', action.uuid::text);
  outcome := 'finished';
end $$;

drop function gate.request_consent;
-- Asks the member for a consent that a confirm through the interface does not give. Decides nothing.
-- p_token: raw, and p_token_hash, of a new request. One that stands is not repeated within p_every_ms, and is what the row
-- says from then on; of one member p_hour_max are made within an hour and p_day_max within a day, of which a key has a share.
-- outcome: asked (also on a repeat of the same command), standing, replayed, reused, missing, lost, expired, suspended, stale,
-- too_many, too_many_of_day, too_many_of_key.
create function gate.request_consent(
  p_account text, p_id bigint, p_event uuid, p_expire_event uuid, p_due_ms integer,
  p_member_version bigint, p_curricula_version bigint, p_policy_version bigint,
  p_required text, p_via text, p_source text, p_address text, p_token text, p_token_hash bytea, p_every_ms bigint,
  p_hour_max integer, p_day_max integer, p_api_key bytea, p_key uuid, p_request bytea,
  out outcome text, out action gate.action
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  used record;
  held gate_private.api_key_hash;
  standing gate.consent_request;
  new_at timestamptz;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  select * into action from gate.action a where a.account_id = p_account and a.id = p_id for update;
  if not found then
    outcome := 'missing';
    return;
  end if;
  held := gate_private.require_key(p_account, p_api_key, 'confirm', action.member_id, action.kind);
  used := gate_private.replay(p_account, 'confirm', p_key, p_request);
  outcome := case
    when exists (select 1 from gate.ledger l where l.account_id = p_account and l.event_id = p_event) then 'asked'
    when used.outcome <> 'new' then used.outcome
    when action.status <> 'proposed' or action.decision is not null then 'lost'
  end;
  if outcome is not null then
    return;
  end if;
  if action.expires_at <= clock_timestamp() then
    outcome := 'expired';
    action := gate_private.expire(p_account, p_id, p_expire_event, p_due_ms);
    return;
  end if;
  outcome := gate_private.confirm_obstacle(
    p_account, action.member_id, p_member_version, p_curricula_version, p_policy_version);
  if outcome is not null then
    return;
  end if;
  select * into standing from gate.consent_request q
  where q.account_id = p_account and q.action_id = p_id and q.state not in ('failed', 'withdrawn')
    and q.required = p_required and q.via = p_via and q.address = p_address
    and q.created_at > clock_timestamp() - p_every_ms * interval '1 millisecond'
  order by q.n desc
  limit 1;
  if found then
    outcome := 'standing';
    perform gate_private.keep_key(p_account, 'confirm', p_key, p_request, p_id);
    if (action.asked_required, action.asked_via) is distinct from (p_required, p_via) then
      action := gate_private.set_asked(p_account, p_id, p_required, p_via, standing.created_at, p_due_ms);
    end if;
    return;
  end if;
  if p_hour_max <= (
    select count(*) from gate.consent_request q
    join gate.action a on a.account_id = q.account_id and a.id = q.action_id
    where q.account_id = p_account and q.created_at > clock_timestamp() - interval '1 hour'
      and a.member_id = action.member_id
  ) then
    outcome := 'too_many';
    return;
  end if;
  if not gate_private.ask_day_left(p_account, action.member_id, p_day_max) then
    outcome := 'too_many_of_day';
    return;
  end if;
  if not gate_private.ask_share_left(p_account, action.member_id, held.key_id, p_hour_max, p_day_max) then
    outcome := 'too_many_of_key';
    return;
  end if;
  perform gate_private.keep_key(p_account, 'confirm', p_key, p_request, p_id);
  new_at := gate_private.note(
    p_account, p_event, 'consent_requested', p_id, action.member_id, held.key_id,
    jsonb_build_object('required', p_required, 'via', p_via, 'source', p_source));
  perform gate_private.add_consent_request(
    action, false, p_required, p_via, p_address, p_token, p_token_hash, new_at, held.key_id);
  action := gate_private.set_asked(p_account, p_id, p_required, p_via, new_at, p_due_ms);
  outcome := 'asked';
end $$;

drop function gate_private.add_consent_request;
-- Assumes the head's lock.
create function gate_private.add_consent_request(
  p_action gate.action, p_is_reminder boolean, p_required text, p_via text, p_address text, p_token text,
  p_token_hash bytea, p_at timestamptz, p_api_key_id text
) returns void
language plpgsql as $$
declare
  new_n integer;
begin
  select coalesce(max(q.n), 0) + 1 into new_n from gate.consent_request q
  where q.account_id = p_action.account_id and q.action_id = p_action.id;
  insert into gate.consent_request (
    account_id, action_id, n, is_reminder, required, via, address, token, created_at, member_id, asked_key
  ) values (
    p_action.account_id, p_action.id, new_n, p_is_reminder, p_required, p_via, p_address, p_token, p_at,
    p_action.member_id, p_api_key_id);
  insert into gate_private.consent_token (token, account_id, action_id, n, expires_at)
  values (p_token_hash, p_action.account_id, p_action.id, new_n, p_action.expires_at);
end $$;

drop function gate.remind_consent;
-- Asks once more, by the way that the row says (p_via, that of the token), once its time has come: p_remind_ms after the
-- request that stands, or half of the time that was left then, whichever is less. Returns when the reminder is due, or to be
-- looked at again; null where none is to come.
create function gate.remind_consent(
  p_account text, p_id bigint, p_event uuid, p_via text, p_token text, p_token_hash bytea, p_remind_ms bigint
) returns timestamptz
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  action gate.action;
  last gate.consent_request;
  remind_at timestamptz;
  new_at timestamptz;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  select * into action from gate.action a where a.account_id = p_account and a.id = p_id for update;
  if action.status is distinct from 'proposed' or action.decision is not null or action.asked_at is null
    or action.expires_at <= clock_timestamp()
    or exists (
      select 1 from gate.consent_request q
      where q.account_id = p_account and q.action_id = p_id and q.is_reminder
    )
  then
    return null;
  end if;
  remind_at := action.asked_at + least(p_remind_ms * interval '1 millisecond', (action.expires_at - action.asked_at) / 2);
  if remind_at > clock_timestamp() or action.asked_via <> p_via then
    return greatest(remind_at, clock_timestamp());
  end if;
  perform 1 from gate.account c where c.account_id = p_account and c.suspended_at is not null;
  if found then
    -- Resuming tells no workflow. Not every hour: a year of looks is to fit into one history.
    return clock_timestamp() + least(interval '6 hours', (action.expires_at - clock_timestamp()) / 2);
  end if;
  select * into last from gate.consent_request q
  where q.account_id = p_account and q.action_id = p_id and q.via = p_via
  order by q.n desc limit 1;
  new_at := gate_private.note(
    p_account, p_event, 'consent_requested', p_id, 'system', null,
    jsonb_build_object('required', last.required, 'via', p_via, 'is_reminder', true));
  perform gate_private.add_consent_request(
    action, true, last.required, last.via, last.address, p_token, p_token_hash, new_at, last.asked_key);
  return remind_at;
end $$;

drop function gate_private.make_executed;
-- Makes a row that is executed as it is made, with its entry. Assumes the head's lock. p_actor: who asked for it; beside an
-- administrator the entry names the member whom the row is about.
create function gate_private.make_executed(
  p_head gate.ledger_head, p_account text, p_uuid uuid, p_event uuid, p_entry_kind text, p_actor text, p_api_key_id text,
  p_policy_version bigint, p_rule text,
  p_member_id text, p_member text, p_tier text, p_source text, p_payload text, p_salt bytea, p_result text
) returns gate.action
language plpgsql as $$
declare
  made gate.action;
begin
  made.account_id := p_account;
  made.id := p_head.action_seq + 1;
  made.uuid := p_uuid;
  made.kind := 'preview';
  made.status := 'executed';
  made.member_id := p_member_id;
  made.member := p_member;
  made.tier_at_request := p_tier;
  made.source := p_source;
  made.payload := p_payload::json;
  made.salt := p_salt;
  made.requires_confirmation := false;
  made.reach_slack := 0;
  made.reach_email := 0;
  made.reach_unreachable := 0;
  made.result := p_result::json;
  made.proposed_key := p_api_key_id;
  made.requested_by := gate_private.key_name(p_account, p_api_key_id);
  update gate.ledger_head set action_seq = made.id where account_id = p_account;
  made.created_at := gate_private.note(
    p_account, p_event, p_entry_kind, made.id, p_actor, p_api_key_id,
    gate_private.birth_data(made, p_policy_version, p_rule) || jsonb_strip_nulls(jsonb_build_object(
      'result', p_result::jsonb, 'preview', made.payload->>'preview_id', 'conversation', made.payload->>'conversation_id',
      'member', case when p_actor <> p_member_id then p_member_id end)),
    gate_private.payload_digest(p_salt, p_payload));
  made.executed_at := made.created_at;
  insert into gate.action values (made.*) returning * into made;
  return made;
end $$;

drop function gate.start_preview;
-- Starts a preview, if the facts still hold. outcome: created; live (one of the conversation runs: its time begins again,
-- p_total_ms after its start at most); stopping (one is on its way out); lost (one stands on a host that is gone: end it
-- first); stale; suspended; no_participant; too_many.
create function gate.start_preview(
  p_account text, p_preview text, p_conversation text, p_uuid uuid, p_event uuid, p_rule text,
  p_member_id text, p_member text, p_member_version bigint, p_curricula_version bigint, p_policy_version bigint,
  p_tier text, p_source text, p_payload text, p_salt bytea, p_result text, p_link_secret bytea,
  p_hard_ms bigint, p_total_ms bigint, p_account_max integer, p_dead_ms integer, p_due_ms integer, p_api_key bytea,
  out outcome text, out preview gate.preview
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  head gate.ledger_head;
  made gate.action;
  held gate_private.api_key_hash;
begin
  perform gate.tenant(p_account);
  head := gate_private.lock_head(p_account);
  held := gate_private.require_key(p_account, p_api_key, 'propose', p_member_id, 'preview');
  select * into preview from gate.preview p where p.account_id = p_account and p.preview_id = p_preview;
  if found then
    outcome := 'created';
    return;
  end if;
  outcome := case
    when gate_private.confirm_obstacle(
      p_account, p_member_id, p_member_version, p_curricula_version, p_policy_version) is not null
    then gate_private.confirm_obstacle(
      p_account, p_member_id, p_member_version, p_curricula_version, p_policy_version)
    when not exists (
      select 1 from gate.member m where m.account_id = p_account and m.member_id = p_member_id and m.is_active
    ) then 'stale'
    when not exists (
      select 1 from gate.participant t
      where t.account_id = p_account and t.conversation_id = p_conversation and t.member_id = p_member_id
    ) then 'no_participant'
  end;
  if outcome is not null then
    return;
  end if;
  select * into preview from gate.preview p
  where p.account_id = p_account and p.conversation_id = p_conversation and p.ended_at is null;
  if found then
    outcome := case
      when gate_private.is_host_lost(preview.host_id, p_dead_ms) then 'lost'
      when preview.state = 'stopping' then 'stopping'
      else 'live'
    end;
    if outcome = 'live' then
      update gate.preview p
      set expires_at = least(
        p.started_at + p_total_ms * interval '1 millisecond',
        greatest(p.expires_at, clock_timestamp() + p_hard_ms * interval '1 millisecond'))
      where p.account_id = p_account and p.preview_id = preview.preview_id
      returning * into preview;
      update gate_private.open_preview o set expires_at = preview.expires_at where o.preview_id = preview.preview_id;
    end if;
    return;
  end if;
  if p_account_max <= (
    select count(*) from gate.preview p
    where p.account_id = p_account and p.ended_at is null and not gate_private.is_host_lost(p.host_id, p_dead_ms)
  ) then
    outcome := 'too_many';
    return;
  end if;
  made := gate_private.make_executed(
    head, p_account, p_uuid, p_event, 'preview_started', p_member_id, held.key_id, p_policy_version, p_rule, p_member_id,
    p_member, p_tier, p_source, p_payload, p_salt, p_result);
  insert into gate.preview (account_id, preview_id, conversation_id, action_id, link_secret, started_at, expires_at)
  values (
    p_account, p_preview, p_conversation, made.id, p_link_secret, made.created_at,
    made.created_at + p_hard_ms * interval '1 millisecond')
  returning * into preview;
  insert into gate_private.open_preview (preview_id, account_id, action_id, expires_at, due_at)
  values (
    p_preview, p_account, made.id, preview.expires_at, clock_timestamp() + p_due_ms * interval '1 millisecond');
  outcome := 'created';
end $$;

drop function gate.stop_preview;
-- Asks for the end of a preview. outcome: asked (the row of the stop was made); already (it has ended, or is ending: no
-- row); missing, also for a member who does not take part in its conversation.
create function gate.stop_preview(
  p_account text, p_preview text, p_uuid uuid, p_event uuid, p_policy_version bigint, p_rule text,
  p_member_id text, p_member text, p_tier text, p_source text, p_payload text, p_salt bytea, p_result text,
  p_is_admin boolean, p_api_key bytea, p_session bytea,
  out outcome text, out preview gate.preview
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  head gate.ledger_head;
  held gate_private.api_key_hash;
  actor text;
begin
  perform gate.tenant(p_account);
  head := gate_private.lock_head(p_account);
  if p_is_admin then
    actor := gate_private.require_admin(p_account, p_session);
  else
    held := gate_private.require_key(p_account, p_api_key, 'propose', p_member_id, 'preview');
    actor := p_member_id;
  end if;
  select p.* into preview from gate.preview p
  where p.account_id = p_account and p.preview_id = p_preview and (p_is_admin or exists (
    select 1 from gate.participant t
    where t.account_id = p.account_id and t.conversation_id = p.conversation_id and t.member_id = p_member_id));
  if not found then
    outcome := 'missing';
    return;
  end if;
  outcome := 'already';
  if exists (select 1 from gate.action a where a.uuid = p_uuid) then
    outcome := 'asked';
  elsif preview.state in ('starting', 'running') then
    perform gate_private.make_executed(
      head, p_account, p_uuid, p_event, 'preview_stopped', actor, held.key_id, p_policy_version, p_rule, p_member_id,
      p_member, p_tier, p_source, p_payload, p_salt, p_result);
    update gate.preview p set state = 'stopping'
    where p.account_id = p_account and p.preview_id = p_preview
    returning * into preview;
    outcome := 'asked';
  end if;
end $$;

drop function gate.finish_preview;
-- Ends a preview, once: a later call finds it as it ended. One whose stop was asked for is stopped, however it went.
create function gate.finish_preview(
  p_account text, p_preview text, p_state text, p_error text, p_exit_code integer, p_log_tail text,
  p_event uuid
) returns gate.preview
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  ended gate.preview;
  is_stopped boolean;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  select * into ended from gate.preview p where p.account_id = p_account and p.preview_id = p_preview for update;
  if not found or ended.ended_at is not null then
    return ended;
  end if;
  is_stopped := ended.state = 'stopping';
  perform gate_private.note(
    p_account, p_event, 'preview_ended', ended.action_id, 'system', null,
    jsonb_build_object(
      'preview', p_preview, 'state', case when is_stopped then 'stopped' else p_state end,
      'error', case when is_stopped then null else p_error end));
  update gate.preview p
  set state = case when is_stopped then 'stopped' else p_state end, error = case when is_stopped then null else p_error end,
    exit_code = p_exit_code, log_tail = p_log_tail, ended_at = clock_timestamp(), link_secret = null
  where p.account_id = p_account and p.preview_id = p_preview
  returning * into ended;
  delete from gate_private.open_preview o where o.preview_id = p_preview;
  perform pg_notify('gate_ended', p_preview);
  return ended;
end $$;
