-- A changed e-mail or Slack identity of a member: who is told of it, and from when it counts as theirs.

-- An e-mail or a Slack identity that was set after its member was made. No row: it is as the member was made.
-- changed_at: when it took the place of another, also of one that had been removed; null for a first one. changed_by: the
-- actor of the ledger's entry; null where nobody said who acted. confirmed_*: an administrator, who had not changed it.
-- former: the last one, while the member has none, to be told of the next.
create table gate.identity_change (
  account_id text not null,
  member_id text not null,
  via text not null,
  set_at timestamptz not null,
  changed_at timestamptz,
  changed_by text,
  confirmed_at timestamptz,
  confirmed_by text,
  former text,
  constraint identity_change_pkey primary key (account_id, member_id, via),
  constraint identity_change_member_fkey foreign key (account_id, member_id) references gate.member,
  constraint identity_change_via_known check (via in ('email', 'slack')),
  constraint identity_change_confirmed_whole check ((confirmed_at is null) = (confirmed_by is null)),
  constraint identity_change_confirmed_a_change check (confirmed_at is null or changed_at is not null)
);

-- A message that tells somebody of a changed identity; deleted once it is sent or given up. address: where it goes, which is
-- not the new one. next: the new identity, masked; null where it was removed.
create table gate.identity_notice (
  account_id text not null,
  notice_id uuid not null default gen_random_uuid(),
  member_id text not null,
  via text not null,
  address text not null,
  identity text not null,
  next text,
  is_first boolean not null,
  changed_by text,
  changed_at timestamptz not null,
  constraint identity_notice_pkey primary key (account_id, notice_id),
  constraint identity_notice_member_fkey foreign key (account_id, member_id) references gate.member,
  constraint identity_notice_via_known check (via in ('email', 'slack')),
  constraint identity_notice_identity_known check (identity in ('email', 'slack'))
);

-- When a message is due to be sent, or to be tried again. No address stands here.
create table gate_private.identity_notice_due (
  notice_id uuid not null,
  account_id text not null,
  tries integer not null default 0,
  due_at timestamptz not null default clock_timestamp(),
  constraint identity_notice_due_pkey primary key (notice_id)
);
create index identity_notice_due_by_time on gate_private.identity_notice_due (due_at);

alter table gate.identity_change enable row level security, force row level security;
alter table gate.identity_notice enable row level security, force row level security;
create policy tenant on gate.identity_change using (account_id = gate.current_account());
create policy tenant on gate.identity_notice using (account_id = gate.current_account());

-- Members without an e-mail or a Slack identity from whom it was taken before this was kept: their next one is a change.
do $$
declare
  listed text;
begin
  for listed in select d.account_id from gate_private.account_directory d loop
    perform gate.tenant(listed);
    insert into gate.identity_change (account_id, member_id, via, set_at, changed_at, changed_by)
    select distinct on (m.member_id, v.via) m.account_id, m.member_id, v.via, l.at, l.at, l.entry::json ->> 'actor'
    from gate.member m
    cross join (values ('email'), ('slack')) v(via)
    join gate.ledger l on l.account_id = m.account_id and l.kind = 'member_changed'
    where m.account_id = listed and case v.via when 'email' then m.email else m.slack end is null
      and l.entry::json -> 'data' ->> 'member' = m.member_id
      and l.entry::jsonb -> 'data' -> 'fields' ? v.via
    order by m.member_id, v.via, l.seq desc;
  end loop;
end $$;

-- The first letter of an address, and its domain; of a Slack id the first and the last two.
create function gate_private.masked(p_via text, p_identity text) returns text
language sql immutable
return case p_via
  when 'email' then regexp_replace(p_identity, '^(.).*@', '\1…@')
  else left(p_identity, 1) || '…' || right(p_identity, 2)
end;

-- Stores a change of one identity, and the messages about it: to the old identity, and to the member's other one.
-- At most 20 messages of a member wait at a time: who changes on and on tells nothing new.
create function gate_private.keep_identity(
  p_before gate.member, p_via text, p_old text, p_new text, p_now timestamptz
) returns void
language plpgsql as $$
declare
  known gate.identity_change;
  actor text := nullif(current_setting('gate.actor', true), '');
  is_change boolean;
  changed timestamptz;
  told gate.identity_notice;
