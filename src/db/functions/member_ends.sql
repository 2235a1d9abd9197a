-- What ends with the rights of a member.

-- Ends everything by which a member acts or is acted for, at their deactivation: sessions, devices, connected apps, keys of theirs alone,
-- passkeys, mandates, delegations from and to them, what they approved of open actions, and requests to them. To activate them gives none of it back. The member
-- must be deactivated already, and the ledger head locked.
-- Returns what the entry of the deactivation says of it: the ids of what ended, by kind, without what nothing ended of.
create function gate_private.end_rights(p_account text, p_member text, p_actor text) returns jsonb
language plpgsql as $$
declare
  now_at constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  ended jsonb := '{}';
  told jsonb;
  lapsed bigint[];
  held text;
begin
  -- Of the company's sign-in also where they administrate in it.
  delete from gate_private.session s using gate.company_identity i
  where i.account_id = p_account and i.member_id = p_member and s.account_id = p_account and s.identity_id = i.identity_id;
  perform gate_private.end_sessions(p_account, p_member);
  delete from gate.push_device d where d.account_id = p_account and d.member_id = p_member;

  -- An administrator or auditor by the company's word alone is one no longer.
  with gone as (
    update gate.admin a set removed_at = now_at
    from gate.company_identity i
    where i.account_id = p_account and i.member_id = p_member and i.ended_at is null and a.account_id = p_account
      and a.admin_id = i.admin_id and a.is_managed and a.removed_at is null
    returning a.admin_id
  ) select jsonb_agg(g.admin_id order by g.admin_id collate "C") into told from gone g;
  ended := ended || jsonb_build_object('admins', told);
  for held in select jsonb_array_elements_text(told) loop
    perform gate_private.end_sessions(p_account, held);
  end loop;

  with gone as (
    update gate.app_grant g set ended_at = now_at
    where g.account_id = p_account and g.member_id = p_member and g.ended_at is null
    returning g.grant_id
  ) select jsonb_agg(g.grant_id order by g.grant_id collate "C") into told from gone g;
  ended := ended || jsonb_build_object('apps', told);

  with gone as (
    update gate.api_key k set revoked_at = now_at
    where k.account_id = p_account and k.revoked_at is null and (k.expires_at is null or k.expires_at > now_at)
      and (k.actors = array[p_member] or k.grant_id in (
        select g.grant_id from gate.app_grant g where g.account_id = p_account and g.member_id = p_member))
    returning k.key_id
  ), hashes as (
    update gate_private.api_key_hash h set revoked_at = now_at from gone g
    where h.account_id = p_account and h.key_id = g.key_id
  ) select jsonb_agg(g.key_id order by g.key_id collate "C") into told from gone g;
  ended := ended || jsonb_build_object('keys', told);

  with gone as (
    update gate.passkey p set removed_at = now_at, removed_by = p_actor
    where p.account_id = p_account and p.member_id = p_member and p.removed_at is null
    returning p.passkey_id
  ) select jsonb_agg(g.passkey_id order by g.passkey_id collate "C") into told from gone g;
  ended := ended || jsonb_build_object('passkeys', told);

  with gone as (
    update gate.mandate t set ended_at = now_at, ended_by = p_actor
    where t.account_id = p_account and t.member_id = p_member and t.ended_at is null and t.expires_at > now_at
    returning t.action_id
  ), due as (
    delete from gate_private.mandate_end_due d using gone g where d.account_id = p_account and d.mandate_id = g.action_id
  ) select jsonb_agg(g.action_id order by g.action_id) into told from gone g;
  ended := ended || jsonb_build_object('mandates', told);
  -- One that was confirmed and is not in force yet never will be.
  update gate.mandate t set granted_at = now_at, expires_at = now_at
  from gate.action a
  where t.account_id = p_account and t.member_id = p_member and t.granted_at is null
    and a.account_id = p_account and a.id = t.action_id and a.decision = 'confirm' and a.status = 'proposed';
  update gate.tool_consent t set expires_at = now_at
  from gate.action a
  where t.account_id = p_account and t.spent_at is null and t.granted_at is not null and t.expires_at > now_at
    and a.account_id = p_account and a.id = t.action_id and a.member_id = p_member;

  with gone as (
    update gate.delegation d set ended_at = now_at, ended_by = p_actor
    where d.account_id = p_account and p_member in (d.from_member, d.to_member) and gate_private.is_in_force(d)
    returning d.delegation_id
  ), due as (
    update gate_private.member_notice_due n set due_at = now_at from gone g
    where n.account_id = p_account and n.about = 'delegation_end' and n.subject = g.delegation_id
  ) select jsonb_agg(g.delegation_id order by g.delegation_id collate "C") into told from gone g;
  ended := ended || jsonb_build_object('delegations', told);

  with gone as (
    update gate.approval v set ended_at = now_at
    from gate.action a
    where v.account_id = p_account and v.member_id = p_member and v.ended_at is null
      and a.account_id = p_account and a.id = v.action_id and a.status = 'proposed' and a.decision is null
    returning v.action_id
  ) select array_agg(distinct g.action_id order by g.action_id) into lapsed from gone g;
  ended := ended || jsonb_build_object('approvals', to_jsonb(lapsed));
  update gate.action a set consented_at = null
  where a.account_id = p_account and a.id = any (lapsed) and a.member_id = p_member;
  -- Others are asked instead.
  update gate_private.open_action o set wake = 'ask', due_at = clock_timestamp()
  where o.account_id = p_account and o.action_id = any (lapsed) and o.decided_at is null;

  update gate_private.consent_token t set used_at = now_at
  from gate.consent_request q
  where t.account_id = p_account and t.used_at is null
    and q.account_id = p_account and q.action_id = t.action_id and q.n = t.n and q.member_id = p_member;
  update gate.consent_request q set state = 'withdrawn', token = null
  where q.account_id = p_account and q.member_id = p_member and q.state = 'pending';
  -- Whatever else is given by a member ends above, too: `gone` as there, and its ids in `ended`. src/ledger/consents/member-ends.ts reads them.
  return jsonb_strip_nulls(ended);
