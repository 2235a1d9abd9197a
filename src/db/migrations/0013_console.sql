-- Who administers an account, and how people come to the console: by a link that is sent to their mailbox.

-- An administrator: whoever reads this mailbox. Removed ones stay, since the ledger names them.
create table gate.admin (
  account_id text not null,
  admin_id text not null,
  email text not null,
  created_at timestamptz not null default clock_timestamp(),
  removed_at timestamptz,
  constraint admin_pkey primary key (account_id, admin_id),
  constraint admin_account_fkey foreign key (account_id) references gate.account,
  constraint admin_id_form check (admin_id ~ '^adm_[0-9A-Za-z]{16}$'),
  constraint admin_email_length check (length(email) between 3 and 254)
);
create unique index admin_email_key on gate.admin (account_id, lower(email)) where removed_at is null;

alter table gate.admin enable row level security, force row level security;
create policy tenant on gate.admin using (account_id = gate.current_account());

-- Who reads which mailbox: an active member or an administrator that is not removed. Found by the hash of the address,
-- before any account is known; kept by the triggers below.
create table gate_private.mailbox (
  hash bytea not null,
  account_id text not null,
  holder text not null,
  constraint mailbox_pkey primary key (account_id, holder)
);
create index mailbox_by_hash on gate_private.mailbox (hash);

-- A link to sign in, found by the hash of its token. Good for those it was made for, while they read that mailbox, until
-- it expires or is used.
create table gate_private.sign_in_link (
  token bytea not null,
  account_id text not null,
  mailbox bytea not null,
  admin_id text,
  member_id text,
  expires_at timestamptz not null,
  used_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  constraint sign_in_link_pkey primary key (token),
  constraint sign_in_link_for_somebody check (admin_id is not null or member_id is not null)
);
create index sign_in_link_by_mailbox on gate_private.sign_in_link (mailbox);
create index sign_in_link_expiring on gate_private.sign_in_link (expires_at);

-- A browser that is signed in, found by the hash of its token. What it may do is read at each request from who still
-- reads the mailbox: rights of a session shrink and never grow.
create table gate_private.session (
  token bytea not null,
  session_id text not null,
  account_id text not null,
  mailbox bytea not null,
  admin_id text,
  member_id text,
  created_at timestamptz not null default clock_timestamp(),
  seen_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null,
  constraint session_pkey primary key (token),
  constraint session_id_key unique (session_id),
  constraint session_of_somebody check (admin_id is not null or member_id is not null)
);
create index session_by_account on gate_private.session (account_id, mailbox);
create index session_expiring on gate_private.session (expires_at);

create function gate_private.mailbox_hash(p_email text) returns bytea
language sql immutable
return sha256(convert_to(lower(p_email), 'UTF8'));

-- p_email null: this holder reads no mailbox any more. Whoever loses a mailbox loses what was begun through it, also where
-- it is given back later.
create function gate_private.keep_mailbox(p_account text, p_holder text, p_email text) returns void
language plpgsql as $$
declare
  former bytea;
  next bytea := gate_private.mailbox_hash(p_email);
begin
  select b.hash into former from gate_private.mailbox b where b.account_id = p_account and b.holder = p_holder;
  if former is not distinct from next then
    return;
  end if;
  -- A link that was theirs alone stays, and says that it is over: it is of no mailbox that anybody reads.
  update gate_private.sign_in_link l set mailbox = ''
  where l.account_id = p_account and p_holder in (l.admin_id, l.member_id) and (l.admin_id is null or l.member_id is null);
  update gate_private.sign_in_link l set admin_id = nullif(l.admin_id, p_holder), member_id = nullif(l.member_id, p_holder)
  where l.account_id = p_account and p_holder in (l.admin_id, l.member_id) and l.admin_id is not null and l.member_id is not null;
  delete from gate_private.session s
  where s.account_id = p_account and p_holder in (s.admin_id, s.member_id) and (s.admin_id is null or s.member_id is null);
  update gate_private.session s set admin_id = nullif(s.admin_id, p_holder), member_id = nullif(s.member_id, p_holder)
  where s.account_id = p_account and p_holder in (s.admin_id, s.member_id);
  if next is null then
    delete from gate_private.mailbox b where b.account_id = p_account and b.holder = p_holder;
    return;
  end if;
  insert into gate_private.mailbox (hash, account_id, holder) values (next, p_account, p_holder)
  on conflict on constraint mailbox_pkey do update set hash = excluded.hash;
