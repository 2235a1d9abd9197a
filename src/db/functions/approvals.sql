-- Approvals: the consent of the member who acts, and those of others that a rule asks for beside it.

-- Why an approval cannot be taken now: lost, early, stale; or null. Before anything is used up. The ledger head must be locked.
-- p_digest: of what is approved. p_voter: who approves. p_voters: [{member, version, counts}] of everybody whose approval was seen, p_voter included, as they were judged.
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
        where (g ->> 'counts')::boolean and m.version is distinct from (g ->> 'version')::bigint)
    then 'stale'
  end
$$;

-- Whether a member is one of those whom the rule of an action names, at whatever time. Whether their tier suffices, and whether a
-- fallback or an escalation applies, was judged before, on a version of the member that is checked. The tenant must be set.
create function gate_private.may_approve(p_row gate.action, p_member text) returns boolean
language sql stable as $$
  select p_member <> p_row.member_id
    and gate_private.person_of(p_row.account_id, p_member) <> gate_private.person_of(p_row.account_id, p_row.member_id)
    and exists (
      select from gate.member m where m.account_id = p_row.account_id and m.member_id = p_member and m.is_active)
    and exists (
      select from unnest(array['from', 'fallback', 'escalate_to']) source(name),
        lateral (select p_row.approval_rule::jsonb -> source.name as named) s
      where s.named ->> 'tier' is not null
        or s.named -> 'members' @> to_jsonb(p_member)
        or exists (
          select from gate.group_membership g
          where g.account_id = p_row.account_id and g.group_id = s.named ->> 'group' and g.member_id = p_member
            and (g.counts_from is null or g.counts_from <= clock_timestamp())))
$$;

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
  made gate.approval;
  of_member gate.approval;
  given_now integer;
begin
  if own and repeated then
    return null;
  end if;
  if not own and (
    not gate_private.may_approve(p_row, p_voter)
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
  made.is_own := own;
  made.digest := p_row.digest;
  made.strength := p_given ->> 'strength';
  made.channel := p_given ->> 'channel';
  made.card := (p_given ->> 'card')::bytea;
  made.passkey := p_signed;
  made.key_id := p_key;
  made.reason := case when not own then p_given ->> 'reason' end;
  made.command_id := (p_given ->> 'command')::uuid;
  select count(distinct gate_private.person_of(p_row.account_id, g.member)) into given_now
  from (
    select v.member_id from gate.approval v
    where v.account_id = p_row.account_id and v.action_id = p_row.id and v.digest = p_row.digest and not v.is_own
      and v.ended_at is null
    union
    select p_voter where not own
  ) g(member)
  where gate_private.may_approve(p_row, g.member)
    and coalesce(p_given -> 'voters', '[]') @> jsonb_build_array(jsonb_build_object('member', g.member, 'counts', true));
  if not repeated then
    made.at := gate_private.note_change(
      p_row.account_id, gate_private.approval_event(p_row.uuid, made.n), 'approved', p_row.id, p_voter, p_key,
      jsonb_strip_nulls(jsonb_build_object(
        'by', case when own then 'member' else 'approver' end, 'digest', made.digest, 'strength', made.strength,
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
      or ask.member <> action.member_id and not gate_private.may_approve(action, ask.member);
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
