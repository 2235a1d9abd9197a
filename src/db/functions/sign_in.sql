-- Sign-in links, and the mailboxes that they are sent to.

-- The accounts in which someone reads this mailbox: up to p_limit.
create function gate.find_mailbox(p_email text, p_limit integer)
returns table (account_id text, account_name text, address text, is_admin boolean, is_company_only boolean)
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
      select c.account_id, c.name, coalesce(a.email, m.email), a.admin_id is not null, gate_private.is_company_only(c.account_id)
      from gate.account c
      left join gate.admin a on a.account_id = c.account_id and lower(a.email) = lower(p_email) and a.removed_at is null
      left join gate.member m on m.account_id = c.account_id and lower(m.email) = lower(p_email) and m.is_active
      where c.account_id = listed and (a.admin_id is not null or m.member_id is not null);
  end loop;
end $$;

-- Creates a link for the readers of a mailbox, to be mailed there, unless it was sent enough links. Anyone can ask for one,
-- so links are counted in three shares, each over an hour:
--  known: from a network where someone signed in to this mailbox before, p_asker_max for each network;
--  stranger: from another network, p_asker_max for each network and p_strangers_max together;
--  standing: beyond those, one if no valid link was mailed for p_standing_ms. Links are valid for longer than that, so anyone
--  who is refused has a link in the mailbox that still works. Strangers can neither lock the owner out nor send more mails.
-- The tokens of earlier links are not stored, so each mail has a new link, valid beside the old ones.
-- Returns the share that was used; null if the mailbox was sent enough links, or if nobody reads it.
create function gate.make_sign_in_link(
  p_token bytea, p_account text, p_email text, p_asker bytea, p_lasts_ms bigint, p_asker_max integer,
  p_strangers_max integer, p_standing_ms bigint
) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  asked bytea := gate_private.mailbox_hash(p_email);
  known boolean;
  of_asker bigint;
  of_strangers bigint;
  standing bigint;
  share text;
begin
  -- Concurrent requests are counted one after the other.
  perform 1 from gate_private.mailbox b where b.account_id = p_account and b.hash = asked order by b.holder for update;
  known := exists (
    select 1 from gate_private.sign_in_asker k
    where k.mailbox = asked and k.asker = p_asker and k.seen_at > clock_timestamp() - interval '90 days');
  select count(*) filter (where l.asker = p_asker), count(*) filter (where not l.is_known),
    count(*) filter (where l.used_at is null and l.expires_at > clock_timestamp()
      and l.created_at > clock_timestamp() - p_standing_ms * interval '1 millisecond')
  into of_asker, of_strangers, standing
  from gate_private.sign_in_link l
  where l.mailbox = asked and l.account_id = p_account and l.asker is not null
    and l.created_at > clock_timestamp() - interval '1 hour';
  share := case
    when known and of_asker < p_asker_max then 'known'
    when not known and of_asker < p_asker_max and of_strangers < p_strangers_max then 'stranger'
    when standing = 0 then 'standing'
  end;
  if share is null or not gate_private.make_link(p_token, p_account, asked, p_lasts_ms) then
    return null;
  end if;
  update gate_private.sign_in_link l set asker = p_asker, is_known = known where l.token = p_token;
  return share;
end $$;

-- Creates a link for the present readers of a mailbox in the account. Returns whether there are any.
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

-- Deletes a link that could not be sent: it counts no more.
create function gate.drop_sign_in_link(p_token bytea) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  delete from gate_private.sign_in_link l where l.token = p_token
$$;

-- A link and whom it is for; no row if the token is unknown. Changes nothing. state: open, used, expired, gone (nobody it was
-- made for reads the mailbox any more).
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

-- The state of a link: see find_sign_in_link.
create function gate_private.link_state(p_link gate_private.sign_in_link) returns text
language sql as $$
  select case
    when p_link.used_at is not null then 'used'
    when p_link.expires_at <= clock_timestamp() then 'expired'
    -- Only the command line signs in beside the company, by a link that it prints.
    when p_link.asker is not null and gate_private.is_company_only(p_link.account_id) then 'gone'
    when gate_private.reads_mailbox(p_link.account_id, p_link.admin_id, p_link.mailbox)
      or gate_private.reads_mailbox(p_link.account_id, p_link.member_id, p_link.mailbox) then 'open'
    else 'gone'
  end
$$;

-- Whether this member or administrator reads the mailbox now.
create function gate_private.reads_mailbox(p_account text, p_holder text, p_mailbox bytea) returns boolean
language sql stable as $$
  select exists (
    select 1 from gate_private.mailbox b where b.account_id = p_account and b.holder = p_holder and b.hash = p_mailbox
  )
$$;

-- The hash that a mailbox is found by.
create function gate_private.mailbox_hash(p_email text) returns bytea
language sql immutable
return sha256(convert_to(lower(p_email), 'UTF8'));

-- Stores which mailbox a member or administrator reads; p_email null: none. Links, sessions and devices of the former mailbox end,
-- also if they get it back later.
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
  -- A link of this person alone stays, so that its page can say that it is no longer valid: nobody reads mailbox ''.
  update gate_private.sign_in_link l set mailbox = ''
  where l.account_id = p_account and p_holder in (l.admin_id, l.member_id) and (l.admin_id is null or l.member_id is null);
  update gate_private.sign_in_link l set admin_id = nullif(l.admin_id, p_holder), member_id = nullif(l.member_id, p_holder)
  where l.account_id = p_account and p_holder in (l.admin_id, l.member_id) and l.admin_id is not null and l.member_id is not null;
  perform gate_private.end_sessions(p_account, p_holder);
  delete from gate.push_device d where d.account_id = p_account and d.member_id = p_holder;
  if next is null then
    delete from gate_private.mailbox b where b.account_id = p_account and b.holder = p_holder;
    return;
  end if;
  insert into gate_private.mailbox (hash, account_id, holder) values (next, p_account, p_holder)
  on conflict on constraint mailbox_pkey do update set hash = excluded.hash;
end $$;

-- Ends the sessions of a member or administrator. Of a person who is both, the other half stays.
create function gate_private.end_sessions(p_account text, p_holder text) returns void
language plpgsql as $$
begin
  delete from gate_private.session s
  where s.account_id = p_account and p_holder in (s.admin_id, s.member_id) and (s.admin_id is null or s.member_id is null);
  update gate_private.session s set admin_id = nullif(s.admin_id, p_holder), member_id = nullif(s.member_id, p_holder)
  where s.account_id = p_account and p_holder in (s.admin_id, s.member_id);
end $$;

-- Stores from which network someone signed in to a mailbox: the last 20.
create function gate_private.keep_asker(p_mailbox bytea, p_asker bytea) returns void
language plpgsql as $$
begin
  if p_asker is null then
    return;
  end if;
  insert into gate_private.sign_in_asker (mailbox, asker) values (p_mailbox, p_asker)
  on conflict on constraint sign_in_asker_pkey do update set seen_at = clock_timestamp();
  delete from gate_private.sign_in_asker k where k.mailbox = p_mailbox and k.asker in (
    select o.asker from gate_private.sign_in_asker o
    where o.mailbox = p_mailbox
    order by o.seen_at desc, o.asker
    offset 20);
end $$;