end $$;

create function gate_private.keep_member_mailbox() returns trigger
language plpgsql as $$
begin
  perform gate_private.keep_mailbox(new.account_id, new.member_id, case when new.is_active then new.email end);
  return null;
end $$;
create trigger member_mailbox after insert or update of email, is_active on gate.member
  for each row execute function gate_private.keep_member_mailbox();

create function gate_private.keep_admin_mailbox() returns trigger
language plpgsql as $$
begin
  perform gate_private.keep_mailbox(new.account_id, new.admin_id, case when new.removed_at is null then new.email end);
  return null;
end $$;
create trigger admin_mailbox after insert or update of email, removed_at on gate.admin
  for each row execute function gate_private.keep_admin_mailbox();

-- The members there are, account by account: row-level security shows no others.
do $$
declare
  listed text;
begin
  for listed in select d.account_id from gate_private.account_directory d loop
    perform gate.tenant(listed);
    perform gate_private.keep_mailbox(m.account_id, m.member_id, m.email)
    from gate.member m
    where m.account_id = listed and m.is_active and m.email is not null;
  end loop;
end $$;

-- Makes an administrator of a mailbox and, where p_link is given, a link to sign in. Returns the id of whoever
-- administers by that mailbox: another one than p_admin where there is one already, and then nothing was done. The link is the
-- administrator's alone: it is printed, and who reads it need not read the mailbox of the member who has the same address.
create function gate.invite_admin(
  p_account text, p_admin text, p_email text, p_link bytea, p_lasts_ms bigint, p_event uuid, p_tail text
) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  known text;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  select a.admin_id into known from gate.admin a
  where a.account_id = p_account and lower(a.email) = lower(p_email) and a.removed_at is null;
  if known <> p_admin then
    return known;
  end if;
  if known is null then
    insert into gate.admin (account_id, admin_id, email) values (p_account, p_admin, p_email);
  end if;
  if p_link is not null then
    insert into gate_private.sign_in_link (token, account_id, mailbox, admin_id, expires_at)
    values (
      p_link, p_account, gate_private.mailbox_hash(p_email), p_admin,
      clock_timestamp() + p_lasts_ms * interval '1 millisecond');
  end if;
  perform gate_private.append(p_account, p_event, 'admin_changed', null, p_tail);
  return p_admin;
end $$;

-- Returns whether there is such an administrator. Removing a removed one changes nothing.
create function gate.remove_admin(p_account text, p_admin text, p_event uuid, p_tail text) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  perform 1 from gate.admin a where a.account_id = p_account and a.admin_id = p_admin;
  if not found then
    return false;
  end if;
  update gate.admin a set removed_at = clock_timestamp()
  where a.account_id = p_account and a.admin_id = p_admin and a.removed_at is null;
  if found then
    perform gate_private.append(p_account, p_event, 'admin_changed', null, p_tail);
  end if;
  return true;
end $$;

-- Where somebody reads this mailbox, a row an account: up to p_limit.
create function gate.find_mailbox(p_email text, p_limit integer)
returns table (account_id text, account_name text, address text, is_admin boolean)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  listed text;
begin
  for listed in
    select distinct b.account_id from gate_private.mailbox b
    where b.hash = gate_private.mailbox_hash(p_email)
    order by b.account_id
    limit p_limit
  loop
    perform gate.tenant(listed);
    return query
      select c.account_id, c.name, coalesce(a.email, m.email), a.admin_id is not null
      from gate.account c
      left join gate.admin a on a.account_id = c.account_id and lower(a.email) = lower(p_email) and a.removed_at is null
      left join gate.member m on m.account_id = c.account_id and lower(m.email) = lower(p_email) and m.is_active
      where c.account_id = listed and (a.admin_id is not null or m.member_id is not null);
  end loop;
end $$;