begin
  -- Addresses are the same whatever their case.
  if lower(p_old) is not distinct from lower(p_new) then
    return;
  end if;
  select * into known from gate.identity_change i
  where i.account_id = p_before.account_id and i.member_id = p_before.member_id and i.via = p_via;
  is_change := p_old is not null or known.changed_at is not null;
  -- Each change has a time of its own, by which it is confirmed.
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
      gate_private.masked(p_via, p_new), not is_change, actor, p_now
    from (values
      ('email', case p_via when 'email' then coalesce(p_old, known.former) else p_before.email end),
      ('slack', case p_via when 'slack' then coalesce(p_old, known.former) else p_before.slack end)
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

create function gate_private.keep_identities() returns trigger
language plpgsql as $$
declare
  changed_at timestamptz := date_trunc('milliseconds', clock_timestamp());
begin
  perform gate_private.keep_identity(old, 'email', old.email, new.email, changed_at);
  perform gate_private.keep_identity(old, 'slack', old.slack, new.slack, changed_at);
  return null;
end $$;
create trigger member_identities after update on gate.member
  for each row when (old.email is distinct from new.email or old.slack is distinct from new.slack)
  execute function gate_private.keep_identities();

-- How long a changed identity counts as the agent's word alone, by the policy in force. 24 hours where it says nothing.
create function gate_private.settles_after_hours(p_account text) returns numeric
language sql stable as $$
  select coalesce((p.document ->> 'mailbox_settles_after_hours')::numeric, 24)
  from gate.account c
  left join gate.policy p on p.account_id = c.account_id and p.version = c.policy_version
  where c.account_id = p_account
$$;

-- The identity that a decision came through: the console is reached through the mailbox.
create function gate_private.identity_of(p_via text) returns text
language sql immutable
return case when p_via in ('email', 'console') then 'email' when p_via = 'slack' then 'slack' end;

-- The most that a decision through an identity counts as now: agent_attested while it is new in the place of another and no
-- second administrator has confirmed it; else null. p_via: email, console or slack. Assumes the tenant.
create function gate_private.strength_cap(p_account text, p_member_id text, p_via text) returns text
language sql stable as $$
  select 'agent_attested'
  from gate.identity_change i
  where i.account_id = p_account and i.member_id = p_member_id and i.via = gate_private.identity_of(p_via)
    and i.changed_at is not null and i.confirmed_at is null
    and clock_timestamp() < i.changed_at + gate_private.settles_after_hours(p_account)::double precision * interval '1 hour'
$$;

-- For how many whole hours the member has had the identity that a decision came through; null for other ways.
create function gate_private.mailbox_age_hours(p_account text, p_member_id text, p_via text) returns integer
language sql stable as $$
  select greatest(0, floor(extract(epoch from clock_timestamp() - coalesce(i.set_at, m.created_at)) / 3600))::integer
  from gate.member m
  left join gate.identity_change i on i.account_id = m.account_id and i.member_id = m.member_id
    and i.via = gate_private.identity_of(p_via)
  where m.account_id = p_account and m.member_id = p_member_id and gate_private.identity_of(p_via) is not null
$$;

-- A second administrator says that a changed identity is the member's. The command line may not: whoever changes on it
-- would confirm on it. p_changed_at: the change that they were shown.
-- Returns confirmed, or why not: missing (there is no such change, or the identity is removed), moved (it was changed again),
-- confirmed_before, unknown_changer, not_admin, same_admin (who changed it), new_admin (made after the change),
-- own_mailbox (it is the administrator's own address).
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
    when known.changed_at is null or case p_via when 'email' then member.email else member.slack end is null then 'missing'
    when known.changed_at is distinct from p_changed_at then 'moved'
    when known.confirmed_at is not null then 'confirmed_before'
    when known.changed_by is null then 'unknown_changer'
    when known.changed_by = actor then 'same_admin'
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

-- Takes messages that are due; others skip each for p_again_ms, twice as long after each try.
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
    update gate_private.identity_notice_due d set
      tries = d.tries + 1,
      due_at = clock_timestamp() + p_again_ms * (2 ^ least(d.tries, 20)) * interval '1 millisecond'
    where d.notice_id in (
      select o.notice_id from gate_private.identity_notice_due o
      where o.due_at <= clock_timestamp()
      order by o.due_at
      limit p_limit
      for update skip locked)
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

-- Forgets a message that was sent or given up.
create function gate.end_identity_notice(p_account text, p_notice uuid) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  delete from gate.identity_notice n where n.account_id = p_account and n.notice_id = p_notice;
  delete from gate_private.identity_notice_due d where d.notice_id = p_notice and d.account_id = p_account;
end $$;
