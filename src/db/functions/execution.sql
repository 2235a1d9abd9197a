-- Executing a confirmed action: its begin, its end, and erasing its payload.

-- Reads the decision and, if it is a confirm, marks the execution as begun, once. p_late_ok false: a confirm past its expiry
-- is not begun, so that tier and policy are checked again first. p_uuid: see claim_decision.
-- outcome: missing, waiting, closed, late, begun. With begun: the names of the proposer and the account, the version of the
-- integrations; was_begun: whether there is a record of something that was begun; has_its_recipients: false where the set of its
-- recipients was changed before they were written to its deliveries.
create function gate.begin_execution(
  p_account text, p_id bigint, p_late_ok boolean, p_uuid uuid default null,
  out outcome text, out action gate.action, out proposer_name text, out account_name text, out integrations_version bigint,
  out was_begun boolean, out has_its_recipients boolean
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account), gate_private.commit_behind();
  select * into action from gate.action a
  where a.account_id = p_account and a.id = p_id and (p_uuid is null or a.uuid = p_uuid)
  for update;
  outcome := case
    when action.id is null then 'missing'
    when action.status <> 'proposed' then 'closed'
    when action.decision is null then 'waiting'
    when action.begun_at is null and action.expires_at <= clock_timestamp() and not p_late_ok then 'late'
    else 'begun'
  end;
  if outcome = 'begun' then
    was_begun := action.begun_at is not null and (
      exists (select from gate.delivery d where d.account_id = p_account and d.action_id = p_id)
      or exists (select from gate.provider_call c where c.account_id = p_account and c.action_id = p_id)
      or exists (select from gate.executor_call c where c.account_id = p_account and c.action_id = p_id)
      or exists (select from gate.claim c where c.account_id = p_account and c.action_id = p_id)
      or exists (
        select from gate.integration i
        where i.account_id = p_account and i.action_id = p_id and i.state <> 'pending'));
    if action.begun_at is null then
      update gate.action a set begun_at = clock_timestamp()
      where a.account_id = p_account and a.id = p_id
      returning * into action;
    end if;
    select m.name, c.name, c.integrations_version into proposer_name, account_name, integrations_version
    from gate.member m
    join gate.account c on c.account_id = m.account_id
    where m.account_id = p_account and m.member_id = action.member_id;
    has_its_recipients := action.recipients is null or was_begun or exists (
      select from gate.recipient_set s
      where s.account_id = p_account and s.sha256 = action.recipients
        and gate_private.recipients_hash(s.members, s.channels, s.addresses) = s.sha256);
  end if;
  if outcome = 'closed' then
    delete from gate_private.open_action o where o.uuid = action.uuid;
  end if;
end $$;

