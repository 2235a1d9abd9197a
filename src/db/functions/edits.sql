-- Version 2 of a proposal: its member changed it before they approved.

-- Makes version 2 and notes it. The ledger head must be locked, the row too, and its confirm follows in the same statement.
-- p_edit: { event, payload, facts, channel, digest, duplicate_of }, payload and facts as canonical JSON. channel: the only one by
-- which recipients are still reached; null: they stay. The digest is that of the card that was shown.
create function gate_private.edit(p_row gate.action, p_edit jsonb, p_actor text) returns gate.action
language plpgsql as $$
declare
  given record;
  made gate.action := p_row;
begin
  select * into given from jsonb_to_record(p_edit) as fields(
    event uuid, payload text, facts text, channel text, digest text, duplicate_of bigint);
  perform gate_private.require_fields(p_edit, to_jsonb(given));
  made.payload := given.payload::json;
  made.facts := given.facts::json;
  made.duplicate_of := given.duplicate_of;
  if given.channel is not null then
    made.recipients := gate_private.keep_channel(made, given.channel);
    made.reach_slack := case when given.channel = 'slack' then made.reach_slack else 0 end;
    made.reach_email := case when given.channel = 'email' then made.reach_email else 0 end;
    made.reach_teams := case when given.channel = 'teams' then made.reach_teams else 0 end;
  end if;
  made.digest := gate_private.action_digest(made, given.payload);
  if made.digest is distinct from given.digest then
    raise exception 'version 2 of action % is not what was shown', p_row.id using errcode = 'check_violation';
  end if;
  perform gate_private.require_narrower(p_row, made);
  made.former := json_build_object(
    'payload', p_row.payload, 'facts', p_row.facts, 'digest', p_row.digest, 'duplicate_of', p_row.duplicate_of,
    'recipients', encode(p_row.recipients, 'hex'), 'reach_slack', p_row.reach_slack, 'reach_email', p_row.reach_email,
    'reach_teams', p_row.reach_teams);
  perform gate_private.append(
    made.account_id, given.event, 'edited', made.id,
    gate_private.entry_tail(p_actor, null, 'edited', jsonb_strip_nulls(jsonb_build_object(
      'former_digest', p_row.digest, 'digest', made.digest, 'duplicate_of', made.duplicate_of,
      'recipients', encode(made.recipients, 'hex'),
      'reach', gate_private.reach_data(made),
      'facts_digest', gate_private.payload_digest(made.salt, made.facts::text),
      'changes', (
        select jsonb_agg(jsonb_build_object(
          'field', c.field, 'from', gate_private.payload_digest(made.salt, c.was::text),
          'to', gate_private.payload_digest(made.salt, c.becomes::text)) order by c.field collate "C")
        from gate_private.changes(p_row.payload, made.payload) c))),
      gate_private.payload_digest(made.salt, given.payload)),
    false);
  update gate.action a set
    payload = made.payload, facts = made.facts, digest = made.digest, duplicate_of = made.duplicate_of, former = made.former,
    recipients = made.recipients, reach_slack = made.reach_slack, reach_email = made.reach_email,
    reach_teams = made.reach_teams
  where a.account_id = made.account_id and a.id = made.id
  returning * into made;
  return made;
end $$;

-- The recipients of an action by one channel, as a set that is stored. Returns its hash.
create function gate_private.keep_channel(p_row gate.action, p_channel text) returns bytea
language sql volatile as $$
  insert into gate.recipient_set as s (account_id, sha256, members, channels, addresses)
  select p_row.account_id, gate_private.recipients_hash(c.members, c.channels, c.addresses), c.members, c.channels, c.addresses
  from gate_private.of_channel(p_row, p_channel) c
  -- A set that was forgotten is needed again.
  on conflict on constraint recipient_set_pkey do update set
    kept_at = clock_timestamp(), forgotten_at = null,
    members = excluded.members, channels = excluded.channels, addresses = excluded.addresses
  returning s.sha256
$$;

-- The frozen recipients of an action by one channel, in their order. No row where they were changed.
create function gate_private.of_channel(
  p_row gate.action, p_channel text, out members text[], out channels text[], out addresses text[]
) returns setof record
language sql stable as $$
  select array_agg(r.member order by r.n), array_agg(r.channel order by r.n), array_agg(r.address order by r.n)
  from gate.recipient_set s
  cross join lateral unnest(s.members, s.channels, s.addresses) with ordinality r(member, channel, address, n)
  where s.account_id = p_row.account_id and s.sha256 = p_row.recipients and r.channel = p_channel
    and gate_private.recipients_hash(s.members, s.channels, s.addresses) = s.sha256
  having count(*) > 0
$$;

