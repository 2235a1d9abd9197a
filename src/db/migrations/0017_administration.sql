-- Administration, with entries that are composed here. p_session: hash of the console session's token, which must be of an
-- administrator under the account's lock; null: the command line.

-- Salts keep digests of what an entry must not name: without the row nobody finds out what was hashed.
alter table gate.member
  add column salt bytea not null default decode(replace(gen_random_uuid()::text, '-', ''), 'hex');
alter table gate.admin
  add column salt bytea not null default decode(replace(gen_random_uuid()::text, '-', ''), 'hex');

-- rotated_from: the key that this one replaces. What a key may do is held to a form here, and to known kinds by the service.
create function gate_private.are_networks(p_networks text[]) returns boolean
language sql immutable strict
return (select coalesce(bool_and(n = n::cidr::text), false) from unnest(p_networks) n);

create function gate_private.are_ceilings(p_cents json) returns boolean
language sql immutable strict
return json_typeof(p_cents) = 'object' and (
  select coalesce(bool_and(c.key ~ '^[a-z]{3}$' and c.value::text ~ '^[1-9][0-9]{0,10}$'), false) from json_each(p_cents) c);

alter table gate.api_key
  add column rotated_from text,
  add constraint api_key_rotated_from_fkey foreign key (account_id, rotated_from) references gate.api_key,
  add constraint api_key_kinds_form check (
    cardinality(kinds) between 1 and 50 and array_to_string(kinds, ' ', '') ~ '^[a-z_]{1,64}( [a-z_]{1,64})*$'),
  add constraint api_key_networks_form check (
    cardinality(networks) between 1 and 20 and gate_private.are_networks(networks)),
  add constraint api_key_actions_per_day_range check (actions_per_day between 1 and 9999),
  add constraint api_key_cents_per_day_form check (gate_private.are_ceilings(cents_per_day));

-- family: the first key of a chain of rotations. Ceilings hold for a family, so that a rotation does not double them.
alter table gate_private.api_key_hash add column family text;
update gate_private.api_key_hash set family = key_id;
alter table gate_private.api_key_hash alter column family set not null;

-- Whether the entry of a write stands: then this is a repeat of it, and changes nothing.
create function gate_private.is_noted(p_account text, p_event uuid) returns boolean
language sql stable as $$
  select exists (select 1 from gate.ledger l where l.account_id = p_account and l.event_id = p_event)
$$;

drop function gate.suspend_account;
-- The stop switch: true stops, false resumes. Returns whether anything changed.
create function gate.suspend_account(p_account text, p_session bytea, p_suspend boolean, p_event uuid) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session);
  update gate.account set suspended_at = case when p_suspend then clock_timestamp() end
  where account_id = p_account and (suspended_at is not null) <> p_suspend;
  if not found then
    return false;
  end if;
  perform gate_private.note(
    p_account, p_event, 'account_suspended', null, actor, null, jsonb_build_object('suspended', p_suspend));
  return true;
end $$;

-- What an entry keeps of a member's name and identities: SHA-256 of the salt and { active, email, name, slack }.
create function gate_private.identity_digest(p_member gate.member) returns text
language sql stable
return encode(sha256(p_member.salt || convert_to(gate_private.canonical(jsonb_build_object(
  'active', p_member.is_active, 'email', p_member.email, 'name', p_member.name, 'slack', p_member.slack)), 'UTF8')), 'hex');

drop function gate.add_member;
create function gate.add_member(
  p_account text, p_session bytea, p_member text, p_name text, p_email text, p_slack text, p_event uuid
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  added gate.member;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session);
  insert into gate.member (account_id, member_id, name, email, slack) values (p_account, p_member, p_name, p_email, p_slack)
  returning * into added;
  update gate.account set roster_version = roster_version + 1 where account_id = p_account;
  perform gate_private.note(
    p_account, p_event, 'member_changed', null, actor, null,
    jsonb_build_object(
      'member', p_member, 'change', 'added', 'identity_digest', gate_private.identity_digest(added)));
end $$;