end $$;

-- Changes what is given of a member; an empty text removes an identity. Returns whether anything changed. The ledger head must be locked.
-- p_more: what the entry says besides.
create function gate_private.change_member(
  p_account text, p_actor text, p_member text, p_name text, p_email text, p_slack text, p_active boolean, p_more jsonb, p_event uuid,
  p_teams text default null
) returns boolean
language plpgsql as $$
declare
  changed gate.member;
  started_at constant timestamptz := date_trunc('milliseconds', clock_timestamp());
  identities jsonb;
  ended jsonb := '{}';
begin
  update gate.member m set
    name = coalesce(p_name, m.name),
    email = nullif(coalesce(p_email, m.email), ''),
    slack = nullif(coalesce(p_slack, m.slack), ''),
    teams = nullif(coalesce(p_teams, m.teams), ''),
    is_active = coalesce(p_active, m.is_active),
    version = m.version + 1
  where m.account_id = p_account and m.member_id = p_member
  returning * into changed;
  if not found then
    return false;
  end if;
  update gate.account set roster_version = roster_version + 1 where account_id = p_account;
  if p_active is false then
    ended := gate_private.end_rights(p_account, p_member, p_actor);
  end if;
  -- The identities that are set now, and whether each counts as a change.
  select jsonb_object_agg(i.via, i.changed_at is not null) into identities
  from gate.identity_change i
  where i.account_id = p_account and i.member_id = p_member and i.set_at >= started_at;
  perform gate_private.note(
    p_account, p_event, 'member_changed', null, p_actor, null,
    jsonb_build_object(
      'member', p_member,
      'change', case p_active when true then 'activated' when false then 'deactivated' else 'updated' end,
      'identity_digest', gate_private.identity_digest(changed))
    || case when coalesce(p_email, p_name, p_slack, p_teams) is null then '{}' else jsonb_build_object(
      'fields', array_remove(array[
        case when p_email is not null then 'email' end, case when p_name is not null then 'name' end,
        case when p_slack is not null then 'slack' end, case when p_teams is not null then 'teams' end], null)) end
    || case when identities is null then '{}' else jsonb_build_object('identities', identities) end
    || case when ended = '{}' then '{}' else jsonb_build_object('ended', ended) end
    || p_more);
  return true;
end $$;
