-- What verifying compares with the entries about an account's authority, and the erasure of a payload.

-- One page of what says who may do what: p_part member, key, administrator, curriculum, policy, conversation, integration or
-- account; ids after p_after. Only ids, dates, tiers and digests: no address, name, title or secret.
-- Stable: it reads the snapshot of the statement that calls it.
create function gate.authority_page(p_account text, p_part text, p_after text, p_limit integer)
returns table (id text, facts json)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  case p_part
  when 'member' then
    return query
      select m.member_id, json_build_object(
        'active', m.is_active, 'tier', m.admin_tier, 'identity_digest', gate_private.identity_digest(m),
        'reads_mailbox', (
          select b.hash from gate_private.mailbox b where b.account_id = p_account and b.holder = m.member_id
        ) is not distinct from gate_private.mailbox_hash(case when m.is_active then m.email end),
        'passes', (
          select coalesce(json_agg(json_build_array(
            p.curriculum, p.module, gate_private.iso(p.passed_at), gate_private.iso(p.latest_at),
            p.revoked_at is not null)), '[]')
          from gate.pass p
          where p.account_id = p_account and p.member_id = m.member_id
        ))
      from gate.member m
      where m.account_id = p_account and m.member_id > p_after
      order by m.member_id
      limit p_limit;
  when 'key' then
    return query
      select k.key_id, json_build_object(
        'row', (
          select json_build_object(
            'name_digest', encode(sha256(convert_to(a.key_id || ' ' || a.name, 'UTF8')), 'hex'),
            'actors', a.actors, 'expires_at', gate_private.iso(a.expires_at), 'revoked', a.revoked_at is not null,
            'powers', a.powers, 'kinds', a.kinds, 'networks', a.networks, 'actions_per_day', a.actions_per_day,
            'cents_per_day', a.cents_per_day, 'rotated_from', a.rotated_from)
          from gate.api_key a
          where a.account_id = p_account and a.key_id = k.key_id
        ),
        'hashes', (
          select coalesce(json_agg(json_build_object(
            'key_hash', encode(h.hash, 'hex'), 'family', h.family,
            'actors', h.actors, 'expires_at', gate_private.iso(h.expires_at), 'revoked', h.revoked_at is not null,
            'powers', h.powers, 'kinds', h.kinds, 'networks', h.networks, 'actions_per_day', h.actions_per_day,
            'cents_per_day', h.cents_per_day)), '[]')
          from gate_private.api_key_hash h
          where h.account_id = p_account and h.key_id = k.key_id
        ))
      from (
        select a.key_id from gate.api_key a where a.account_id = p_account and a.key_id > p_after
        union
        select h.key_id from gate_private.api_key_hash h where h.account_id = p_account and h.key_id > p_after
        order by 1
        limit p_limit
      ) k
      order by k.key_id;
  when 'administrator' then
    return query
      select a.admin_id, json_build_object(
        'removed', a.removed_at is not null, 'mailbox_digest', gate_private.mailbox_digest(a),
        'reads_mailbox', (
          select b.hash from gate_private.mailbox b where b.account_id = p_account and b.holder = a.admin_id
        ) is not distinct from gate_private.mailbox_hash(case when a.removed_at is null then a.email end))
      from gate.admin a
      where a.account_id = p_account and a.admin_id > p_after
      order by a.admin_id
      limit p_limit;
  when 'curriculum' then
    return query
      select c.slug, json_build_object(
        'modules', c.modules, 'grants', c.grants, 'valid_days', c.valid_days,
        'title_digest', encode(sha256(convert_to(c.slug || ' ' || c.title, 'UTF8')), 'hex'))
      from gate.curriculum c
      where c.account_id = p_account and c.slug > p_after
      order by c.slug
      limit p_limit;
  when 'policy' then
    -- Versions sort as texts of the same length.
    return query
      select to_char(p.version, 'FM000000000000000000'), json_build_object(
        'document', encode(sha256(convert_to(p.document::text, 'UTF8')), 'hex'))
      from gate.policy p
      where p.account_id = p_account and p.version > coalesce(nullif(p_after, '')::bigint, 0)
      order by p.version
      limit p_limit;
  when 'conversation' then
    return query
      select c.conversation_id, json_build_object('members', (
        select coalesce(json_agg(t.member_id order by t.member_id collate "C"), '[]')
        from gate.participant t
        where t.account_id = p_account and t.conversation_id = c.conversation_id
      ))
      from gate.conversation c
      where c.account_id = p_account and c.conversation_id > p_after
      order by c.conversation_id
      limit p_limit;
  when 'integration' then
    return query
      select i.integration_id, json_build_object(
        'provider', i.provider, 'state', i.state, 'action', i.action_id,
        'is_running', coalesce(a.status = 'proposed' and a.decision = 'confirm', false))
      from gate.integration i
      left join gate.action a on a.account_id = i.account_id and a.id = i.action_id
      where i.account_id = p_account and i.integration_id > p_after
      order by i.integration_id
      limit p_limit;
  when 'account' then
    return query
      select c.account_id, json_build_object('suspended', c.suspended_at is not null, 'policy_version', c.policy_version)
      from gate.account c
      where c.account_id = p_account and c.account_id > p_after;
  end case;
end $$;

