-- Erases what is stored of a member: name, identities, and the words and inputs of their actions and tool calls. p_session and p_event:
-- see accounts.sql.

-- Erases at most p_limit payloads at a time, and everything else with the last of them. The member is deactivated first, so that
-- nothing new comes. Rows and entries stay: they say `erased`. outcome: erased (also on a repeat), more (call again), missing, open
-- (an action has not ended), counting (an amount counts towards limits for 24 hours after the confirm).
create function gate.erase_member(
  p_account text, p_session bytea, p_member text, p_reason text, p_limit integer, p_event uuid
) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  known gate.member;
  erased gate.member;
  started_at timestamptz;
  next_action bigint;
  done integer := 0;
  identities jsonb;
  held text;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session, 'members.erase');
  select * into known from gate.member m where m.account_id = p_account and m.member_id = p_member for update;
  if not found then
    return 'missing';
  elsif known.erased_at is not null then
    return 'erased';
  elsif exists (
    select from gate.action a where a.account_id = p_account and a.member_id = p_member and a.status = 'proposed'
  ) then
    return 'open';
  elsif exists (
    select from gate.action a
    where a.account_id = p_account and a.member_id = p_member and a.salt is not null
      and gate_private.counts_still(a)
  ) then
    return 'counting';
  end if;
  if known.is_active then
    perform gate_private.change_member(p_account, actor, p_member, null, null, null, false, '{}', gen_random_uuid());
  end if;
  for next_action in
    select a.id from gate.action a
    where a.account_id = p_account and a.member_id = p_member and a.salt is not null
    order by a.id
    limit p_limit
  loop
    perform gate_private.erase_action(p_account, next_action, p_reason, actor, gen_random_uuid());
    done := done + 1;
  end loop;
  if done = p_limit then
    return 'more';
  end if;
  for held in
    update gate.passkey p set removed_at = date_trunc('milliseconds', clock_timestamp()), removed_by = actor
    where p.account_id = p_account and p.member_id = p_member and p.removed_at is null
    returning p.passkey_id
  loop
    delete from gate_private.session s where s.account_id = p_account and s.passkey_id = held;
    perform gate_private.note(
      p_account, gen_random_uuid(), 'passkey_removed', null, actor, null,
      jsonb_build_object('member', p_member, 'passkey', held));
  end loop;
  for held in
    update gate.company_identity i set ended_at = date_trunc('milliseconds', clock_timestamp())
    where i.account_id = p_account and i.member_id = p_member and i.ended_at is null
    returning i.identity_id
  loop
    perform gate_private.note(
      p_account, gen_random_uuid(), 'identity_unlinked', null, actor, null, jsonb_build_object('identity', held));
  end loop;
  update gate.passkey p set name = 'erased' where p.account_id = p_account and p.member_id = p_member;
  update gate.action a set member = 'erased', consent_by = case when a.consent_by = a.member then 'erased' else a.consent_by end
  where a.account_id = p_account and a.member_id = p_member;
  update gate.consent_request q set address = 'erased', message = null, token = null
  where q.account_id = p_account and q.member_id = p_member;
  update gate.tool_call t set call = null where t.account_id = p_account and t.member_id = p_member;
  update gate.approval v set reason = null where v.account_id = p_account and v.member_id = p_member;
  update gate.glass_break b set reason = null where b.account_id = p_account and b.member_id = p_member;
  update gate.glass_break b set note = null where b.account_id = p_account and b.reviewed_by = p_member;
  update gate.delegation d set reason = null where d.account_id = p_account and d.from_member = p_member;
  delete from gate_private.session s where s.account_id = p_account and s.member_id = p_member and s.admin_id is null;
  -- Their addresses in broadcasts that have ended. No later set has the member: they are no longer active.
  update gate.recipient_set s set members = '{}', channels = '{}', addresses = '{}', forgotten_at = clock_timestamp()
  where s.account_id = p_account and s.forgotten_at is null and p_member = any (s.members) and not exists (
    select from gate.action a where a.account_id = p_account and a.status = 'proposed' and a.recipients = s.sha256);
  update gate.delivery d set addresses = array(
    select case when u.member = p_member then 'erased' else u.address end
    from unnest(d.members, d.addresses) with ordinality u(member, address, n) order by u.n)
  where d.account_id = p_account and p_member = any (d.members) and not exists (
    select from gate.action a where a.account_id = p_account and a.id = d.action_id and a.status = 'proposed');
  started_at := date_trunc('milliseconds', clock_timestamp());
  update gate.member m set
    name = 'erased', email = null, slack = null, teams = null, erased_at = started_at, version = m.version + 1,
    salt = decode(replace(gen_random_uuid()::text, '-', ''), 'hex')
  where m.account_id = p_account and m.member_id = p_member
  returning * into erased;
  -- What the change of the identities left: former ones, and messages to them.
  update gate.identity_change i set former = null where i.account_id = p_account and i.member_id = p_member;
  delete from gate_private.identity_notice_due d using gate.identity_notice n
  where n.account_id = p_account and n.member_id = p_member and d.notice_id = n.notice_id;
  delete from gate.identity_notice n where n.account_id = p_account and n.member_id = p_member;
  delete from gate.directory_user d where d.account_id = p_account and d.member_id = p_member;
  update gate.account set roster_version = roster_version + 1 where account_id = p_account;
  select jsonb_object_agg(i.via, i.changed_at is not null) into identities
  from gate.identity_change i
  where i.account_id = p_account and i.member_id = p_member and i.set_at >= started_at;
  perform gate_private.note(
    p_account, p_event, 'member_changed', null, actor, null,
    jsonb_build_object(
      'member', p_member, 'change', 'erased', 'reason', p_reason,
      'identity_digest', gate_private.identity_digest(erased))
    || case when identities is null then '{}' else jsonb_build_object('identities', identities) end);
  return 'erased';
end $$;
