-- Passkeys: added, removed, signed in with, and checked in the statement that claims a decision.

-- Makes a number that a passkey is to sign. p_purpose and what it is for: see gate_private.passkey_nonce. Expired ones go, some each time.
create function gate.make_passkey_nonce(
  p_nonce bytea, p_purpose text, p_account text, p_member text, p_action bigint, p_lasts_ms bigint
) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  with picked as materialized (
    select o.nonce from gate_private.passkey_nonce o
    where o.expires_at < clock_timestamp()
    limit 20 for update skip locked
  )
  delete from gate_private.passkey_nonce n where n.nonce in (select p.nonce from picked p);
  insert into gate_private.passkey_nonce (nonce, purpose, account_id, member_id, action_id, expires_at)
  values (p_nonce, p_purpose, p_account, p_member, p_action, clock_timestamp() + p_lasts_ms * interval '1 millisecond')
$$;

-- Uses up a number. Returns whether it was made for this, and not used before.
create function gate_private.use_passkey_nonce(
  p_nonce bytea, p_purpose text, p_account text, p_member text, p_action bigint
) returns boolean
language plpgsql as $$
begin
  delete from gate_private.passkey_nonce n
  where n.nonce = p_nonce and n.purpose = p_purpose and n.expires_at > clock_timestamp()
    and (n.account_id, n.member_id, n.action_id) is not distinct from (p_account, p_member, p_action);
  return found;
end $$;