-- Ends a confirmed action. p_status: executed, or cancelled if the provider refused and nothing was done.
-- p_delivered_*: steps that were not noted yet, which go before the end. p_records: see record_slices; null where all is
-- recorded, and what waits of a broadcast has failed. p_uuid: see claim_decision. outcome: finished, ended (a repeat answers the action
-- as it ended), missing, moved (the records do not fit, or the result counts other deliveries than there are: nothing is done).
create function gate.finish_action(
  p_account text, p_id bigint, p_status text, p_result text, p_closed_reason text, p_event uuid,
  p_delivered_events uuid[], p_delivered_steps text[], p_records jsonb default null, p_uuid uuid default null,
  out outcome text, out action gate.action
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  ended_at timestamptz;
begin
  if (p_status = 'executed' and p_closed_reason is null or p_status = 'cancelled') is not true
    or p_result::jsonb ? 'closed_reason'
  then
    raise exception 'an action does not end as % like that', p_status using errcode = 'check_violation';
  end if;
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  select * into action from gate.action a
  where a.account_id = p_account and a.id = p_id and (p_uuid is null or a.uuid = p_uuid)
  for update;
  if not found then
    outcome := 'missing';
    return;
  end if;
  if action.status <> 'proposed' then
    outcome := 'ended';
    delete from gate_private.open_action o where o.uuid = action.uuid;
    return;
  end if;
  if action.decision is distinct from 'confirm' then
    raise exception 'action % was not confirmed', p_id using errcode = 'check_violation';
  end if;
  if not (case
    when p_records is not null then gate_private.record_slices(p_account, p_id, p_records)
    when action.recipients is null then true
    else gate_private.settle_slices(p_account, p_id, p_result::jsonb) end)
  then
    outcome := 'moved';
    return;
  end if;
  perform gate_private.note(
    p_account, u.event, 'delivered', p_id, 'system', null, gate_private.delivered_data(p_account, p_id, u.step))
  from unnest(p_delivered_events, p_delivered_steps) u(event, step);
  ended_at := gate_private.note_change(
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

-- Erases the payload of an action that has ended, with its copies in messages and calls, and the texts beside it. The entry keeps a digest, which
-- cannot be checked without the salt. outcome: erased (also on a repeat), missing, open, counting (the amount counts towards
-- limits for 24 hours after the confirm), empty (there is no payload).
create function gate.erase_payload(
  p_account text, p_session bytea, p_id bigint, p_reason text, p_event uuid,
  out outcome text, out action gate.action
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session, 'actions.erase');
  select * into action from gate.action a where a.account_id = p_account and a.id = p_id for update;
  outcome := case
    when not found then 'missing'
    when gate_private.is_noted(p_account, p_event) then 'erased'
    when action.status = 'proposed' then 'open'
    when gate_private.counts_still(action) then 'counting'
    when action.salt is null then 'empty'
  end;
  if outcome is not null then
    return;
  end if;
  action := gate_private.erase_action(p_account, p_id, p_reason, actor, p_event);
  outcome := 'erased';
end $$;

-- Whether the amount of an action counts towards limits.
create function gate_private.counts_still(p_action gate.action) returns boolean
language sql volatile
return p_action.decision = 'confirm' and p_action.recipients is null
  and p_action.decided_at > clock_timestamp() - interval '24 hours 1 minute';

-- Erases a payload with its copies, and appends the entry. The ledger head must be locked.
create function gate_private.erase_action(
  p_account text, p_id bigint, p_reason text, p_actor text, p_event uuid
) returns gate.action
language plpgsql as $$
declare
  action gate.action;
begin
  update gate.approval v set reason = null where v.account_id = p_account and v.action_id = p_id;
  update gate.glass_break b set reason = null, note = null where b.account_id = p_account and b.action_id = p_id;
  update gate.action a set payload = '{}', salt = null, rationale = null, facts = null, input = null, decline_reason = null,
    former = case when a.former is not null then json_build_object('digest', a.former -> 'digest') end,
    -- The subject of the gate's own kinds is an id of the provider. The subject of a declared kind can be anything.
    subject = case when a.kind_version is null then a.subject end, amount_cents = null, amount_currency = null
  where a.account_id = p_account and a.id = p_id
  returning * into action;
  perform gate_private.end_mandate(p_account, p_id, p_actor);
  update gate.delivery d set message = null where d.account_id = p_account and d.action_id = p_id;
  update gate.consent_request q set message = null, outside_mandate = null
  where q.account_id = p_account and q.action_id = p_id;
  update gate.tool_call t set call = null where t.account_id = p_account and t.action_id = p_id;
  update gate.provider_call c
  set request = '{}', answer = case when c.provider <> 'mcp' then c.answer end
  where c.account_id = p_account and c.action_id = p_id;
  update gate.claim c set result = null where c.account_id = p_account and c.action_id = p_id;
  update gate.executor_call c set body = '' where c.account_id = p_account and c.action_id = p_id;
  delete from gate.executor_result r where r.account_id = p_account and r.action_id = p_id;
  -- An endpoint may have answered with what it was sent.
  update gate.event_attempt t set answer = null
  where (t.account_id, t.endpoint_id, t.event_id, t.n) in (
    select o.account_id, o.endpoint_id, o.event_id, o.n from gate.event_delivery d
    join gate.event_attempt o on o.account_id = d.account_id and o.endpoint_id = d.endpoint_id and o.event_id = d.event_id
    where d.account_id = p_account and d.action_id = p_id and o.answer is not null
    -- One that is locked is being deleted.
    for update of o skip locked);
  perform gate_private.note(
    p_account, p_event, 'payload_erased', p_id, p_actor, null, jsonb_build_object('reason', p_reason));
  return action;
end $$;

-- Lets this transaction commit before it is on disk. Only where a crash that loses it means that it is done again: the next
-- commit that waits for the disk takes it along, and the commit before every call to a provider waits.
create function gate_private.commit_behind() returns void
language plpgsql as $$
begin
  perform set_config('synchronous_commit', 'off', true);
end $$;