-- A link for whoever reads that mailbox in the account now. Returns whether anybody does.
create function gate_private.make_link(p_token bytea, p_account text, p_mailbox bytea, p_lasts_ms bigint) returns boolean
language plpgsql as $$
declare
  admin text;
  member text;
begin
  select max(b.holder) filter (where b.holder like 'adm\_%'), max(b.holder) filter (where b.holder not like 'adm\_%')
  into admin, member
  from gate_private.mailbox b
  where b.account_id = p_account and b.hash = p_mailbox;
  if admin is null and member is null then
    return false;
  end if;
  insert into gate_private.sign_in_link (token, account_id, mailbox, admin_id, member_id, expires_at)
  values (p_token, p_account, p_mailbox, admin, member, clock_timestamp() + p_lasts_ms * interval '1 millisecond');
  return true;
end $$;

-- The same for somebody who asks, unless p_links_max links of that mailbox are good already, or p_day_max were made for it
-- within a day: who asks need not read it.
create function gate.make_sign_in_link(
  p_token bytea, p_account text, p_email text, p_lasts_ms bigint, p_links_max integer, p_day_max integer
) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  asked bytea := gate_private.mailbox_hash(p_email);
  good bigint;
  of_day bigint;
begin
  -- Those who ask at once are counted one after the other.
  perform 1 from gate_private.mailbox b where b.account_id = p_account and b.hash = asked order by b.holder for update;
  select count(*) filter (where l.used_at is null and l.expires_at > clock_timestamp()),
    count(*) filter (where l.created_at > clock_timestamp() - interval '1 day')
  into good, of_day
  from gate_private.sign_in_link l
  where l.mailbox = asked and l.account_id = p_account;
  if good >= p_links_max or of_day >= p_day_max then
    return false;
  end if;
  return gate_private.make_link(p_token, p_account, asked, p_lasts_ms);
end $$;

-- Takes back a link that reached nobody: it counts no more.
create function gate.drop_sign_in_link(p_token bytea) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  delete from gate_private.sign_in_link l where l.token = p_token
$$;

-- A link, and for whom it is; no row where nobody made it. Changes nothing. state: open, used, expired, gone (nobody
-- whom it was made for reads that mailbox any more).
create function gate.find_sign_in_link(p_token bytea)
returns table (state text, account_id text, account_name text, is_admin boolean, is_member boolean, expires_at timestamptz)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  link gate_private.sign_in_link;
begin
  select * into link from gate_private.sign_in_link l where l.token = p_token;
  if not found then
    return;
  end if;
  perform gate.tenant(link.account_id);
  return query
    select gate_private.link_state(link), c.account_id, c.name,
      gate_private.reads_mailbox(link.account_id, link.admin_id, link.mailbox),
      gate_private.reads_mailbox(link.account_id, link.member_id, link.mailbox), link.expires_at
    from gate.account c
    where c.account_id = link.account_id;
end $$;

create function gate_private.reads_mailbox(p_account text, p_holder text, p_mailbox bytea) returns boolean
language sql stable as $$
  select exists (
    select 1 from gate_private.mailbox b where b.account_id = p_account and b.holder = p_holder and b.hash = p_mailbox
  )
$$;

create function gate_private.link_state(p_link gate_private.sign_in_link) returns text
language sql stable as $$
  select case
    when p_link.used_at is not null then 'used'
    when p_link.expires_at <= clock_timestamp() then 'expired'
    when gate_private.reads_mailbox(p_link.account_id, p_link.admin_id, p_link.mailbox)
      or gate_private.reads_mailbox(p_link.account_id, p_link.member_id, p_link.mailbox) then 'open'
    else 'gone'
  end
$$;

-- Spends a link and begins a session in place of the one that this browser had: all of it or nothing.
-- Returns signed_in, or why not: unknown, used, expired, gone.
create function gate.begin_session(
  p_link bytea, p_token bytea, p_session text, p_lasts_ms bigint, p_former bytea
) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  link gate_private.sign_in_link;
  state text;
