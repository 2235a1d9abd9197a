-- The messages of consent requests: sending them, and what their tokens lead to.

-- Takes a request for being sent, freezing what is sent. What an attempt before left `sending` is answered as it was frozen.
-- outcome: send, sending, done (settled, or not to be sent any more: the row is decided or over, its account suspended, its
-- member gone, or another member reads that address now).
create function gate.begin_consent_send(
  p_account text, p_id bigint, p_n integer, p_message text, p_card bytea, p_team text,
  out outcome text, out request gate.consent_request
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  -- Before the request, as a decision takes them.
  perform 1 from gate.action a where a.account_id = p_account and a.id = p_id for update;
  select * into request from gate.consent_request q
  where q.account_id = p_account and q.action_id = p_id and q.n = p_n
  for update;
  outcome := 'done';
  if request.state is null or request.state not in ('pending', 'sending') then
    return;
  end if;
  perform 1
  from gate.action a
  join gate.account c on c.account_id = a.account_id
  join gate.member m on m.account_id = a.account_id and m.member_id = a.member_id
  where a.account_id = p_account and a.id = p_id and a.status = 'proposed' and a.decision is null
    and a.expires_at > clock_timestamp() and c.suspended_at is null and m.is_active
    and lower(request.address) = lower(case request.via when 'slack' then m.slack else m.email end);
  if not found then
    update gate.consent_request q
    set state = gate_private.given_up(q.state, 'withdrawn'), token = null, message = null
    where q.account_id = p_account and q.action_id = p_id and q.n = p_n;
    perform gate_private.note_unasked(p_account, p_id);
    return;
  end if;
  if request.state = 'sending' then
    outcome := 'sending';
    return;
  end if;
  update gate.consent_request q
  set state = 'sending', message = p_message::json, card = p_card, team = p_team, attempted_at = clock_timestamp()
  where q.account_id = p_account and q.action_id = p_id and q.n = p_n
  returning * into request;
  outcome := 'send';
end $$;

-- Records the outcome of a send. p_state: pending (certainly not sent, retry), sent, unknown, failed (certainly not sent),
-- given_up (it could not be tried: failed, or unknown if an earlier attempt had begun).
create function gate.end_consent_send(
  p_account text, p_id bigint, p_n integer, p_state text, p_provider_id text, p_code text
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  ended text;
begin
  perform gate.tenant(p_account);
  -- Before the request, as a decision takes them.
  perform 1 from gate.action a where a.account_id = p_account and a.id = p_id for update;
  update gate.consent_request q set
    state = case p_state when 'given_up' then gate_private.given_up(q.state, 'failed') else p_state end,
    provider_id = p_provider_id, code = p_code,
    token = case p_state when 'pending' then q.token end, message = null
  where q.account_id = p_account and q.action_id = p_id and q.n = p_n and q.state in ('pending', 'sending')
  returning q.state into ended;
  if ended = 'failed' then
    perform gate_private.note_unasked(p_account, p_id);
  end if;
  if ended is null and p_state = 'sent' then
    -- Decided while it was sent: its buttons are shown what was decided.
    update gate.consent_request q set state = 'sent', provider_id = p_provider_id
    where q.account_id = p_account and q.action_id = p_id and q.n = p_n and q.state = 'unknown' and q.provider_id is null;
    insert into gate_private.message_update (account_id, action_id, n)
    select q.account_id, q.action_id, q.n from gate.consent_request q
    where q.account_id = p_account and q.action_id = p_id and q.n = p_n and q.via = 'slack' and q.state = 'sent'
    on conflict on constraint message_update_pkey do nothing;
  end if;
end $$;

-- Takes messages that are to show the outcome of their action, and puts each off, for longer after each try, so that nobody
-- else takes it at once.
create function gate.take_message_updates(p_limit integer, p_again_ms integer)
returns table (account_id text, action_id bigint, n integer, tries integer)
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  update gate_private.message_update u
  set due_at = clock_timestamp() + p_again_ms * 2 ^ u.tries * interval '1 millisecond', tries = u.tries + 1
  from (
    select d.account_id, d.action_id, d.n from gate_private.message_update d
    where d.due_at <= clock_timestamp()
    order by d.due_at
    limit p_limit
    for update skip locked
  ) due
  where (u.account_id, u.action_id, u.n) = (due.account_id, due.action_id, due.n)
  returning u.account_id, u.action_id, u.n, u.tries
$$;

-- A message was updated, or is given up. One that is to show something newer meanwhile stays.
create function gate.end_message_update(p_account text, p_id bigint, p_n integer) returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  delete from gate_private.message_update u
  where u.account_id = p_account and u.action_id = p_id and u.n = p_n and u.tries > 0
$$;

-- The state of a request that is given up. A send that began may have arrived: it ends as `unknown`, so that the action still
-- shows the request, and its buttons count like those of one that was sent.
create function gate_private.given_up(p_state text, p_otherwise text) returns text
language sql immutable
return case p_state when 'sending' then 'unknown' else p_otherwise end;

-- After a request reached nobody: the action names another request that did, or still may, and whose answer would count (at
-- the member's present address, strong enough). If there is none, it names none.
create function gate_private.note_unasked(p_account text, p_id bigint) returns void
language sql volatile as $$
  update gate.action a set (asked_required, asked_via, asked_at) = (
    select a.asked_required, q.via, q.created_at
    from gate.consent_request q
    join gate.member m on m.account_id = q.account_id and m.member_id = a.member_id
    where q.account_id = p_account and q.action_id = p_id and q.state in ('pending', 'sending', 'sent', 'unknown')
      and (q.via = 'email' or a.asked_required = 'chat')
      and lower(q.address) = lower(case q.via when 'slack' then m.slack else m.email end)
    order by q.is_reminder, q.n desc
    limit 1
  )
  where a.account_id = p_account and a.id = p_id and a.status = 'proposed' and a.decision is null
    and a.asked_at is not null
$$;

-- The request that a token belongs to; no row if the token is unknown. Changes nothing.
create function gate.find_consent_request(p_token bytea)
returns table (
  account_id text, action_id bigint, via text, address text, card bytea, team text
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  found_token gate_private.consent_token;
begin
  select * into found_token from gate_private.consent_token t where t.token = p_token;
  if not found then
    return;
  end if;
  perform gate.tenant(found_token.account_id);
  return query
    select q.account_id, q.action_id, q.via, q.address, q.card, q.team
    from gate.consent_request q
    where q.account_id = found_token.account_id and q.action_id = found_token.action_id and q.n = found_token.n;
end $$;

-- Deletes tokens a day after their expiry, and ends their requests if these were not settled. Returns how many.
create function gate.forget_consent_tokens(p_limit integer) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  old gate_private.consent_token;
  forgotten bigint := 0;
begin
  for old in
    select * from gate_private.consent_token t
    where t.expires_at < clock_timestamp() - interval '1 day'
    order by t.expires_at
    limit p_limit
    for update skip locked
  loop
    perform gate.tenant(old.account_id);
    update gate.consent_request q
    set state = gate_private.given_up(q.state, 'withdrawn'), token = null, message = null
    where q.account_id = old.account_id and q.action_id = old.action_id and q.n = old.n and q.token is not null;
    delete from gate_private.consent_token t where t.token = old.token;
    forgotten := forgotten + 1;
  end loop;
  return forgotten;
end $$;