drop function gate.update_member;
-- Sets what is given; an empty string takes an identity away. Returns whether the member exists.
create function gate.update_member(
  p_account text, p_session bytea, p_member text, p_name text, p_email text, p_slack text, p_active boolean, p_event uuid
) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  changed gate.member;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session);
  if gate_private.is_noted(p_account, p_event) then
    return true;
  end if;
  update gate.member m set
    name = coalesce(p_name, m.name),
    email = nullif(coalesce(p_email, m.email), ''),
    slack = nullif(coalesce(p_slack, m.slack), ''),
    is_active = coalesce(p_active, m.is_active),
    version = m.version + 1
  where m.account_id = p_account and m.member_id = p_member
  returning * into changed;
  if not found then
    return false;
  end if;
  update gate.account set roster_version = roster_version + 1 where account_id = p_account;
  perform gate_private.note(
    p_account, p_event, 'member_changed', null, actor, null,
    jsonb_build_object(
      'member', p_member,
      'change', case p_active when true then 'activated' when false then 'deactivated' else 'updated' end,
      'identity_digest', gate_private.identity_digest(changed))
    || case when coalesce(p_email, p_name, p_slack) is null then '{}' else jsonb_build_object(
      'fields', array_remove(array[
        case when p_email is not null then 'email' end, case when p_name is not null then 'name' end,
        case when p_slack is not null then 'slack' end], null)) end);
  return true;
end $$;

drop function gate.set_tier;
-- p_tier null: the admin's setting is taken away.
create function gate.set_tier(
  p_account text, p_session bytea, p_member text, p_tier text, p_event uuid
) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session);
  if gate_private.is_noted(p_account, p_event) then
    return true;
  end if;
  update gate.member set admin_tier = p_tier, version = version + 1
  where account_id = p_account and member_id = p_member;
  if not found then
    return false;
  end if;
  perform gate_private.note(
    p_account, p_event, 'tier_set', null, actor, null, jsonb_build_object('member', p_member, 'tier', p_tier));
  return true;
end $$;

drop function gate.add_curriculum;
create function gate.add_curriculum(
  p_account text, p_session bytea, p_slug text, p_title text, p_modules integer, p_grants text, p_valid_days integer,
  p_event uuid
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session);
  insert into gate.curriculum (account_id, slug, title, modules, grants, valid_days)
  values (p_account, p_slug, p_title, p_modules, p_grants, p_valid_days);
  update gate.account set curricula_version = curricula_version + 1 where account_id = p_account;
  perform gate_private.note(
    p_account, p_event, 'curriculum_changed', null, actor, null,
    jsonb_build_object(
      'curriculum', p_slug, 'change', 'added', 'modules', p_modules, 'grants', p_grants, 'valid_days', p_valid_days,
      'title_digest', encode(sha256(convert_to(p_slug || ' ' || p_title, 'UTF8')), 'hex')));
end $$;

drop function gate.record_pass;
-- Records a pass, or gives an earlier one a new date. p_at null: now. Returns whether that module exists.
create function gate.record_pass(
  p_account text, p_session bytea, p_member text, p_curriculum text, p_module integer, p_at timestamptz, p_event uuid
) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  passed timestamptz := date_trunc('milliseconds', coalesce(p_at, clock_timestamp()));
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session);
  if gate_private.is_noted(p_account, p_event) then
    return true;
  end if;
  perform 1 from gate.curriculum c
  where c.account_id = p_account and c.slug = p_curriculum and p_module between 1 and c.modules;
  if not found then
    return false;
  end if;
  insert into gate.pass (account_id, member_id, curriculum, module, passed_at, latest_at)
  values (p_account, p_member, p_curriculum, p_module, passed, passed)
  on conflict on constraint pass_pkey do update
  set passed_at = passed, latest_at = greatest(pass.latest_at, passed), revoked_at = null;
  update gate.member set version = version + 1 where account_id = p_account and member_id = p_member;
  perform gate_private.note(
    p_account, p_event, 'pass_recorded', null, actor, null,
    jsonb_build_object(
      'member', p_member, 'curriculum', p_curriculum, 'module', p_module, 'change', 'passed',
      'at', gate_private.iso(passed)));
  return true;
end $$;

drop function gate.revoke_passes;
-- Takes passes out of force: one module, or all of a curriculum (p_module null). Returns how many.
create function gate.revoke_passes(
  p_account text, p_session bytea, p_member text, p_curriculum text, p_module integer, p_event uuid
) returns integer
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  revoked integer;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session);
  update gate.pass set revoked_at = clock_timestamp()
  where account_id = p_account and member_id = p_member and curriculum = p_curriculum
    and (p_module is null or module = p_module) and revoked_at is null;
  get diagnostics revoked = row_count;
  if revoked > 0 then
    update gate.member set version = version + 1 where account_id = p_account and member_id = p_member;
    perform gate_private.note(
      p_account, p_event, 'pass_recorded', null, actor, null,
      jsonb_build_object('member', p_member, 'curriculum', p_curriculum, 'module', p_module, 'change', 'revoked'));
  end if;
  return revoked;
end $$;

