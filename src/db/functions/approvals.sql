-- Approvals: the consent of the member who acts, and those of others that a rule asks for beside it.

-- Why an approval cannot be taken now: lost, early, stale; or null. Before anything is used up. The ledger head must be locked.
-- p_digest: of what is approved. p_voter: who approves. p_voters: [{member, version, counts, for}] of everybody whose approval was seen, p_voter
-- included, as they were judged; for: whose deputy they are.
create function gate_private.approval_obstacle(p_row gate.action, p_voter text, p_voters jsonb, p_digest text) returns text
language sql stable as $$
  select case
    when p_voter <> p_row.member_id and p_row.consented_at is null then 'lost'
    when p_voter <> p_row.member_id and p_row.created_at + coalesce((p_row.approval_rule ->> 'not_before_minutes')::bigint, 0) * interval '1 minute' > clock_timestamp()
      then 'early'
    when exists (
      select from gate.approval v
      where v.account_id = p_row.account_id and v.action_id = p_row.id and v.digest = p_digest and not v.is_own and v.ended_at is null
        and not coalesce(p_voters, '[]') @> jsonb_build_array(jsonb_build_object('member', v.member_id)))
      or exists (
        select from jsonb_array_elements(coalesce(p_voters, '[]')) g
        left join gate.member m on m.account_id = p_row.account_id and m.member_id = g ->> 'member'
        where (g ->> 'counts')::boolean and (
          m.version is distinct from (g ->> 'version')::bigint
          -- The delegation ended meanwhile.
          or g ->> 'for' is not null and not gate_private.is_deputy(p_row.account_id, g ->> 'member', g ->> 'for', p_row.kind)))
    then 'stale'
  end
$$;

-- Whether a member is one of those whom the rule of an action names, at whatever time, or the deputy of one (p_for). Whether their tier
-- suffices, and whether a fallback or an escalation applies, was judged before, on a version of the member that is checked. A tier is
-- earned, so nobody has it as a deputy. The tenant must be set.
create function gate_private.may_approve(p_row gate.action, p_member text, p_for text default null) returns boolean
language sql stable as $$
  select not gate_private.is_barred(p_row, p_member)
    and not gate_private.is_barred(p_row, coalesce(p_for, p_member))
    and gate_private.is_active_member(p_row.account_id, p_member)
    and (p_for is null or gate_private.is_active_member(p_row.account_id, p_for)
      and gate_private.is_deputy(p_row.account_id, p_member, p_for, p_row.kind))
    and exists (
      select from unnest(array['from', 'fallback', 'escalate_to']) source(name),
        lateral (select p_row.approval_rule::jsonb -> source.name as named) s
      where s.named ->> 'tier' is not null and p_for is null
        or s.named -> 'members' @> to_jsonb(coalesce(p_for, p_member))
        or exists (
          select from gate.group_membership g
          where g.account_id = p_row.account_id and g.group_id = s.named ->> 'group' and g.member_id = coalesce(p_for, p_member)
            and (g.counts_from is null or g.counts_from <= clock_timestamp())))
$$;

-- Whether a member is kept from approving, under whatever name: the one who acts, and those whom its agent is for where the rule says so.
create function gate_private.is_barred(p_row gate.action, p_member text) returns boolean
language sql stable as $$
  select exists (
    select from (
      select p_row.member_id
      union all
      select unnest(k.actors) from gate.api_key k
      where k.account_id = p_row.account_id and k.key_id = p_row.proposed_key
        and p_row.approval_rule::jsonb -> 'distinct_from' @> '["agent_owner"]'
    ) barred(id)
    where p_member = barred.id
      or gate_private.person_of(p_row.account_id, p_member) = gate_private.person_of(p_row.account_id, barred.id))
$$;

-- The same as `may_approve`, for themselves or for anybody whose deputy they are.
create function gate_private.may_be_asked(p_row gate.action, p_member text) returns boolean
language sql stable as $$
  select gate_private.may_approve(p_row, p_member) or exists (
    select from gate.delegation d
    where d.account_id = p_row.account_id and d.to_member = p_member and d.ended_at is null
      and gate_private.may_approve(p_row, p_member, d.from_member))
$$;

-- The approvals that count now, with one that is being given: [{member, for}], in their order. Of a deputy and the one they approve for,
-- whoever came first counts, for both.
create function gate_private.approvals_counted(p_row gate.action, p_voters jsonb, p_voter text, p_for text) returns jsonb
language plpgsql stable as $$
declare
  one record;
  seat text;
  people text[] := '{}';
  own_people text[];
  counted jsonb := '[]';