-- The fields that differ between two payloads, with their texts. Null: the payload does not have it.
create function gate_private.changes(p_was json, p_becomes json) returns table (field text, was json, becomes json)
language sql immutable as $$
  select coalesce(w.key, b.key), w.value, b.value
  from json_each(p_was) w
  full join json_each(p_becomes) b on b.key = w.key
  where w.value::text is distinct from b.value::text
$$;

-- Refuses a version 2 that does more than version 1: only what its kind lets a member change may differ, an amount only downwards,
-- and the recipients only become fewer. The program refuses it before, with a reason for people.
create function gate_private.require_narrower(p_row gate.action, p_made gate.action) returns void
language plpgsql as $$
declare
  was jsonb := p_row.payload::jsonb;
  becomes jsonb := p_made.payload::jsonb;
  amount_at text[] := string_to_array(substr(gate_private.lowered_at(p_row), 2), '/');
  field_at text[];
  wrong text;
begin
  if amount_at is not null and was #> amount_at is distinct from becomes #> amount_at
    and not coalesce(
      becomes #>> amount_at ~ '^[1-9][0-9]{0,10}$' and (becomes #>> amount_at)::bigint < (was #>> amount_at)::bigint, false)
  then
    wrong := 'the amount';
  end if;
  for field_at in select string_to_array(substr(e, 2), '/') from unnest(gate_private.editable_of(p_row)) e loop
    if jsonb_typeof(was #> field_at) <> jsonb_typeof(becomes #> field_at) then
      wrong := array_to_string(field_at, '.');
    end if;
    was := gate_private.without_field(was, field_at);
    becomes := gate_private.without_field(becomes, field_at);
  end loop;
  wrong := case
    when p_row.former is not null then 'it was changed before'
    when p_row.payload::text = p_made.payload::text and p_row.recipients is not distinct from p_made.recipients then 'nothing'
    when was <> becomes then 'other fields'
    when (p_made.recipients is null) <> (p_row.recipients is null) or p_made.reach_unreachable <> p_row.reach_unreachable
      or p_made.reach_slack > p_row.reach_slack or p_made.reach_email > p_row.reach_email
      or p_made.reach_teams > p_row.reach_teams then 'recipients'
    else wrong
  end;
  if wrong is not null then
    raise exception 'action % cannot be changed like this: %', p_row.id, wrong using errcode = 'check_violation';
  end if;
end $$;

-- A JSON object without a field, and without the objects around it that have no other.
create function gate_private.without_field(p_value jsonb, p_at text[]) returns jsonb
language plpgsql immutable as $$
declare
  left_of jsonb := p_value #- p_at;
  place text[] := trim_array(p_at, 1);
begin
  while cardinality(place) > 0 and left_of #> place = '{}' loop
    left_of := left_of #- place;
    place := trim_array(place, 1);
  end loop;
  return left_of;
end $$;

-- What a member may change of an action, as JSON Pointers into its payload: see `editable` of its kind.
create function gate_private.editable_of(p_row gate.action) returns text[]
language sql stable as $$
  select case
    when p_row.kind_version is not null then array(
      select e from gate.kind k cross join json_array_elements_text(k.document -> 'editable') e
      where k.account_id = p_row.account_id and k.kind = p_row.kind and k.version = p_row.kind_version)
    when p_row.kind = 'broadcast' then array['/message']
    when p_row.kind in ('refund', 'payout') then array['/amount_cents']
    when p_row.kind = 'upstream_tool' then array(
      select '/arguments' || e from json_array_elements_text(p_row.payload -> 'editable') e)
    else '{}'
  end
$$;

-- Where the payload has the amount that a member may lower. Null: nowhere.
create function gate_private.lowered_at(p_row gate.action) returns text
language sql stable as $$
  select case
    when p_row.kind_version is not null then (
      select k.document #>> '{amount,cents}' from gate.kind k
      where k.account_id = p_row.account_id and k.kind = p_row.kind and k.version = p_row.kind_version)
    when p_row.kind in ('refund', 'payout') then '/amount_cents'
  end
$$;

-- What is read for version 2 of an action: the hash of its recipients, and what it would repeat. p_channel: see gate_private.edit.
create function gate.look_at_edit(
  p_account text, p_id bigint, p_payload text, p_channel text, out recipients bytea, out duplicate_of bigint
)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  action gate.action;
begin
  perform gate.tenant(p_account);
  select * into action from gate.action a where a.account_id = p_account and a.id = p_id;
  recipients := gate_private.recipients_of_edit(action, p_channel);
  duplicate_of := gate_private.duplicate_of(p_account, action.member_id, action.kind, p_payload, recipients);
end $$;

-- The hash of the recipients of version 2. Null: it reaches no member.
create function gate_private.recipients_of_edit(p_row gate.action, p_channel text) returns bytea
language sql stable as $$
  select case when p_channel is null then p_row.recipients else (
    select gate_private.recipients_hash(c.members, c.channels, c.addresses) from gate_private.of_channel(p_row, p_channel) c) end
$$;