drop function gate.set_policy;
-- Stores a policy as the version after p_base. p_kinds: those that this version sets; the entry names those that it has.
-- Returns the new version, or null where p_base is not the newest.
create function gate.set_policy(
  p_account text, p_session bytea, p_base bigint, p_document json, p_kinds text[], p_event uuid
) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  next_version bigint;
  stored text;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session);
  update gate.account set policy_version = policy_version + 1
  where account_id = p_account and policy_version = p_base
  returning policy_version into next_version;
  if not found then
    return null;
  end if;
  insert into gate.policy (account_id, version, document) values (p_account, next_version, p_document)
  returning document::text into stored;
  perform gate_private.note(
    p_account, p_event, 'policy_set', null, actor, null,
    jsonb_build_object(
      'version', next_version,
      'kinds', (
        select coalesce(jsonb_agg(k order by k collate "C"), '[]') from unnest(p_kinds) k
        where stored::jsonb -> 'kinds' ? k),
      'document', encode(sha256(convert_to(stored, 'UTF8')), 'hex')));
  return next_version;
end $$;

-- The data of the entry of a new key: its limits, and digests of its name and of the key.
create function gate_private.minted_data(p_key gate.api_key, p_hash bytea) returns jsonb
language sql stable
return jsonb_build_object(
  'key', p_key.key_id, 'name_digest', encode(sha256(convert_to(p_key.key_id || ' ' || p_key.name, 'UTF8')), 'hex'),
  'actors', p_key.actors, 'expires_at', gate_private.iso(p_key.expires_at), 'powers', p_key.powers,
  'kinds', p_key.kinds, 'networks', p_key.networks, 'actions_per_day', p_key.actions_per_day,
  'cents_per_day', p_key.cents_per_day, 'key_hash', encode(p_hash, 'hex'))
|| case when p_key.rotated_from is null then '{}' else jsonb_build_object('rotated_from', p_key.rotated_from) end;

-- Stores a key by its hash, with its entry. Assumes the head's lock.
create function gate_private.store_key(
  p_key gate.api_key, p_hash bytea, p_family text, p_actor text, p_event uuid
) returns void
language plpgsql as $$
begin
  insert into gate.api_key values (p_key.*);
  insert into gate_private.api_key_hash (
    hash, account_id, key_id, family, actors, expires_at, powers, kinds, networks, actions_per_day, cents_per_day)
  values (
    p_hash, p_key.account_id, p_key.key_id, p_family, p_key.actors, p_key.expires_at, p_key.powers, p_key.kinds,
    p_key.networks, p_key.actions_per_day, p_key.cents_per_day);
  perform gate_private.note(
    p_key.account_id, p_event, 'key_minted', null, p_actor, null, gate_private.minted_data(p_key, p_hash));
end $$;

drop function gate.mint_key;
-- p_networks: addresses in CIDR form; what lies beyond their length counts as zero. Returns them as they are stored.
create function gate.mint_key(
  p_account text, p_session bytea, p_key text, p_name text, p_last4 text, p_hash bytea, p_actors text[],
  p_expires timestamptz, p_powers text[], p_kinds text[], p_networks text[], p_actions_per_day integer,
  p_cents_per_day json, p_event uuid
) returns text[]
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  made gate.api_key;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session);
  made.account_id := p_account;
  made.key_id := p_key;
  made.name := p_name;
  made.last4 := p_last4;
  made.actors := p_actors;
  made.created_at := clock_timestamp();
  made.expires_at := date_trunc('milliseconds', p_expires);
  made.powers := p_powers;
  made.kinds := p_kinds;
  made.networks := (
    select array_agg(n.cidr order by n.at) from (
      select network(given::inet)::text as cidr, min(o) as at from unnest(p_networks) with ordinality u(given, o) group by 1
    ) n);
  made.actions_per_day := p_actions_per_day;
  made.cents_per_day := p_cents_per_day;
  perform gate_private.store_key(made, p_hash, p_key, actor, p_event);
  return made.networks;
end $$;

