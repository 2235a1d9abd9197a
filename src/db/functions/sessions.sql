-- Console sessions.

-- Uses up a sign-in link and begins a session instead of the browser's former one: all of it or nothing. Stores the network
-- (p_asker) that the sign-in came from, for its share of mails, and for the person the browser and the address.
-- Returns signed_in, or why not: unknown, used, expired, gone.
create function gate.begin_session(
  p_link bytea, p_token bytea, p_session text, p_lasts_ms bigint, p_former bytea,
  p_asker bytea default null, p_browser text default null, p_address text default null
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
  insert into gate_private.session (
    token, session_id, account_id, mailbox, admin_id, member_id, expires_at, browser, address, seen_address)
  values (
    p_token, p_session, link.account_id, link.mailbox,
    case when gate_private.reads_mailbox(link.account_id, link.admin_id, link.mailbox) then link.admin_id end,
    case when gate_private.reads_mailbox(link.account_id, link.member_id, link.mailbox) then link.member_id end,
    clock_timestamp() + p_lasts_ms * interval '1 millisecond', p_browser, p_address, p_address);
  delete from gate_private.session s where s.token = p_former;
  perform gate_private.keep_asker(link.mailbox, p_asker);
  return 'signed_in';
end $$;

-- The person of a session now; records that it was used, and from where, at most once a minute and at each change of the
-- address. No row if it has expired or was idle too
-- long, or if none of its people read the mailbox any more.
create function gate.use_session(p_token bytea, p_idle_ms bigint, p_address text default null)
returns table (
  session_id text, account_id text, account_name text, is_suspended boolean, admin_id text, is_auditor boolean, member_id text,
  name text, address text, created_at timestamptz, expires_at timestamptz, time_zone text, is_by_company boolean,
  is_fresh boolean
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
    select used.session_id, c.account_id, c.name, c.suspended_at is not null, a.admin_id,
      coalesce(a.role = 'auditor', false), m.member_id,
      m.name, coalesce(a.email, m.email), used.created_at, used.expires_at, (
        select v.time_zone from gate.viewer v
        where v.account_id = c.account_id and v.person_id in (a.admin_id, m.member_id)
        order by v.chosen_at desc limit 1), used.identity_id is not null, used.is_fresh
    from gate.account c
    left join gate.admin a on a.account_id = c.account_id and a.admin_id = used.admin_id and a.removed_at is null
      and gate_private.stands_for(used, a.admin_id)
    left join gate.member m on m.account_id = c.account_id and m.member_id = used.member_id and m.is_active
      and gate_private.stands_for(used, m.member_id)
    where c.account_id = used.account_id and (a.admin_id is not null or m.member_id is not null);
  if found and (
    used.seen_at < clock_timestamp() - interval '1 minute'
    or used.seen_address is distinct from coalesce(p_address, used.seen_address)
  ) then
    update gate_private.session s
    set seen_at = clock_timestamp(), seen_address = coalesce(p_address, s.seen_address)
    where s.token = p_token;
  end if;
end $$;

-- What waits for the members of some sessions, as a mark that changes with it: for pages that stay open. Records no use. No row for
-- a session that has ended or has no member any more.
create function gate.waiting_marks(p_tokens bytea[], p_idle_ms bigint) returns table (token bytea, mark text)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  used gate_private.session;
begin
  for used in
    select s.* from gate_private.session s
    where s.token = any (p_tokens) and s.expires_at > clock_timestamp()
      and s.seen_at > clock_timestamp() - p_idle_ms * interval '1 millisecond'
  loop
    perform gate.tenant(used.account_id);
    return query
      select used.token, md5(concat(c.suspended_at, (
        select string_agg(concat_ws(' ', o.id, o.digest, o.decision), ',' order by o.id) from gate.action o
        where o.account_id = m.account_id and o.member_id = m.member_id and o.status = 'proposed')))
      from gate.member m join gate.account c on c.account_id = m.account_id
      where m.account_id = used.account_id and m.member_id = used.member_id and m.is_active
        and gate_private.stands_for(used, m.member_id);
  end loop;
end $$;

-- Stores the time zone that the person of a session chose, as administrator or auditor, member or both.
create function gate.set_time_zone(p_account text, p_session bytea, p_time_zone text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  holder record;
begin
  perform gate.tenant(p_account);
  holder := gate_private.session_holder(p_account, p_session);
  insert into gate.viewer (account_id, person_id, time_zone)
  select p_account, p.id, p_time_zone from unnest(array[holder.admin_id, holder.member_id]) p(id) where p.id is not null
  on conflict on constraint viewer_pkey do update set time_zone = excluded.time_zone, chosen_at = excluded.chosen_at;
end $$;

-- The sessions of a person as administrator, member or both, newest first.
create function gate.list_sessions(p_account text, p_admin text, p_member text, p_idle_ms bigint, p_limit integer)
returns table (
  session_id text, created_at timestamptz, seen_at timestamptz, expires_at timestamptz, browser text, address text,
  seen_address text
)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select s.session_id, s.created_at, s.seen_at, s.expires_at, s.browser, s.address, s.seen_address
  from gate_private.session s
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

-- Takes a form to be handled, once. p_form: see gate_private.sent_form. p_claim: equal for repeats of one request.
-- outcome: new, running (another request handles it, or died doing so), done (with the page to look at). is_recent: it was
-- sent a moment ago, as by a double click.
create function gate.claim_form(
  p_account text, p_session bytea, p_form bytea, p_claim uuid,
  out outcome text, out path text, out flash text, out is_recent boolean
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  sent gate_private.sent_form;
begin
  perform gate.tenant(p_account);
  perform gate_private.require_session(p_account, p_session);
  insert into gate_private.sent_form (form, claim) values (p_form, p_claim)
  on conflict on constraint sent_form_pkey do nothing;
  select * into sent from gate_private.sent_form f where f.form = p_form;
  outcome := case when sent.claim = p_claim then 'new' when sent.path is null then 'running' else 'done' end;
  path := sent.path;
  flash := sent.flash;
  is_recent := sent.sent_at > clock_timestamp() - interval '10 seconds';
end $$;

-- Records how a form was handled. p_path null: it was refused and changed nothing, so it may be sent again. Only the request
-- that took the form knows its claim.
create function gate.end_form(p_form bytea, p_claim uuid, p_path text, p_flash text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if p_path is null then
    delete from gate_private.sent_form f where f.form = p_form and f.claim = p_claim;
    return;
  end if;
  update gate_private.sent_form f set path = p_path, flash = p_flash where f.form = p_form and f.claim = p_claim;
end $$;

-- Deletes links a day after their expiry (those of a day are counted), sessions an hour after their end, forms 30 days after
-- they were sent, and networks 90 days after the last sign-in. Returns how many.
create function gate.forget_sign_ins(p_idle_ms bigint, p_limit integer) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  forgotten bigint;
  more bigint;
begin
  with picked as materialized (
    select o.token from gate_private.sign_in_link o
    where o.expires_at < clock_timestamp() - interval '1 day'
    limit p_limit for update skip locked
  )
  delete from gate_private.sign_in_link l where l.token in (select p.token from picked p);
  get diagnostics forgotten = row_count;
  with picked as materialized (
    select o.token from gate_private.session o
    where o.expires_at < clock_timestamp() - interval '1 hour'
      or o.seen_at < clock_timestamp() - p_idle_ms * interval '1 millisecond' - interval '1 hour'
    limit p_limit for update skip locked
  )
  delete from gate_private.session s where s.token in (select p.token from picked p);
  get diagnostics more = row_count;
  forgotten := forgotten + more;
  with picked as materialized (
    select o.form from gate_private.sent_form o
    where o.sent_at < clock_timestamp() - interval '30 days'
    limit p_limit for update skip locked
  )
  delete from gate_private.sent_form f where f.form in (select p.form from picked p);
  get diagnostics more = row_count;
  forgotten := forgotten + more;
  with picked as materialized (
    select o.mailbox, o.asker from gate_private.sign_in_asker o
    where o.seen_at < clock_timestamp() - interval '90 days'
    limit p_limit for update skip locked
  )
  delete from gate_private.sign_in_asker k where (k.mailbox, k.asker) in (select p.mailbox, p.asker from picked p);
  get diagnostics more = row_count;
  return forgotten + more;
end $$;