begin
  select * into link from gate_private.sign_in_link l where l.token = p_link for update;
  if not found then
    return 'unknown';
  end if;
  state := gate_private.link_state(link);
  if state <> 'open' then
    return state;
  end if;
  update gate_private.sign_in_link l set used_at = clock_timestamp() where l.token = p_link;
  insert into gate_private.session (token, session_id, account_id, mailbox, admin_id, member_id, expires_at)
  values (
    p_token, p_session, link.account_id, link.mailbox,
    case when gate_private.reads_mailbox(link.account_id, link.admin_id, link.mailbox) then link.admin_id end,
    case when gate_private.reads_mailbox(link.account_id, link.member_id, link.mailbox) then link.member_id end,
    clock_timestamp() + p_lasts_ms * interval '1 millisecond');
  delete from gate_private.session s where s.token = p_former;
  return 'signed_in';
end $$;

-- Who a session is, as of now, and that it was seen, at most once a minute. No row where it is over, was idle too long, or
-- where nobody whose it is reads that mailbox any more.
create function gate.use_session(p_token bytea, p_idle_ms bigint)
returns table (
  session_id text, account_id text, account_name text, is_suspended boolean, admin_id text, member_id text,
  name text, address text, created_at timestamptz, expires_at timestamptz
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  used gate_private.session;
begin
  select * into used from gate_private.session s
  where s.token = p_token and s.expires_at > clock_timestamp()
    and s.seen_at > clock_timestamp() - p_idle_ms * interval '1 millisecond';
  if not found then
    return;
  end if;
  perform gate.tenant(used.account_id);
  return query
    select used.session_id, c.account_id, c.name, c.suspended_at is not null, a.admin_id, m.member_id,
      m.name, coalesce(a.email, m.email), used.created_at, used.expires_at
    from gate.account c
    left join gate.admin a on a.account_id = c.account_id and a.admin_id = used.admin_id and a.removed_at is null
    left join gate.member m on m.account_id = c.account_id and m.member_id = used.member_id and m.is_active
      and gate_private.mailbox_hash(m.email) = used.mailbox
    where c.account_id = used.account_id and (a.admin_id is not null or m.member_id is not null);
  if found and used.seen_at < clock_timestamp() - interval '1 minute' then
    update gate_private.session s set seen_at = clock_timestamp() where s.token = p_token;
  end if;
end $$;

-- The sessions of one person, newest first: those of the administrator, the member, or both that they are.
create function gate.list_sessions(p_account text, p_admin text, p_member text, p_idle_ms bigint, p_limit integer)
returns table (session_id text, created_at timestamptz, seen_at timestamptz, expires_at timestamptz)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select s.session_id, s.created_at, s.seen_at, s.expires_at from gate_private.session s
  where s.account_id = p_account and (s.admin_id = p_admin or s.member_id = p_member)
    and s.expires_at > clock_timestamp() and s.seen_at > clock_timestamp() - p_idle_ms * interval '1 millisecond'
  order by s.created_at desc, s.session_id
  limit p_limit
$$;

-- Ends a session of that person. Returns whether it is theirs.
create function gate.end_session(p_account text, p_admin text, p_member text, p_session text) returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  delete from gate_private.session s
  where s.session_id = p_session and s.account_id = p_account and (s.admin_id = p_admin or s.member_id = p_member);
  return found;
end $$;

-- Forgets links that are over for a day, since those of a day are counted, and sessions that are over for an hour. Returns
-- how many.
create function gate.forget_sign_ins(p_idle_ms bigint, p_limit integer) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  forgotten bigint;
  more bigint;
begin
  delete from gate_private.sign_in_link l where l.token in (
    select o.token from gate_private.sign_in_link o
    where o.expires_at < clock_timestamp() - interval '1 day'
    limit p_limit for update skip locked);
  get diagnostics forgotten = row_count;
  delete from gate_private.session s where s.token in (
    select o.token from gate_private.session o
    where o.expires_at < clock_timestamp() - interval '1 hour'
      or o.seen_at < clock_timestamp() - p_idle_ms * interval '1 millisecond' - interval '1 hour'
    limit p_limit for update skip locked);
  get diagnostics more = row_count;
  return forgotten + more;
end $$;

-- Lists of members are in the order of their names.
create index member_by_name on gate.member (account_id, lower(name), member_id);