-- Mints a key that may do what another may, which expires after p_overlap_ms at the latest. Both count as one towards their
-- ceilings. outcome: rotated; missing; over (revoked or expired); twice (it was rotated before).
create function gate.rotate_key(
  p_account text, p_session bytea, p_key text, p_new_key text, p_last4 text, p_hash bytea, p_overlap_ms bigint,
  p_event uuid,
  out outcome text, out expires_at timestamptz
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  former gate.api_key;
  made gate.api_key;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session);
  select * into former from gate.api_key k where k.account_id = p_account and k.key_id = p_key;
  outcome := case
    when not found then 'missing'
    when former.revoked_at is not null or former.expires_at <= clock_timestamp() then 'over'
    when exists (select 1 from gate.api_key k where k.account_id = p_account and k.rotated_from = p_key) then 'twice'
  end;
  if outcome is not null then
    return;
  end if;
  made := former;
  made.key_id := p_new_key;
  made.last4 := p_last4;
  made.created_at := clock_timestamp();
  made.rotated_from := p_key;
  perform gate_private.store_key(
    made, p_hash,
    (select h.family from gate_private.api_key_hash h where h.account_id = p_account and h.key_id = p_key),
    actor, gen_random_uuid());
  expires_at := least(
    former.expires_at, date_trunc('milliseconds', clock_timestamp() + p_overlap_ms * interval '1 millisecond'));
  update gate.api_key k set expires_at = rotate_key.expires_at where k.account_id = p_account and k.key_id = p_key;
  update gate_private.api_key_hash h set expires_at = rotate_key.expires_at
  where h.account_id = p_account and h.key_id = p_key;
  perform gate_private.note(
    p_account, p_event, 'key_rotated', null, actor, null,
    jsonb_build_object('key', p_key, 'expires_at', gate_private.iso(expires_at), 'to', p_new_key));
  outcome := 'rotated';
end $$;

drop function gate.revoke_key;
-- Returns whether there is such a key. Revoking a revoked key changes nothing.
create function gate.revoke_key(p_account text, p_session bytea, p_key text, p_event uuid) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session);
  perform 1 from gate.api_key where account_id = p_account and key_id = p_key;
  if not found then
    return false;
  end if;
  update gate.api_key set revoked_at = clock_timestamp()
  where account_id = p_account and key_id = p_key and revoked_at is null;
  if found then
    update gate_private.api_key_hash set revoked_at = clock_timestamp() where account_id = p_account and key_id = p_key;
    perform gate_private.note(
      p_account, p_event, 'key_revoked', null, actor, null, jsonb_build_object('key', p_key));
  end if;
  return true;
end $$;

drop function gate.list_keys;
-- used_today: what was confirmed within 24 hours with a key, or proposed with it, counted over its family; found by the
-- index action_decided.
create function gate.list_keys(p_account text)
returns table (
  key_id text, name text, last4 text, actors text[], created_at timestamptz, expires_at timestamptz,
  revoked_at timestamptz, last_used_at timestamptz, powers text[], kinds text[], networks text[],
  actions_per_day integer, cents_per_day json, rotated_from text, used_today bigint
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  return query
    with confirmed as materialized (
      select a.id, a.proposed_key, a.decided_key from gate.action a
      where a.account_id = p_account and a.decision = 'confirm' and a.decided_at > clock_timestamp() - interval '1 day'
    ), used as (
      select h.family, count(distinct u.id) as count
      from (
        select c.id, c.proposed_key as key from confirmed c union select c.id, c.decided_key from confirmed c
      ) u
      join gate_private.api_key_hash h on h.account_id = p_account and h.key_id = u.key
      group by h.family
    )
    select k.key_id, k.name, k.last4, k.actors, k.created_at, k.expires_at, k.revoked_at, h.last_used_at, k.powers,
      k.kinds, k.networks, k.actions_per_day, k.cents_per_day, k.rotated_from, coalesce(u.count, 0)
    from gate.api_key k
    join gate_private.api_key_hash h on h.account_id = k.account_id and h.key_id = k.key_id
    left join used u on u.family = h.family
    where k.account_id = p_account
    order by k.created_at, k.key_id;
end $$;

drop function gate.disconnect_integration;
-- Takes a connection out of use and deletes its secrets. Returns whether it was in use; a repeat of the event says yes.
create function gate.disconnect_integration(
  p_account text, p_session bytea, p_integration text, p_event uuid
) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  gone text;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session);
  -- Before the connection, as activate_integration takes them.
  perform 1 from gate.account c where c.account_id = p_account for no key update;
  update gate.integration i set state = 'disconnected', disconnected_at = clock_timestamp()
  where i.account_id = p_account and i.integration_id = p_integration and i.state = 'connected'
  returning i.provider into gone;
  if not found then
    return gate_private.is_noted(p_account, p_event);
  end if;
  perform gate_private.forget_secrets(p_account, p_integration);
  update gate.account c set integrations_version = c.integrations_version + 1 where c.account_id = p_account;
  perform gate_private.note(
    p_account, p_event, 'integration_disconnected', null, actor, null,
    jsonb_build_object('integration', p_integration, 'provider', gone));
  return true;
end $$;