-- Adds a passkey of the member of a session that began by a sign-in within fresh_ms.
-- Returns added (also on a repeat of the event), not_fresh, used (its number was used, or is another's), known, too_many.
create function gate.add_passkey(p_account text, p_session bytea, p_passkey jsonb) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  given record;
  holder record;
  added gate.passkey;
begin
  select * into given from jsonb_to_record(p_passkey) as fields(
    event uuid, passkey text, name text, credential bytea, public_key bytea, device_bound boolean,
    transports text[], sign_count bigint, nonce bytea, fresh_ms bigint, passkeys_max integer
  );
  perform gate_private.require_fields(p_passkey, to_jsonb(given));
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  holder := gate_private.require_session(p_account, p_session);
  if holder.member_id is null then
    raise exception 'the session is not of a member' using errcode = 'GA403', detail = 'member';
  end if;
  if exists (select from gate.ledger l where l.account_id = p_account and l.event_id = given.event) then
    return 'added';
  end if;
  if not exists (
    select from gate_private.session s
    where s.token = p_session and s.is_fresh and s.created_at > clock_timestamp() - given.fresh_ms * interval '1 millisecond'
  ) then
    return 'not_fresh';
  end if;
  if not gate_private.use_passkey_nonce(given.nonce, 'add', p_account, holder.member_id, null) then
    return 'used';
  end if;
  if exists (select from gate.passkey p where p.account_id = p_account and p.credential = given.credential) then
    return 'known';
  end if;
  if given.passkeys_max <= (
    select count(*) from gate.passkey p
    where p.account_id = p_account and p.member_id = holder.member_id and p.removed_at is null
  ) then
    return 'too_many';
  end if;
  insert into gate.passkey (
    account_id, passkey_id, member_id, name, credential, public_key, is_device_bound, transports, sign_count,
    admin_id, created_at)
  values (
    p_account, given.passkey, holder.member_id, given.name, given.credential, given.public_key,
    given.device_bound, given.transports, given.sign_count, holder.admin_id, date_trunc('milliseconds', clock_timestamp()))
  returning * into added;
  update gate.member m set version = m.version + 1 where m.account_id = p_account and m.member_id = holder.member_id;
  perform gate_private.tell_of_passkey(p_account, holder.member_id, 'added', holder.member_id);
  perform gate_private.note(
    p_account, given.event, 'passkey_added', null, holder.member_id, null,
    jsonb_build_object(
      'member', holder.member_id, 'passkey', given.passkey, 'admin', holder.admin_id, 'device_bound', given.device_bound,
      'credential', encode(given.credential, 'hex'), 'public_key', encode(given.public_key, 'hex'),
      'name_digest', gate_private.passkey_name_digest(added)));
  return 'added';
end $$;

-- Removes a passkey of the member of a session, or of any member for an administrator. Sessions that it began end.
-- Returns removed (also on a repeat), missing, or last_needed: the policy requires a passkey, and the member has no other.
create function gate.remove_passkey(p_account text, p_session bytea, p_passkey text, p_event uuid) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  holder record;
  -- Of the session; null from the command line.
  holds_admin text;
  holds_member text;
  actor text;
  known gate.passkey;
  is_last_needed boolean;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  if p_session is not null then
    holder := gate_private.require_session(p_account, p_session);
    holds_admin := holder.admin_id;
    holds_member := holder.member_id;
  end if;
  select * into known from gate.passkey p where p.account_id = p_account and p.passkey_id = p_passkey;
  if known.passkey_id is null or (
    p_session is not null and holds_admin is null and holds_member is distinct from known.member_id
  ) then
    return 'missing';
  end if;
  if known.removed_at is not null then
    return 'removed';
  end if;
  is_last_needed := gate_private.demands_passkey(p_account) and not exists (
    select from gate.passkey p
    where p.account_id = p_account and p.member_id = known.member_id and p.passkey_id <> p_passkey and p.removed_at is null
  );
  if p_session is not null and holds_member = known.member_id and (not is_last_needed or holds_admin is null) then
    if is_last_needed then
      return 'last_needed';
    end if;
    actor := known.member_id;
  else
    actor := gate_private.require_admin(p_account, p_session);
  end if;
  update gate.passkey p set removed_at = date_trunc('milliseconds', clock_timestamp()), removed_by = actor
  where p.account_id = p_account and p.passkey_id = p_passkey;
  update gate.member m set version = m.version + 1 where m.account_id = p_account and m.member_id = known.member_id;
  delete from gate_private.session s where s.account_id = p_account and s.passkey_id = p_passkey and s.token is distinct from p_session;
  perform gate_private.tell_of_passkey(p_account, known.member_id, null, actor);
  perform gate_private.note(
    p_account, p_event, 'passkey_removed', null, actor, null,
    jsonb_build_object('member', known.member_id, 'passkey', p_passkey));
  return 'removed';
end $$;

-- Whether a floor of the account is `passkey`: of its policy, of a declared kind or of a tool.
create function gate_private.demands_passkey(p_account text) returns boolean
language sql stable as $$
  select exists (
    select from gate.account c
    join gate.policy p on p.account_id = c.account_id and p.version = c.policy_version
    where c.account_id = p_account and jsonb_path_exists(p.document::jsonb, '$.**.consent ? (@ == "passkey")')
  ) or exists (
    select from gate.kind k
    where k.account_id = p_account and k.retired_at is null and k.document::jsonb #>> '{default_rule,consent}' = 'passkey'
  ) or exists (
    select from gate.upstream_tool u
    where u.account_id = p_account and jsonb_path_exists(u.rule::jsonb, '$.**.consent ? (@ == "passkey")')
  )
$$;

-- Creates the messages to a member about a passkey that was added, or removed (p_next null).
create function gate_private.tell_of_passkey(p_account text, p_member text, p_next text, p_actor text) returns void
language sql as $$
  select gate_private.tell_member(p_account, p_member, 'passkey', p_next, p_next is not null and 1 = (
    select count(*) from gate.passkey p where p.account_id = p_account and p.member_id = p_member), p_actor)
$$;

-- Creates messages to a member about a passkey, or about whom the company signs in as them: p_next null where it was taken away. At
-- most 20 messages to one wait.
create function gate_private.tell_member(
  p_account text, p_member text, p_identity text, p_next text, p_is_first boolean, p_actor text
) returns void
language plpgsql as $$
declare
  told gate.identity_notice;
begin
  for told in
    select p_account, gen_random_uuid(), p_member, w.via, w.address, p_identity, p_next, p_is_first,
      nullif(p_actor, p_member), clock_timestamp()
    from gate.member m, lateral (values ('email', m.email), ('slack', m.slack), ('teams', m.teams)) w(via, address)
    where m.account_id = p_account and m.member_id = p_member and w.address is not null
  loop
    exit when 20 <= (
      select count(*) from gate.identity_notice n where n.account_id = p_account and n.member_id = p_member);
    insert into gate.identity_notice select told.*;
    insert into gate_private.identity_notice_due (notice_id, account_id) values (told.notice_id, told.account_id);
  end loop;
end $$;

create function gate_private.passkey_name_digest(p_passkey gate.passkey) returns text
language sql immutable
return encode(sha256(convert_to(p_passkey.passkey_id || ' ' || p_passkey.name, 'UTF8')), 'hex');

-- Whether the counter of a passkey, in the authenticator data that it signed, does not go back. A synced passkey counts nothing: 0.
create function gate_private.counter_goes_on(p_passkey gate.passkey, p_counter bigint) returns boolean
language sql immutable
return p_counter > p_passkey.sign_count or p_counter = 0 and p_passkey.sign_count = 0;

-- The highest strength of consent that a passkey proves: `passkey`, or `page` where it is younger than the policy says, or synced where
-- the policy requires one that is bound to its device. The tenant must be set.
create function gate_private.passkey_strength(p_passkey gate.passkey) returns text
language sql stable as $$
  select case
    when clock_timestamp() < p_passkey.created_at
      + coalesce((p.document ->> 'passkey_settles_after_hours')::double precision, 1) * interval '1 hour' then 'page'
    when (p.document ->> 'passkey_device_bound')::boolean and not p_passkey.is_device_bound then 'page'
    else 'passkey'
  end
  from gate.account c
  left join gate.policy p on p.account_id = c.account_id and p.version = c.policy_version
  where c.account_id = p_passkey.account_id
$$;

-- Checks the passkey of a decision of a member: that it is theirs and was not removed, that its number was made for this action and is used
-- once, and that its counter goes on. The signature was checked before, and is checked again by everyone who verifies the entry.
-- p_digest and p_card: of what the member saw. problem: passkey_unknown, passkey_used or passkey_counter; the number is used up then, and nothing else.
-- evidence: for the entry.
create function gate_private.take_passkey(
  p_row gate.action, p_member text, p_decision text, p_digest text, p_card bytea, p_passkey jsonb,
  out problem text, out strength_max text, out evidence json
)
language plpgsql as $$
declare
  given record;
  known gate.passkey;
  signed bytea;
  counter bigint;
begin
  select * into given from jsonb_to_record(p_passkey) as fields(
    credential bytea, client_data text, authenticator_data bytea, signature bytea, nonce bytea
  );
  perform gate_private.require_fields(p_passkey, to_jsonb(given));
  select * into known from gate.passkey p
  where p.account_id = p_row.account_id and p.member_id = p_member and p.credential = given.credential
    and p.removed_at is null
  for update;
  if not found then
    problem := 'passkey_unknown';
    return;
  end if;
  if not gate_private.use_passkey_nonce(given.nonce, 'decide', p_row.account_id, p_member, p_row.id) then
    problem := 'passkey_used';
    return;
  end if;
  signed := sha256(
    convert_to('qualification-gate/consent/v1', 'UTF8') || '\x00'::bytea || decode(p_digest, 'hex')
    || case p_decision when 'confirm' then '\x01'::bytea else '\x00'::bytea end || p_card || given.nonce);
  if (given.client_data::jsonb ->> 'challenge')
    is distinct from rtrim(translate(encode(signed, 'base64'), '+/', '-_'), '=')
    -- Present and verified.
    or get_byte(given.authenticator_data, 32) & 5 <> 5
  then
    raise exception 'the passkey signed another decision' using errcode = 'check_violation';
  end if;
  counter := ('x' || encode(substring(given.authenticator_data from 34 for 4), 'hex'))::bit(32)::bigint;
  if not gate_private.counter_goes_on(known, counter) then
    problem := 'passkey_counter';
    return;
  end if;
  update gate.passkey p set sign_count = counter, used_at = clock_timestamp()
  where p.account_id = known.account_id and p.passkey_id = known.passkey_id;
  strength_max := gate_private.passkey_strength(known);
  evidence := json_build_object(
    'passkey', known.passkey_id, 'device_bound', known.is_device_bound,
    'credential', encode(known.credential, 'hex'), 'public_key', encode(known.public_key, 'hex'),
    'client_data', given.client_data, 'authenticator_data', encode(given.authenticator_data, 'hex'),
    'signature', encode(given.signature, 'hex'), 'nonce', encode(given.nonce, 'hex'), 'digest', p_digest);
end $$;

-- The passkey with which somebody wants to sign in, and its keys; no row: nobody has it any more.
create function gate.find_passkey(p_account text, p_credential bytea)
returns table (passkey_id text, member_id text, credential bytea, public_key bytea, sign_count bigint)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  return query
    select p.passkey_id, p.member_id, p.credential, p.public_key, p.sign_count
    from gate.passkey p
    where p.account_id = p_account and p.credential = p_credential and p.removed_at is null;
end $$;

-- Begins a session by a passkey, whose signature was checked, instead of the browser's former one. See begin_session.
-- Returns signed_in, or why not: unknown (also without a mailbox), used (its number), counter.
create function gate.begin_passkey_session(
  p_account text, p_credential bytea, p_nonce bytea, p_sign_count bigint, p_token bytea, p_session text, p_lasts_ms bigint,
  p_former bytea, p_asker bytea, p_browser text, p_address text
) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  known gate.passkey;
  mailbox bytea;
begin
  perform gate.tenant(p_account);
  select * into known from gate.passkey p
  where p.account_id = p_account and p.credential = p_credential and p.removed_at is null
  for update;
  if not found or gate_private.is_company_only(p_account) then
    return 'unknown';
  end if;
  if not gate_private.use_passkey_nonce(p_nonce, 'sign_in', null, null, null) then
    return 'used';
  end if;
  select b.hash into mailbox from gate_private.mailbox b where b.account_id = p_account and b.holder = known.member_id;
  if not found then
    return 'unknown';
  end if;
  if not gate_private.counter_goes_on(known, p_sign_count) then
    return 'counter';
  end if;
  update gate.passkey p set sign_count = p_sign_count, used_at = clock_timestamp()
  where p.account_id = p_account and p.passkey_id = known.passkey_id;
  insert into gate_private.session (
    token, session_id, account_id, mailbox, admin_id, member_id, expires_at, browser, address, seen_address, passkey_id)
  values (
    p_token, p_session, p_account, mailbox,
    case when gate_private.reads_mailbox(p_account, known.admin_id, mailbox) then known.admin_id end, known.member_id,
    clock_timestamp() + p_lasts_ms * interval '1 millisecond', p_browser, p_address, p_address, known.passkey_id);
  delete from gate_private.session s where s.token = p_former;
  perform gate_private.keep_asker(mailbox, p_asker);
  return 'signed_in';
end $$;
