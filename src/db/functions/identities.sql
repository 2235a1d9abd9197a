-- Changed e-mail addresses and chat identities of members: who is told, and from when the new identity proves anything.

-- Where a member is reached, by the way: email, slack or teams.
create function gate_private.address_of(p_member gate.member, p_via text) returns text
language sql immutable
return case p_via when 'email' then p_member.email when 'slack' then p_member.slack when 'teams' then p_member.teams end;

-- Stores the change of an identity and creates the messages about it: to the old identity and to the member's other ones.
-- At most 20 messages to a member wait at a time, however often it changes.
create function gate_private.keep_identity(
  p_before gate.member, p_via text, p_old text, p_new text, p_now timestamptz
) returns void
language plpgsql as $$
declare
  known gate.identity_change;
  actor text := nullif(current_setting('gate.actor', true), '');
  is_first boolean;
  is_change boolean;
  changed timestamptz;
  told gate.identity_notice;
begin
  -- Case does not matter in an address.
  if lower(p_old) is not distinct from lower(p_new) then
    return;
  end if;
  select * into known from gate.identity_change i
  where i.account_id = p_before.account_id and i.member_id = p_before.member_id and i.via = p_via;
  is_first := p_old is null and known.changed_at is null;
  -- The first chat identity of a member who has, or had, another way to be asked would be a weaker one, or one more. An identity
  -- that is set together with it is no way yet.
  is_change := not is_first or (
    p_new is not null and p_via <> 'email' and (
      p_before.email is not null or p_before.slack is not null and p_via = 'teams'
      or p_before.teams is not null and p_via = 'slack' or exists (
        select from gate.identity_change i
        where i.account_id = p_before.account_id and i.member_id = p_before.member_id and i.via <> p_via
          and (i.set_at < p_now or i.changed_at is not null)
      )));
  -- Each change has its own time: a confirmation names it.
  changed := case when is_change then greatest(p_now, known.changed_at + interval '1 millisecond') end;
  insert into gate.identity_change (account_id, member_id, via, set_at, changed_at, changed_by, former)
  values (
    p_before.account_id, p_before.member_id, p_via, p_now, changed, case when is_change then actor end,
    case when p_new is null then p_old end)
  on conflict on constraint identity_change_pkey do update set
    set_at = excluded.set_at, changed_at = excluded.changed_at, changed_by = excluded.changed_by,
    confirmed_at = null, confirmed_by = null, former = excluded.former;
  for told in
    select p_before.account_id, gen_random_uuid(), p_before.member_id, w.via, w.address, p_via,
      gate_private.masked(p_via, p_new), is_first, actor, p_now
    from (values
      ('email', case p_via when 'email' then coalesce(p_old, known.former) else p_before.email end),
      ('slack', case p_via when 'slack' then coalesce(p_old, known.former) else p_before.slack end),
      ('teams', case p_via when 'teams' then coalesce(p_old, known.former) else p_before.teams end)
    ) w(via, address)
    where w.address is not null
  loop
    exit when 20 <= (
      select count(*) from gate.identity_notice n
      where n.account_id = p_before.account_id and n.member_id = p_before.member_id
    );
    insert into gate.identity_notice select told.*;
    insert into gate_private.identity_notice_due (notice_id, account_id) values (told.notice_id, told.account_id);
  end loop;
end $$;

-- An address as its first letter and its domain; an id as its first letter and its last two.
create function gate_private.masked(p_via text, p_identity text) returns text
language sql immutable
return case p_via
  when 'email' then regexp_replace(p_identity, '^(.).*@', '\1…@')
  else left(p_identity, 1) || '…' || right(p_identity, 2)
end;

-- `agent_attested` if a decision through this identity proves no more than that: the identity replaced another recently, and
-- no second administrator confirmed it. Else null. p_via: email, console, slack or teams. The tenant must be set.
create function gate_private.strength_cap(p_account text, p_member_id text, p_via text) returns text
language sql stable as $$
  select 'agent_attested'
  from gate.identity_change i
  where i.account_id = p_account and i.member_id = p_member_id and i.via = gate_private.identity_of(p_via)
    and i.changed_at is not null and i.confirmed_at is null
    and clock_timestamp() < i.changed_at + gate_private.settles_after_hours(p_account)::double precision * interval '1 hour'
$$;

-- For how many hours a changed identity proves nothing more, by the policy in force. Default: 24.
create function gate_private.settles_after_hours(p_account text) returns numeric
language sql stable as $$
  select coalesce((p.document ->> 'mailbox_settles_after_hours')::numeric, 24)
  from gate.account c
  left join gate.policy p on p.account_id = c.account_id and p.version = c.policy_version
  where c.account_id = p_account
$$;

-- The identity that a decision came through. The console is reached through the mailbox.
create function gate_private.identity_of(p_via text) returns text
language sql immutable
return case when p_via in ('email', 'console') then 'email' when p_via in ('slack', 'teams') then p_via end;

