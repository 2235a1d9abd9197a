-- Policies, and the rules about approvals in them. p_session and p_event: see accounts.sql.

-- Stores a policy as the version after p_base. p_document: canonical JSON; p_kinds: the kinds whose rules it sets; p_note: why, or null;
-- p_restores: the version whose document is set again, or null. p_without_approvals: of the command line, also where approvers would have
-- to agree. Returns the new version; null if p_base is no longer the newest; 0 if the approvers of a rule that it changes must agree.
create function gate.set_policy(
  p_account text, p_session bytea, p_base bigint, p_document json, p_kinds text[], p_note text, p_restores bigint, p_event uuid,
  p_without_approvals boolean default false
) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  changes boolean;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session, 'policies.write');
  if not exists (select from gate.account c where c.account_id = p_account and c.policy_version = p_base) then
    return null;
  end if;
  changes := gate_private.approval_rules_changed(p_account, p_document::jsonb) <> '[]';
  if changes and not (p_without_approvals and p_session is null) then
    return 0;
  end if;
  return gate_private.store_policy(
    p_account, actor, p_base, p_document, p_kinds, p_note, p_restores, p_event, null,
    case when changes then '{"without_approvals":true}' else '{}' end::jsonb);
end $$;

-- Stores a policy, whose approvals were checked. p_action: the action by which approvers agreed. p_also: for the entry.
create function gate_private.store_policy(
  p_account text, p_actor text, p_base bigint, p_document json, p_kinds text[], p_note text, p_restores bigint, p_event uuid,
  p_action bigint, p_also jsonb
) returns bigint
language plpgsql as $$
declare
  next_version bigint;
  stored gate.policy;
begin
  update gate.account set policy_version = policy_version + 1
  where account_id = p_account and policy_version = p_base
  returning policy_version into next_version;
  if not found then
    return null;
  end if;
  -- Version 1 is not stored: it sets nothing.
  if p_restores is not null and p_document::text is distinct from (
    select '{"kinds":{}}' where p_restores = 1
    union all
    select p.document::text from gate.policy p where p.account_id = p_account and p.version = p_restores
  ) then
    raise exception 'this is not the document of version %', p_restores using errcode = 'check_violation';
  end if;
  insert into gate.policy (account_id, version, document, note, note_salt, action_id)
  values (
    p_account, next_version, p_document, p_note,
    case when p_note is not null then decode(replace(gen_random_uuid()::text, '-', ''), 'hex') end, p_action)
  returning * into stored;
  perform gate_private.note_change(
    p_account, p_event, 'policy_set', null, p_actor, null,
    jsonb_build_object(
      'version', next_version,
      'kinds', (
        select coalesce(jsonb_agg(k order by k collate "C"), '[]') from unnest(p_kinds) k
        where stored.document::jsonb -> 'kinds' ? k),
      'document', encode(sha256(convert_to(stored.document::text, 'UTF8')), 'hex'))
    || jsonb_strip_nulls(jsonb_build_object(
      'note_digest', gate_private.note_digest(stored), 'restores', p_restores, 'action_id', p_action))
    || p_also);
  return next_version;
end $$;

-- The digest of a policy's note, for its entry: SHA-256 of the salt and the note. Null: there is no note.
create function gate_private.note_digest(p_policy gate.policy) returns text
language sql stable
return encode(sha256(p_policy.note_salt || convert_to(p_policy.note, 'UTF8')), 'hex');

-- Who must approve actions of a kind, by band: what of its rule only approvers change. Null: nobody.
create function gate_private.approvals_of(p_rule jsonb) returns jsonb
language sql immutable as $$
  select case
    when not jsonb_path_exists(p_rule, '$.**.approvals') then null
    when p_rule ? 'bands' then (
      select jsonb_object_agg(c.key, (
        select jsonb_agg(jsonb_build_object('up_to', b.value -> 'up_to_cents', 'approvals', b.value -> 'approvals') order by b.n)
        from jsonb_array_elements(c.value) with ordinality b(value, n)))
      from jsonb_each(p_rule -> 'bands') c)
    else p_rule -> 'approvals'
  end
$$;

-- The rules about approvals in force that a document would change, remove, or apply to other amounts; each once. The tenant must be set.
create function gate_private.approval_rules_changed(p_account text, p_document jsonb) returns jsonb
language sql stable as $$
  select coalesce(jsonb_agg(distinct rule.value), '[]')
  from gate.account c
  join gate.policy p on p.account_id = c.account_id and p.version = c.policy_version
  cross join jsonb_each(p.document::jsonb -> 'kinds') k
  cross join lateral jsonb_path_query(k.value, '$.**.approvals') rule(value)
  where c.account_id = p_account
    and gate_private.approvals_of(k.value) is distinct from gate_private.approvals_of(p_document #> array['kinds', k.key])
$$;

-- The same, for who reviews a document.
create function gate.approval_rules_changed(p_account text, p_document jsonb) returns jsonb
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  return gate_private.approval_rules_changed(p_account, p_document);
end $$;

-- Refuses a proposal to change rules about approvals that is not by an administrator who is the member, or has not the very rule in
-- force. Returns whether it rests on the policy in force. The ledger head must be locked.
create function gate_private.may_propose_rule_change(
  p_account text, p_session bytea, p_member text, p_payload jsonb, p_rule jsonb
) returns boolean
language plpgsql as $$
begin
  if (gate_private.require_session(p_account, p_session)).member_id is distinct from p_member then
    raise exception 'a member proposes as themselves' using errcode = 'GA403', detail = 'member';
  end if;
  perform gate_private.require_admin(p_account, p_session, 'policies.write');
  return exists (
      select from gate.account c where c.account_id = p_account and c.policy_version = (p_payload ->> 'base')::bigint)
    and gate_private.approval_rules_changed(p_account, (p_payload ->> 'document')::jsonb) = jsonb_build_array(p_rule);
end $$;

-- Sets the policy that an action proposes, once the approvers of the rule in force agreed. A repeat changes nothing. Where another
-- policy was set meanwhile, it sets none.
create function gate.apply_rule_change(p_account text, p_id bigint, p_event uuid) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  action gate.action;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  select * into action from gate.action a
  where a.account_id = p_account and a.id = p_id and a.kind = 'change_approval_rule' and a.decision = 'confirm'
    and a.status = 'proposed' and a.salt is not null and a.approval_rule is not null;
  if not found then
    raise exception 'change % was not confirmed', p_id using errcode = 'check_violation';
  end if;
  if gate_private.is_noted(p_account, p_event) then
    return;
  end if;
  perform gate_private.store_policy(
    p_account, action.member_id, (action.payload ->> 'base')::bigint, (action.payload ->> 'document')::json,
    array(select json_array_elements_text(action.payload -> 'kinds')), action.payload ->> 'note',
    (action.payload ->> 'restores')::bigint, p_event, p_id, '{}');
end $$;