begin
  for one in
    select g.member, g.of_member from (
      select v.member_id, v.for_member, v.n from gate.approval v
      where v.account_id = p_row.account_id and v.action_id = p_row.id and v.digest = p_row.digest and not v.is_own
        and v.ended_at is null
      union all
      select p_voter, p_for, 1000000000 where p_voter is not null and not exists (
        select from gate.approval v
        where v.account_id = p_row.account_id and v.action_id = p_row.id and v.digest = p_row.digest and v.member_id = p_voter
          and v.ended_at is null)
    ) g(member, of_member, n)
    where coalesce(p_voters, '[]') @> jsonb_build_array(jsonb_build_object('member', g.member, 'counts', true))
    order by g.n
  loop
    -- Who was a deputy and is an approver now counts as that.
    seat := case when gate_private.may_approve(p_row, one.member, one.of_member) then one.of_member end;
    continue when seat is null and not gate_private.may_approve(p_row, one.member);
    own_people := array[
      gate_private.person_of(p_row.account_id, one.member),
      gate_private.person_of(p_row.account_id, coalesce(seat, one.member))];
    continue when people && own_people;
    people := people || own_people;
    counted := counted || jsonb_strip_nulls(jsonb_build_array(jsonb_build_object('member', one.member, 'for', seat)));
  end loop;
  return counted;
end $$;

-- The same of an action as it is stored, for what is shown of it. p_voters: those who approved it, as they were judged.
create function gate.approvals_counted(p_account text, p_id bigint, p_voters jsonb) returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  return (
    select gate_private.approvals_counted(a, p_voters, null, null) from gate.action a
    where a.account_id = p_account and a.id = p_id);
end $$;

-- Names a person: two members with one mailbox, but for what follows a plus sign, are one.
create function gate_private.person_of(p_account text, p_member text) returns text
language sql stable as $$
  select coalesce(regexp_replace(lower(m.email), '\+[^@]*@', '@'), m.member_id)
  from gate.member m where m.account_id = p_account and m.member_id = p_member
$$;

-- Takes a consent or an approval, with its entry. One that was taken before stays as it is. Returns the approval of the member who
-- acts where no other is needed, also on a repeat: the claim goes on with it; else null. The row must be locked, and so the ledger head.
-- p_given: the claim. p_signed: evidence of a passkey.
create function gate_private.take_approval(
  p_row gate.action, p_voter text, p_given jsonb, p_key text, p_age_hours integer, p_signed json
) returns gate.approval
language plpgsql as $$
declare
  own constant boolean := p_voter = p_row.member_id;
  needed constant integer := (p_row.approval_rule ->> 'needed')::integer;
  repeated constant boolean := exists (
    select from gate.approval v
    where v.account_id = p_row.account_id and v.action_id = p_row.id and v.digest = p_row.digest and v.member_id = p_voter
      and v.ended_at is null);
  -- For whom a deputy approves.
  seat constant text := gate_private.seat_of(p_given -> 'voters', p_voter);
  made gate.approval;
  of_member gate.approval;
  counted jsonb;
  given_now integer;