-- For how many whole hours the member has had the identity that a decision came through. Null for other channels.
create function gate_private.mailbox_age_hours(p_account text, p_member_id text, p_via text) returns integer
language sql stable as $$
  select greatest(0, floor(extract(epoch from clock_timestamp() - coalesce(i.set_at, m.created_at)) / 3600))::integer
  from gate.member m
  left join gate.identity_change i on i.account_id = m.account_id and i.member_id = m.member_id
    and i.via = gate_private.identity_of(p_via)
  where m.account_id = p_account and m.member_id = p_member_id and gate_private.identity_of(p_via) is not null
$$;

-- A second administrator confirms that a changed identity is the member's. The command line cannot: someone who changed the
-- identity there would confirm it there. p_changed_at: the change that the administrator was shown.
-- Returns confirmed, or why not: missing (no such change, or the identity was removed), moved (changed again),
-- confirmed_before, unknown_changer, not_admin, same_admin (who changed it), new_admin (added after the change), own_mailbox
-- (it is the administrator's own address).
create function gate.confirm_identity(
  p_account text, p_session bytea, p_member text, p_via text, p_changed_at timestamptz, p_event uuid
) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  known gate.identity_change;
  admin gate.admin;
  member gate.member;
  actor text;
  obstacle text;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session);
  select * into admin from gate.admin a
  where a.account_id = p_account and 'admin:' || a.admin_id = actor and a.removed_at is null;
  select * into member from gate.member m where m.account_id = p_account and m.member_id = p_member;
  select * into known from gate.identity_change i
  where i.account_id = p_account and i.member_id = p_member and i.via = p_via;
  obstacle := case
    when admin.admin_id is null then 'not_admin'
    when known.changed_at is null or gate_private.address_of(member, p_via) is null then 'missing'
    when known.changed_at is distinct from p_changed_at then 'moved'
    when known.confirmed_at is not null then 'confirmed_before'
    when known.changed_by is null then 'unknown_changer'
    when actor in (known.changed_by, gate_private.minter_of(p_account, known.changed_by)) then 'same_admin'
    when admin.created_at >= known.changed_at then 'new_admin'
    when p_via = 'email' and lower(admin.email) = lower(member.email) then 'own_mailbox'
  end;
  if obstacle is not null then
    return obstacle;
  end if;
  update gate.identity_change i set confirmed_at = clock_timestamp(), confirmed_by = actor
  where i.account_id = p_account and i.member_id = p_member and i.via = p_via;
  update gate.member m set version = m.version + 1 where m.account_id = p_account and m.member_id = p_member;
  perform gate_private.note(
    p_account, p_event, 'member_changed', null, actor, null,
    jsonb_build_object('member', p_member, 'change', 'identity_confirmed', 'fields', jsonb_build_array(p_via)));
  return 'confirmed';
end $$;

-- Who minted the API key that an actor is; null for other actors.
create function gate_private.minter_of(p_account text, p_actor text) returns text
language sql stable as $$
  select k.minted_by from gate.api_key k where k.account_id = p_account and 'admin:' || k.key_id = p_actor
$$;

-- Takes messages that are due. Each is put off for p_again_ms, doubled with each try, so that nobody else takes it meanwhile.
create function gate.take_identity_notices(p_limit integer, p_again_ms bigint)
returns table (
  account_id text, notice_id uuid, via text, address text, identity text, next text, is_first boolean,
  changed_by text, changed_at timestamptz, tries integer, account_name text, integrations_version bigint,
  settles_after_hours double precision
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  due gate_private.identity_notice_due;
begin
  for due in
    with picked as materialized (
      select o.notice_id from gate_private.identity_notice_due o
      where o.due_at <= clock_timestamp()
      order by o.due_at
      limit p_limit
      for update skip locked
    )
    update gate_private.identity_notice_due d set
      tries = d.tries + 1,
      due_at = clock_timestamp() + p_again_ms * (2 ^ least(d.tries, 20)) * interval '1 millisecond'
    where d.notice_id in (select p.notice_id from picked p)
    returning d.*
  loop
    perform gate.tenant(due.account_id);
    return query
      select n.account_id, n.notice_id, n.via, n.address, n.identity, n.next, n.is_first,
        coalesce(a.email, n.changed_by), n.changed_at, due.tries, c.name, c.integrations_version,
        gate_private.settles_after_hours(n.account_id)::double precision
      from gate.identity_notice n
      join gate.account c on c.account_id = n.account_id
      left join gate.admin a on a.account_id = n.account_id and 'admin:' || a.admin_id = n.changed_by
      where n.account_id = due.account_id and n.notice_id = due.notice_id;
  end loop;
end $$;

-- Deletes a message that was sent or given up.
create function gate.end_identity_notice(p_account text, p_notice uuid) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  delete from gate.identity_notice n where n.account_id = p_account and n.notice_id = p_notice;
  delete from gate_private.identity_notice_due d where d.notice_id = p_notice and d.account_id = p_account;
end $$;