-- Erases the payload of an action that has ended, also where it was copied to: messages and calls. Its entry stays, and with it
-- a digest that tells nothing without the salt. outcome: erased (also on a repeat), missing, open, counting (its amount counts
-- towards limits for 24 hours after its confirm), empty (there is none).
create function gate.erase_payload(
  p_account text, p_session bytea, p_id bigint, p_reason text, p_event uuid,
  out outcome text, out action gate.action
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session);
  select * into action from gate.action a where a.account_id = p_account and a.id = p_id for update;
  outcome := case
    when not found then 'missing'
    when gate_private.is_noted(p_account, p_event) then 'erased'
    when action.status = 'proposed' then 'open'
    when action.decision = 'confirm' and action.recipients is null
      and action.decided_at > clock_timestamp() - interval '24 hours 1 minute' then 'counting'
    when action.salt is null then 'empty'
  end;
  if outcome is not null then
    return;
  end if;
  update gate.action a set payload = '{}', salt = null where a.account_id = p_account and a.id = p_id
  returning * into action;
  update gate.delivery d set message = null where d.account_id = p_account and d.action_id = p_id;
  update gate.consent_request q set message = null where q.account_id = p_account and q.action_id = p_id;
  update gate.provider_call c set request = '{}' where c.account_id = p_account and c.action_id = p_id;
  perform gate_private.note(
    p_account, p_event, 'payload_erased', p_id, actor, null, jsonb_build_object('reason', p_reason));
  outcome := 'erased';
end $$;

-- As before, but an entry is of a row that there is, at a time when it can stand there.
create or replace function gate.note_refusal(
  p_account text, p_id bigint, p_event uuid, p_decision text, p_reason text, p_source text, p_actor text,
  p_api_key bytea
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  if not exists (select 1 from gate.action a where a.account_id = p_account and a.id = p_id) then
    raise exception 'there is no action %', p_id using errcode = 'check_violation';
  end if;
  perform gate_private.note(
    p_account, p_event, 'decision_refused', p_id, p_actor,
    (select k.key_id from gate_private.api_key_hash k where k.hash = p_api_key and k.account_id = p_account),
    jsonb_build_object('decision', p_decision, 'reason', p_reason, 'source', p_source));
end $$;

create or replace function gate.note_delivered(p_account text, p_id bigint, p_event uuid, p_step text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  if not exists (
    select 1 from gate.action a where a.account_id = p_account and a.id = p_id and a.decision = 'confirm'
  ) then
    raise exception 'action % was not confirmed', p_id using errcode = 'check_violation';
  end if;
  perform gate_private.note(
    p_account, p_event, 'delivered', p_id, 'system', null, gate_private.delivered_data(p_account, p_id, p_step));
end $$;

-- As before, but an action ends as executed or as cancelled with a reason, and its entry says the same.
create or replace function gate.finish_action(
  p_account text, p_id bigint, p_status text, p_result text, p_closed_reason text, p_event uuid,
  p_delivered_events uuid[], p_delivered_steps text[],
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

-- As before, but only what is under way is recorded: what was settled stays.
create or replace function gate.step_delivery(
  p_account text, p_id bigint, p_channel text,
  p_record integer, p_attempt integer, p_states text[], p_provider_ids text[], p_codes text[],
  p_slice integer, p_slice_max integer, p_message text,
  out outcome text, out delivery gate.delivery, out was_sending boolean
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  if p_record is not null then
    update gate.delivery d set states = p_states, provider_ids = p_provider_ids, codes = p_codes
    where d.account_id = p_account and d.action_id = p_id and d.channel = p_channel and d.slice = p_record
      and d.attempt = p_attempt and 'sending' = any (d.states);
  end if;
  outcome := 'done';
  if p_slice is null then
    perform gate_private.commit_behind();
    return;
  end if;
  for tries in 1..2 loop
    select * into delivery from gate.delivery d
    where d.account_id = p_account and d.action_id = p_id and d.channel = p_channel and d.slice = p_slice
    for update;
    exit when found;
    perform gate_private.lay_out(p_account, p_id, p_channel, p_slice_max);
  end loop;
  if not found then
    return;
  end if;
  was_sending := 'sending' = any (delivery.states);
  if not was_sending and not 'pending' = any (delivery.states) then
    return;
  end if;
  outcome := 'send';
  if not was_sending and exists (
    select 1 from gate.account a where a.account_id = p_account and a.suspended_at is not null
  ) then
    outcome := 'suspended';
    update gate.delivery d
    set states = array_replace(d.states, 'pending', 'failed'),
      codes = array(select case s when 'pending' then 'account_suspended' else c end from unnest(d.states, d.codes) u(s, c))
    where d.account_id = p_account and d.action_id = p_id and d.channel = p_channel and d.slice = p_slice;
    return;
  end if;
  update gate.delivery d set
    attempt = d.attempt + 1,
    round = d.round + case when was_sending then 0 else 1 end,
    message = case when was_sending then d.message else p_message::json end,
    attempted_at = case when was_sending then d.attempted_at else clock_timestamp() end,
    states = case when was_sending then d.states else array(
      select case
        when u.state <> 'pending' then u.state
        when m.is_active then 'sending'
        else 'unreachable'
      end
      from unnest(d.members, d.states) with ordinality u(member, state, n)
      left join gate.member m on m.account_id = p_account and m.member_id = u.member
      order by u.n
    ) end
  where d.account_id = p_account and d.action_id = p_id and d.channel = p_channel and d.slice = p_slice
  returning * into delivery;
end $$;

-- As before, but of an action that is being executed alone.
create or replace function gate.freeze_call(
  p_account text, p_id bigint, p_step text, p_provider text, p_request text, p_key text
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  insert into gate.provider_call (account_id, action_id, step, provider, request, key)
  select p_account, p_id, p_step, p_provider, p_request::json, p_key
  from gate.action a
  where a.account_id = p_account and a.id = p_id and a.decision = 'confirm' and a.status = 'proposed'
  on conflict on constraint provider_call_pkey do nothing;
end $$;
