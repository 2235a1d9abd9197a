-- Delegations of approvals. p_session and p_event: see accounts.sql.

-- Starts a delegation of the member of a session: nobody else can start it for them. p_given: see below; kinds null for all.
-- Returns started (also on a repeat of the event), unsettled (their sign-in was changed recently), missing (no such active member),
-- same_person, or too_many (theirs, or of their deputy).
create function gate.start_delegation(p_account text, p_session bytea, p_given jsonb) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  given record;
  holder record;
  started gate.delegation;
begin
  select * into given from jsonb_to_record(p_given) as fields(
    event uuid, delegation text, deputy text, kinds text[], until timestamptz, reason text, given_max integer, held_max integer);
  perform gate_private.require_fields(p_given, to_jsonb(given));
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  holder := gate_private.require_session(p_account, p_session);
  if holder.member_id is null then
    raise exception 'the session is not of a member' using errcode = 'GA403', detail = 'member';
  elsif gate_private.is_noted(p_account, given.event) then
    return 'started';
  elsif gate_private.session_cap(p_account, holder.member_id, p_session) is not null then
    return 'unsettled';
  elsif not gate_private.is_active_member(p_account, given.deputy) then
    return 'missing';
  elsif gate_private.person_of(p_account, given.deputy) = gate_private.person_of(p_account, holder.member_id) then
    return 'same_person';
  elsif given.given_max <= (
    select count(*) from gate.delegation d
    where d.account_id = p_account and d.from_member = holder.member_id and gate_private.is_in_force(d)
  ) or given.held_max <= (
    select count(*) from gate.delegation d
    where d.account_id = p_account and d.to_member = given.deputy and gate_private.is_in_force(d)
  ) then
    return 'too_many';
  end if;
  insert into gate.delegation (account_id, delegation_id, from_member, to_member, kinds, until, reason, created_at)
  values (
    p_account, given.delegation, holder.member_id, given.deputy, given.kinds, date_trunc('milliseconds', given.until), given.reason,
    date_trunc('milliseconds', clock_timestamp()))
  returning * into started;
  insert into gate_private.member_notice_due (account_id, about, subject, member_id, due_at)
  select p_account, told.about, started.delegation_id, person.id, told.at
  from (values ('delegation_start', started.created_at), ('delegation_end', started.until)) told(about, at),
    (values (started.from_member), (started.to_member)) person(id);
  perform gate_private.note_change(
    p_account, given.event, 'delegation_started', null, holder.member_id, null, gate_private.delegation_data(started));
  return 'started';
end $$;

-- What an entry says of a delegation.
create function gate_private.delegation_data(p_delegation gate.delegation) returns jsonb
language sql stable
return jsonb_build_object(
  'delegation', p_delegation.delegation_id, 'from', p_delegation.from_member, 'to', p_delegation.to_member,
  'kinds', p_delegation.kinds, 'until', gate_private.iso(p_delegation.until),
  'reason_digest', encode(sha256(convert_to(p_delegation.delegation_id || ' ' || p_delegation.reason, 'UTF8')), 'hex'));

create function gate_private.is_in_force(p_delegation gate.delegation) returns boolean
language sql stable
return p_delegation.ended_at is null and p_delegation.until > clock_timestamp();

-- Whether a member is the deputy of another one for a kind of action, now. The tenant must be set.
create function gate_private.is_deputy(p_account text, p_deputy text, p_for text, p_kind text) returns boolean
language sql stable as $$
  select exists (
    select from gate.delegation d
    where d.account_id = p_account and d.to_member = p_deputy and d.from_member = p_for
      and (d.kinds is null or p_kind = any (d.kinds)) and gate_private.is_in_force(d))
$$;

-- Ends a delegation: for either of the two by their session, or for an administrator. Returns ended (also on a repeat, and of one that
-- ended before), or missing.
create function gate.end_delegation(p_account text, p_session bytea, p_delegation text, p_event uuid) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  holder record;
  holds_member text;
  holds_admin text;
  known gate.delegation;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  if exists (select from gate_private.session s where s.token = p_session) then
    holder := gate_private.require_session(p_account, p_session);
    holds_member := holder.member_id;
    holds_admin := holder.admin_id;
  end if;
  select * into known from gate.delegation d where d.account_id = p_account and d.delegation_id = p_delegation;
  if holds_member in (known.from_member, known.to_member) then
    perform gate_private.end_delegation(
      known, holds_member, case holds_member when known.from_member then 'withdrawn' else 'declined' end, p_event);
  elsif holds_member is not null and holds_admin is null then
    return 'missing';
  else
    perform gate_private.end_delegation(
      known, gate_private.require_admin(p_account, p_session, 'members.write'), 'administrator', p_event);
  end if;
  return case when known.delegation_id is null then 'missing' else 'ended' end;
end $$;

-- Ends a delegation that is in force. p_reason: for the entry. The ledger head must be locked.
create function gate_private.end_delegation(p_delegation gate.delegation, p_actor text, p_reason text, p_event uuid) returns void
language plpgsql as $$
declare
  ended gate.delegation;
begin
  update gate.delegation d set ended_at = clock_timestamp(), ended_by = p_actor
  where d.account_id = p_delegation.account_id and d.delegation_id = p_delegation.delegation_id and gate_private.is_in_force(d)
  returning * into ended;
  if not found then
    return;
  end if;
  update gate_private.member_notice_due n set due_at = ended.ended_at
  where n.account_id = ended.account_id and n.about = 'delegation_end' and n.subject = ended.delegation_id;
  perform gate_private.note_change(
    ended.account_id, p_event, 'delegation_ended', null, p_actor, null,
    jsonb_build_object('delegation', ended.delegation_id, 'reason', p_reason));
end $$;
