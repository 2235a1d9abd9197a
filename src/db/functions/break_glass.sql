-- Break-glass: one named member in place of those whom a rule asks for, and the review of that. p_session: see accounts.sql.

-- Whether a member is named for it, and not barred from approving. No deputy is. Who approves rules has nobody in their place. The tenant must be set.
create function gate_private.may_break_glass(p_row gate.action, p_member text) returns boolean
language sql stable as $$
  select p_row.approval_rule::jsonb -> 'break_glass' -> 'members' @> to_jsonb(p_member)
    and p_row.kind <> 'change_approval_rule'
    and gate_private.is_active_member(p_row.account_id, p_member)
    and not gate_private.is_barred(p_row, p_member)
$$;

-- How many characters of a text a reader sees, with one space where there are several, or what has no glyph.
create function gate_private.seen_length(p_text text) returns integer
language sql immutable
return length(btrim(regexp_replace(
  p_text,
  '[\s\u0001-\u001f\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0]+',
  ' ', 'g')));

-- Takes it, with its entry, and has those told whom p_given names. Returns the consent of the member who acts: the claim goes on with
-- it. The row must be locked, and so the ledger head. p_given: the claim. p_signed: evidence of a passkey.
create function gate_private.break_glass(p_row gate.action, p_voter text, p_given jsonb, p_age_hours integer, p_signed json)
returns gate.approval
language plpgsql as $$
declare
  consent gate.approval;
  made gate.glass_break;
begin
  select * into consent from gate.approval v
  where v.account_id = p_row.account_id and v.action_id = p_row.id and v.digest = p_row.digest and v.is_own and v.ended_at is null;
  if not found or not coalesce(gate_private.may_break_glass(p_row, p_voter), false) or p_signed is null
    or p_given ->> 'strength' is distinct from 'passkey' or gate_private.seen_length(coalesce(p_given ->> 'reason', '')) < 20
  then
    raise exception 'member % cannot break the glass of action %', p_voter, p_row.id using errcode = 'GA403', detail = 'member';
  end if;
  made.account_id := p_row.account_id;
  made.action_id := p_row.id;
  made.member_id := p_voter;
  made.digest := p_row.digest;
  made.channel := p_given ->> 'channel';
  made.card := (p_given ->> 'card')::bytea;
  made.passkey := p_signed;
  made.reason := p_given ->> 'reason';
  made.review_due_at := date_trunc('milliseconds', clock_timestamp())
    + (p_row.approval_rule::jsonb -> 'break_glass' ->> 'review_within_hours')::integer * interval '1 hour';
  made.at := gate_private.note_change(
    p_row.account_id, gate_private.glass_event(p_row.uuid), 'glass_broken', p_row.id, p_voter, null,
    jsonb_strip_nulls(jsonb_build_object(
      'digest', made.digest, 'strength', 'passkey', 'channel', made.channel, 'card', encode(made.card, 'hex'),
      'mailbox_age_hours', p_age_hours, 'passkey', p_signed,
      'given', jsonb_array_length(gate_private.approvals_counted(p_row, p_given -> 'voters', null, null)),
      'needed', (p_row.approval_rule ->> 'needed')::integer, 'review_due_at', gate_private.iso(made.review_due_at),
      'reason_digest', gate_private.payload_digest(p_row.salt, to_json(made.reason)::text))));
  insert into gate.glass_break select made.*;
  update gate.action a set approvals_given = jsonb_array_length(gate_private.approvals_counted(p_row, p_given -> 'voters', null, null))
  where a.account_id = p_row.account_id and a.id = p_row.id;
  insert into gate_private.member_notice_due (account_id, about, subject, member_id, due_at)
  select p_row.account_id, 'glass_break', p_row.id::text, told.id, clock_timestamp()
  from (select distinct jsonb_array_elements_text(p_given -> 'glass' -> 'tell')) told(id)
  where gate_private.is_active_member(p_row.account_id, told.id) and told.id <> p_voter;
  return consent;
end $$;

-- The id of its entry.
create function gate_private.glass_event(p_uuid uuid) returns uuid
language sql immutable
return encode(substring(sha256(convert_to(p_uuid::text || ' glass broken', 'UTF8')) for 16), 'hex')::uuid;

-- Reviews one: somebody whom the rule names, or an administrator; neither who broke it nor who acted. p_given: {event, id, is_justified,
-- note}. Whether a tier suffices was judged before. Returns reviewed (also on a repeat), missing, done (somebody else did), forbidden.
create function gate.review_glass_break(p_account text, p_session bytea, p_given jsonb) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  given record;
  holder record;
  action gate.action;
  broken gate.glass_break;
  persons text[];
  actor text;
begin
  select * into given from jsonb_to_record(p_given) as fields(event uuid, id bigint, is_justified boolean, note text);
  perform gate_private.require_fields(p_given, to_jsonb(given));
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  holder := gate_private.require_session(p_account, p_session);
  select * into broken from gate.glass_break b where b.account_id = p_account and b.action_id = given.id for update;
  if not found then
    return 'missing';
  elsif gate_private.is_noted(p_account, given.event) then
    return 'reviewed';
  elsif broken.reviewed_at is not null then
    return 'done';
  end if;
  select * into action from gate.action a where a.account_id = p_account and a.id = given.id;
  persons := array[gate_private.person_of(p_account, broken.member_id), gate_private.person_of(p_account, action.member_id)];
  if holder.member_id is not null and gate_private.person_of(p_account, holder.member_id) = any (persons)
    or exists (
      select from gate.admin d
      where d.account_id = p_account and d.admin_id = holder.admin_id
        and regexp_replace(lower(d.email), '\+[^@]*@', '@') = any (persons))
  then
    return 'forbidden';
  elsif holder.member_id is not null and gate_private.may_approve(action, holder.member_id) then
    actor := holder.member_id;
  elsif holder.admin_id is not null then
    actor := gate_private.require_admin(p_account, p_session, 'actions.write');
  else
    return 'forbidden';
  end if;
  update gate.glass_break b set
    is_justified = given.is_justified, note = given.note, reviewed_by = actor,
    reviewed_at = gate_private.note_change(
      p_account, given.event, 'glass_reviewed', given.id, actor, null,
      jsonb_build_object(
        'is_justified', given.is_justified, 'note_digest', gate_private.payload_digest(action.salt, to_json(given.note)::text)))
  where b.account_id = p_account and b.action_id = given.id;
  return 'reviewed';
end $$;