begin
  if own and repeated then
    return null;
  end if;
  if not own and (
    not gate_private.may_approve(p_row, p_voter, seat)
    or not gate_private.is_within(p_row.approval_rule ->> 'min_strength', p_given ->> 'strength')
    or not coalesce(p_given -> 'voters', '[]') @> jsonb_build_array(jsonb_build_object('member', p_voter, 'counts', true))
    or (p_row.approval_rule ->> 'reason_required')::boolean and p_given ->> 'reason' is null)
  then
    raise exception 'member % cannot approve action %', p_voter, p_row.id using errcode = 'GA403', detail = 'member';
  end if;
  made.account_id := p_row.account_id;
  made.action_id := p_row.id;
  made.n := 1 + (
    select count(*) from gate.approval v where v.account_id = p_row.account_id and v.action_id = p_row.id);
  made.member_id := p_voter;
  made.for_member := case when not own then seat end;
  made.is_own := own;
  made.digest := p_row.digest;
  made.strength := p_given ->> 'strength';
  made.channel := p_given ->> 'channel';
  made.card := (p_given ->> 'card')::bytea;
  made.passkey := p_signed;
  made.key_id := p_key;
  made.reason := case when not own then p_given ->> 'reason' end;
  made.command_id := (p_given ->> 'command')::uuid;
  counted := gate_private.approvals_counted(p_row, p_given -> 'voters', case when not own then p_voter end, seat);
  given_now := jsonb_array_length(counted);
  if not repeated then
    made.at := gate_private.note_change(
      p_row.account_id, gate_private.approval_event(p_row.uuid, made.n), 'approved', p_row.id, p_voter, p_key,
      jsonb_strip_nulls(jsonb_build_object(
        'by', case when own then 'member' else 'approver' end, 'for', made.for_member, 'digest', made.digest, 'strength', made.strength,
        'channel', made.channel, 'card', encode(made.card, 'hex'), 'mailbox_age_hours', p_age_hours, 'passkey', p_signed,
        'given', given_now, 'needed', needed,
        'reason_digest', gate_private.payload_digest(p_row.salt, to_json(made.reason)::text))));
    insert into gate.approval select made.*;
  end if;
  select * into of_member from gate.approval v
  where v.account_id = p_row.account_id and v.action_id = p_row.id and v.digest = p_row.digest and v.is_own and v.ended_at is null;
  -- After a change by somebody else, the member consents again.
  update gate.action a set consented_at = of_member.at, approvals_given = given_now
  where a.account_id = p_row.account_id and a.id = p_row.id;
  if of_member.n is null or given_now < needed then
    update gate_private.open_action o
    set wake = 'ask', due_at = clock_timestamp() + (p_given ->> 'due_ms')::integer * interval '1 millisecond'
    where o.uuid = p_row.uuid;
    return null;
  end if;
  return of_member;
end $$;

-- Whose deputy somebody was judged to be; null: nobody's.
create function gate_private.seat_of(p_voters jsonb, p_voter text) returns text
language sql immutable as $$
  select g ->> 'for' from jsonb_array_elements(p_voters) g where g ->> 'member' = p_voter limit 1
$$;

-- The id of the entry of an approval.
create function gate_private.approval_event(p_uuid uuid, p_n integer) returns uuid
language sql immutable
return encode(substring(sha256(convert_to(p_uuid::text || ' approved ' || p_n, 'UTF8')) for 16), 'hex')::uuid;

-- Asks approvers of an action whose member consented, each once, and reminds each once. p_asks: [{event, member, via, address, required,
-- token, token_hash, is_reminder}]. One who approved it as it is now is not asked, and neither is one who had hour_max requests within
-- an hour, about all actions: they find it where they sign in. Returns how many were asked.
create function gate.ask_approvers(p_account text, p_id bigint, p_asks jsonb, p_hour_max integer) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  action gate.action;
  ask record;
  new_at timestamptz;
  asked integer := 0;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  select * into action from gate.action a where a.account_id = p_account and a.id = p_id for update;
  if action.status is distinct from 'proposed' or action.decision is not null or action.approval_rule is null
    or action.expires_at <= clock_timestamp()
  then
    return 0;
  end if;
  for ask in
    select given.* from jsonb_to_recordset(p_asks) given(
      event uuid, member text, via text, address text, required text, token text, token_hash bytea, is_reminder boolean)
  loop
    continue when gate_private.is_noted(p_account, ask.event)
      or exists (
        select from gate.approval v
        where v.account_id = p_account and v.action_id = p_id and v.digest = action.digest and v.member_id = ask.member
          and v.ended_at is null)
      or p_hour_max <= (
        select count(*) from gate.consent_request q
        where q.account_id = p_account and q.member_id = ask.member and q.created_at > clock_timestamp() - interval '1 hour');
    -- The member who acts is asked again after somebody else changed it; the others once they consented.
    continue when (ask.member = action.member_id) <> (action.consented_at is null)
      or ask.member <> action.member_id and not gate_private.may_be_asked(action, ask.member);
    new_at := gate_private.note(
      p_account, ask.event, 'consent_requested', p_id, 'system', null,
      jsonb_strip_nulls(jsonb_build_object(
        'required', ask.required, 'via', ask.via, 'approver', ask.member, 'is_reminder', case when ask.is_reminder then true end,
        'address_digest', gate_private.text_digest(action.uuid, ask.address))));
    perform gate_private.add_request_to(
      action, ask.member, ask.is_reminder, ask.required, ask.via, ask.address, ask.token, ask.token_hash, new_at, null);
    asked := asked + 1;
  end loop;
  return asked;
end $$;
