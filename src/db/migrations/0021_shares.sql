-- Shares: what one key, or one stranger, may use of what others need too. And when a proposal repeats another.

-- member_id: who was asked.
alter table gate.consent_request add column member_id text;

-- Requests of the last day count from the first hour after the upgrade. Row-level security shows one account at a time.
do $$
declare
  listed text;
begin
  for listed in select d.account_id from gate_private.account_directory d loop
    perform gate.tenant(listed);
    update gate.consent_request q set member_id = a.member_id
    from gate.action a
    where q.account_id = listed and q.created_at > clock_timestamp() - interval '1 day'
      and a.account_id = q.account_id and a.id = q.action_id;
  end loop;
end $$;

create index consent_request_by_member on gate.consent_request (account_id, member_id, created_at);

-- Rows that are the same, newest first: by a hash, since a payload may be longer than an index takes.
create index action_same on gate.action (account_id, member_id, md5(payload::text), decided_at desc)
  where requires_confirmation and status in ('proposed', 'executed');

-- Whether another key proposes for this member, or did within a week: only then has a key no more than its share.
create function gate_private.is_shared(p_account text, p_member_id text, p_key_id text) returns boolean
language sql stable as $$
  select exists (
    select 1 from gate_private.api_key_hash k
    where k.account_id = p_account and k.key_id <> p_key_id and k.revoked_at is null
      and (k.expires_at is null or k.expires_at > clock_timestamp()) and 'propose' = any (k.powers)
      and (k.actors is null or p_member_id = any (k.actors))
      and k.last_used_at > clock_timestamp() - interval '7 days'
  )
$$;

-- Whether this key may hold one more of the member's open proposals: at most half, rounded up, while other keys may act
-- for the member. p_key_id null: no key asks, and no share holds.
create function gate_private.open_share_left(
  p_account text, p_member_id text, p_key_id text, p_open_max integer
) returns boolean
language sql stable as $$
  select p_key_id is null
    or (
      select count(*) from gate.action a
      where a.account_id = p_account and a.member_id = p_member_id and a.status = 'proposed' and a.decision is null
        and a.proposed_key = p_key_id
    ) < (p_open_max + 1) / 2
    or not gate_private.is_shared(p_account, p_member_id, p_key_id)
$$;

-- Whether one more request may go to this person today. p_day_max null: no cap.
create function gate_private.ask_day_left(p_account text, p_member_id text, p_day_max integer) returns boolean
language sql stable as $$
  select p_day_max is null or p_day_max > (
    select count(*) from gate.consent_request q
    where q.account_id = p_account and q.member_id = p_member_id and q.created_at > clock_timestamp() - interval '1 day'
  )
$$;

-- Whether this key may ask the member once more: at most half of the requests of an hour and of a day, rounded up, while
-- other keys may act for the member.
create function gate_private.ask_share_left(
  p_account text, p_member_id text, p_key_id text, p_hour_max integer, p_day_max integer
) returns boolean
language plpgsql stable as $$
declare
  of_hour bigint;
  of_day bigint;
begin
  if p_key_id is null then
    return true;
  end if;
  select count(*) filter (where q.created_at > clock_timestamp() - interval '1 hour'), count(*)
  into of_hour, of_day
  from gate.consent_request q
  where q.account_id = p_account and q.member_id = p_member_id and q.asked_key = p_key_id
    and q.created_at > clock_timestamp() - interval '1 day';
  return (of_hour < (p_hour_max + 1) / 2 and (p_day_max is null or of_day < (p_day_max + 1) / 2))
    or not gate_private.is_shared(p_account, p_member_id, p_key_id);
end $$;

-- The row that a new proposal of this member repeats: the oldest open one, else the one confirmed last within 24 hours,
-- executed or about to be. What was cancelled, denied or expired does not count. Null where there is none.
create function gate_private.duplicate_of(
  p_account text, p_member_id text, p_kind text, p_payload text, p_recipients bytea
) returns bigint
language sql stable as $$
  select coalesce(
    (
      select min(a.id) from gate.action a
      where a.account_id = p_account and a.member_id = p_member_id and a.status = 'proposed' and a.decision is null
        and a.expires_at > clock_timestamp() and a.kind = p_kind and a.payload::text = p_payload
        and a.recipients is not distinct from p_recipients
    ),
    (
      select a.id from gate.action a
      where a.account_id = p_account and a.member_id = p_member_id and md5(a.payload::text) = md5(p_payload)
        and a.requires_confirmation and a.status in ('proposed', 'executed')
        and a.decision = 'confirm' and a.decided_at > clock_timestamp() - interval '24 hours'
        and a.kind = p_kind and a.payload::text = p_payload and a.recipients is not distinct from p_recipients
      order by a.decided_at desc
      limit 1
    )
  )
$$;

-- asker: hash of the network that asked for a mail with the link; null for a link that the command line printed.
-- is_known: somebody had signed in to that mailbox from there.
alter table gate_private.sign_in_link add column asker bytea, add column is_known boolean not null default false;

-- From where a mailbox was signed in to, as hashes. Who asks from there has a share of mails that no stranger can use up.
create table gate_private.sign_in_asker (
  mailbox bytea not null,
  asker bytea not null,
  seen_at timestamptz not null default clock_timestamp(),
  constraint sign_in_asker_pkey primary key (mailbox, asker)
);
create index sign_in_asker_by_time on gate_private.sign_in_asker (seen_at);

-- Remembers from where a mailbox was signed in to: the last 20 places.
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

drop function gate.make_sign_in_link;
-- A link for whoever reads that mailbox, to be mailed there, unless it was sent enough. Who asks need not read it, so three
-- shares are counted, each over an hour:
--  known: from where the mailbox was signed in to before, p_asker_max for each such place, whatever others asked for;
--  stranger: from anywhere else, p_asker_max for each place and p_strangers_max together;
--  standing: beyond those, one whenever no good link was mailed for p_standing_ms. Links last longer than that, so whoever
--  is refused has a link in the mailbox that still works: strangers can neither keep the owner out nor send more than that.
-- The tokens of standing links are not stored, so what is sent again is a new link beside the old one.
-- Returns the share that was used; null where the mailbox was sent enough, or nobody reads it.
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
  -- Those who ask at once are counted one after the other.
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

drop function gate.begin_session;
-- As before, and remembers from where (p_asker) the mailbox was signed in to.
create function gate.begin_session(
  p_link bytea, p_token bytea, p_session text, p_lasts_ms bigint, p_former bytea,
  p_asker bytea default null
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
  perform gate_private.keep_asker(link.mailbox, p_asker);
  return 'signed_in';
end $$;

-- As before, and forgets from where mailboxes were signed in to after 90 days.
create or replace function gate.forget_sign_ins(p_idle_ms bigint, p_limit integer) returns bigint
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
  forgotten := forgotten + more;
  delete from gate_private.sign_in_asker k where (k.mailbox, k.asker) in (
    select o.mailbox, o.asker from gate_private.sign_in_asker o
    where o.seen_at < clock_timestamp() - interval '90 days'
    limit p_limit for update skip locked);
  get diagnostics more = row_count;
  return forgotten + more;
end $$;