drop function gate.create_conversation;
create function gate.create_conversation(
  p_account text, p_session bytea, p_conversation text, p_title text, p_members text[], p_event uuid
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session);
  insert into gate.conversation (account_id, conversation_id, title) values (p_account, p_conversation, p_title);
  insert into gate.participant (account_id, conversation_id, member_id)
  select p_account, p_conversation, member_id from unnest(p_members) as given(member_id);
  perform gate_private.note(
    p_account, p_event, 'conversation_changed', null, actor, null,
    jsonb_build_object(
      'conversation', p_conversation, 'change', 'created',
      'members', (select coalesce(jsonb_agg(m order by m collate "C"), '[]') from unnest(p_members) m)));
end $$;

drop function gate.add_participant;
-- Outcome: missing (no such conversation), unchanged (takes part already), changed.
create function gate.add_participant(
  p_account text, p_session bytea, p_conversation text, p_member text, p_event uuid
) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session);
  perform 1 from gate.conversation where account_id = p_account and conversation_id = p_conversation;
  if not found then
    return 'missing';
  end if;
  insert into gate.participant (account_id, conversation_id, member_id) values (p_account, p_conversation, p_member)
  on conflict on constraint participant_pkey do nothing;
  if not found then
    return 'unchanged';
  end if;
  perform gate_private.note(
    p_account, p_event, 'conversation_changed', null, actor, null,
    jsonb_build_object('conversation', p_conversation, 'change', 'participant_added', 'member', p_member));
  return 'changed';
end $$;

drop function gate.remove_participant;
-- Outcome: missing (no such conversation), unchanged (did not take part), changed.
create function gate.remove_participant(
  p_account text, p_session bytea, p_conversation text, p_member text, p_event uuid
) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session);
  perform 1 from gate.conversation where account_id = p_account and conversation_id = p_conversation;
  if not found then
    return 'missing';
  end if;
  delete from gate.participant
  where account_id = p_account and conversation_id = p_conversation and member_id = p_member;
  if not found then
    return 'unchanged';
  end if;
  perform gate_private.note(
    p_account, p_event, 'conversation_changed', null, actor, null,
    jsonb_build_object('conversation', p_conversation, 'change', 'participant_removed', 'member', p_member));
  return 'changed';
end $$;

-- What an entry keeps of an administrator's mailbox: SHA-256 of the salt and the address in small letters.
create function gate_private.mailbox_digest(p_admin gate.admin) returns text
language sql stable
return encode(sha256(p_admin.salt || convert_to(lower(p_admin.email), 'UTF8')), 'hex');

drop function gate.invite_admin;
-- Makes an administrator of a mailbox and, where p_link is given, a link to sign in. Returns the id of whoever
-- administers by that mailbox: another one than p_admin where there is one already, and then nothing was done. The link is the
-- administrator's alone: it is printed, and who reads it need not read the mailbox of the member who has the same address.
create function gate.invite_admin(
  p_account text, p_session bytea, p_admin text, p_email text, p_link bytea, p_lasts_ms bigint, p_event uuid
) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  invited gate.admin;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session);
  select * into invited from gate.admin a
  where a.account_id = p_account and lower(a.email) = lower(p_email) and a.removed_at is null;
  if not found then
    insert into gate.admin (account_id, admin_id, email) values (p_account, p_admin, p_email) returning * into invited;
  elsif invited.admin_id <> p_admin then
    return invited.admin_id;
  end if;
  if p_link is not null then
    insert into gate_private.sign_in_link (token, account_id, mailbox, admin_id, expires_at)
    values (
      p_link, p_account, gate_private.mailbox_hash(p_email), p_admin,
      clock_timestamp() + p_lasts_ms * interval '1 millisecond');
  end if;
  perform gate_private.note(
    p_account, p_event, 'admin_changed', null, actor, null,
    jsonb_build_object(
      'admin', p_admin, 'change', 'invited', 'mailbox_digest', gate_private.mailbox_digest(invited)));
  return p_admin;
end $$;

drop function gate.remove_admin;
-- Returns whether there is such an administrator. Removing a removed one changes nothing.
create function gate.remove_admin(p_account text, p_session bytea, p_admin text, p_event uuid) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
  removed gate.admin;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session);
  perform 1 from gate.admin a where a.account_id = p_account and a.admin_id = p_admin;
  if not found then
    return false;
  end if;
  update gate.admin a set removed_at = clock_timestamp()
  where a.account_id = p_account and a.admin_id = p_admin and a.removed_at is null
  returning * into removed;
  if found then
    perform gate_private.note(
      p_account, p_event, 'admin_changed', null, actor, null,
      jsonb_build_object(
        'admin', p_admin, 'change', 'removed', 'mailbox_digest', gate_private.mailbox_digest(removed)));
  end if;
  return true;
end $$;
