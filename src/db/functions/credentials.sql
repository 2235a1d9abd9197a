-- Who makes a write. Each function reads the credential again, under the lock of the account's ledger head.
-- Errors: GA401 (the credential is no longer valid), GA403 (it does not allow this write). Nothing is written then.

-- The API key of a write. p_power: what the write needs; `cancel` means propose or confirm, `claim` execute or
-- confirm. p_member and p_kind: whom and what the write is about.
create function gate_private.require_key(
  p_account text, p_hash bytea, p_power text, p_member text default null, p_kind text default null
) returns gate_private.api_key_hash
language plpgsql as $$
declare
  held gate_private.api_key_hash;
begin
  select * into held from gate_private.api_key_hash k
  where k.hash = p_hash and k.account_id = p_account;
  if not found or not gate_private.key_holds(held) then
    raise exception 'the API key does not hold' using errcode = 'GA401';
  end if;
  if not (
    p_power = any (held.powers)
    or p_power = 'cancel' and held.powers && array['propose', 'confirm']
    or p_power = 'claim' and held.powers && array['execute', 'confirm']
  ) then
    raise exception 'the API key lacks the power %', p_power
      using errcode = 'GA403', detail = case p_power when 'claim' then 'execute' else p_power end;
  end if;
  if p_kind is not null and held.kinds is not null and not p_kind = any (held.kinds) then
    raise exception 'the API key is not for %', p_kind using errcode = 'GA403', detail = 'kind ' || p_kind;
  end if;
  if p_member is not null and held.actors is not null and not p_member = any (held.actors) then
    raise exception 'the API key is bound to other members' using errcode = 'GA403', detail = 'member';
  end if;
  perform gate_private.name_key(held);
  return held;
end $$;

-- The id of a key of an account, valid or not, which an entry is about to name. Null: there is none.
create function gate_private.named_key(p_account text, p_hash bytea) returns text
language sql volatile as $$
  select k.key_id from gate_private.api_key_hash k, gate_private.name_key(k) where k.hash = p_hash and k.account_id = p_account
$$;

-- Keeps an access token of an app, which an entry is about to name.
create function gate_private.name_key(p_key gate_private.api_key_hash) returns void
language sql volatile as $$
  update gate_private.api_key_hash h set named_at = clock_timestamp()
  where h.hash = p_key.hash and p_key.named_at is null and p_key.family like 'app\_%'
$$;

-- The power that an API key needs to have a member asked: a runner key has them asked about its tool calls.
create function gate_private.power_to_ask(p_hash bytea, p_kind text) returns text
language sql stable as $$
  select case
    when p_kind in ('runner_tool', 'runner_mandate') and exists (
      select 1 from gate_private.api_key_hash k where k.hash = p_hash and 'runner' = any (k.powers)
    ) then 'runner'
    else 'confirm' end
$$;

-- Whose rights a console session has in a write: an administrator's, a member's, or both. Of an auditor it has none, so that an
-- auditor changes nothing, whatever page or program sends the write: this is the one place that decides it.
create function gate_private.require_session(
  p_account text, p_token bytea, out admin_id text, out member_id text
)
language plpgsql as $$
declare
  holder record := gate_private.session_holder(p_account, p_token);
begin
  admin_id := case when holder.role = 'administrator' then holder.admin_id end;
  member_id := holder.member_id;
end $$;

-- The administrator or auditor and the member that a console session stands for now: see stands_for.
create function gate_private.session_holder(
  p_account text, p_token bytea, out admin_id text, out role text, out member_id text
)
language plpgsql as $$
begin
  select a.admin_id, a.role, m.member_id into admin_id, role, member_id
  from gate_private.session s
  left join gate.admin a on a.account_id = s.account_id and a.admin_id = s.admin_id and a.removed_at is null
    and gate_private.stands_for(s, a.admin_id)
  left join gate.member m on m.account_id = s.account_id and m.member_id = s.member_id and m.is_active
    and gate_private.stands_for(s, m.member_id)
  where s.token = p_token and s.account_id = p_account and s.expires_at > clock_timestamp();
  if admin_id is null and member_id is null then
    raise exception 'the session does not hold' using errcode = 'GA401';
  end if;
end $$;

-- The actor of an administrative write: `admin` for the command line, the administrator of the session, or the API key. p_power: what
-- a key needs for it, without `admin:`; null: no key can do it.
create function gate_private.require_admin(p_account text, p_session bytea, p_power text default null) returns text
language plpgsql as $$
declare
  holder record;
  held gate_private.api_key_hash;
  actor text := 'admin';
begin
  select * into held from gate_private.api_key_hash k where k.hash = p_session and k.account_id = p_account;
  if found then
    actor := gate_private.require_admin_key(held, p_power);
  elsif p_session is not null then
    holder := gate_private.require_session(p_account, p_session);
    if holder.admin_id is null then
      raise exception 'the session is not of an administrator' using errcode = 'GA403', detail = 'admin';
    end if;
    actor := 'admin:' || holder.admin_id;
  end if;
  -- For the triggers that record who made a change.
  perform set_config('gate.actor', actor, true);
  return actor;
end $$;

-- Whether the credential of an administrative write is an API key.
create function gate_private.is_of_key(p_account text, p_session bytea) returns boolean
language sql stable as $$
  select exists (select from gate_private.api_key_hash k where k.hash = p_session and k.account_id = p_account)
$$;

-- The actor of an administrative write by an API key. While the account is suspended, keys read, and suspend or resume.
create function gate_private.require_admin_key(p_key gate_private.api_key_hash, p_power text) returns text
language plpgsql as $$
begin
  if not gate_private.key_holds(p_key) then
    raise exception 'the API key does not hold' using errcode = 'GA401';
  end if;
  if p_power is null then
    raise exception 'no API key can do this' using errcode = 'GA403', detail = 'session';
  end if;
  -- The directory's token has that power alone, and no other key has it.
  if (case p_power when 'directory' then p_power else 'admin:' || p_power end) <> all (p_key.powers) then
    raise exception 'the API key lacks the power admin:%', p_power using errcode = 'GA403', detail = 'admin:' || p_power;
  end if;
  if p_power !~ '\.read$' and p_power not in ('account.write', 'account.resume', 'directory') and exists (
    select 1 from gate.account a where a.account_id = p_key.account_id and a.suspended_at is not null
  ) then
    raise exception 'the account is suspended' using errcode = 'GA403', detail = 'suspended';
  end if;
  return 'admin:' || p_key.key_id;
end $$;

-- The credential of a decision and the highest strength of consent that it proves: an API key `agent_attested`, or
-- `client_attested` where a rule lets a client answer for its user, an answer in Slack or Teams `chat`, an answer by mail or the member's own
-- session `page`. A connection is confirmed in a session only, of the
-- member or of an administrator. Uses up the token. actor: for the entry. decided_by: for the action. is_lost: the token was
-- already used. p_voter: the member who decides: the one who acts or, where its rule asks for others, one of them.
create function gate_private.credential_of(
  p_row gate.action, p_voter text, p_power text, p_api_key bytea, p_session bytea, p_token bytea,
  out strength_max text, out age_hours integer, out api_key_id text, out actor text, out decided_by text,
  out is_lost boolean
)
language plpgsql as $$
declare
  asked_n integer;
  asked_via text;
  holder record;
begin
  is_lost := false;
  actor := p_voter;
  decided_by := case when p_power = 'confirm' or p_voter = p_row.member_id then p_row.member else p_voter end;
  if p_token is not null then
    update gate_private.consent_token t set used_at = clock_timestamp()
    where t.token = p_token and t.account_id = p_row.account_id and t.action_id = p_row.id and t.used_at is null
    returning t.n into asked_n;
    is_lost := not found;
    select q.via into asked_via from gate.consent_request q
    where q.account_id = p_row.account_id and q.action_id = p_row.id and q.n = asked_n
      and coalesce(q.member_id, p_row.member_id) = p_voter;
    if not is_lost and not found then
      raise exception 'the request was made to another member' using errcode = 'GA403', detail = 'member';
    end if;
    strength_max := case asked_via when 'email' then 'page' else 'chat' end;
  elsif p_session is not null then
    strength_max := 'page';
    holder := gate_private.require_session(p_row.account_id, p_session);
    asked_via := 'console';
    if holder.member_id is distinct from p_voter then
      if p_row.kind <> 'integration' or holder.admin_id is null then
        raise exception 'the session is not of the member who proposed' using errcode = 'GA403', detail = 'member';
      end if;
      asked_via := null;
      actor := 'admin:' || holder.admin_id;
      select 'admin:' || a.email into decided_by from gate.admin a
      where a.account_id = p_row.account_id and a.admin_id = holder.admin_id;
    end if;
  elsif p_voter <> p_row.member_id then
    raise exception 'an agent approves nothing for somebody else' using errcode = 'GA403', detail = 'session';
  else
    if p_row.kind = 'integration' and p_power = 'confirm' then
      raise exception 'a provider is connected in a session' using errcode = 'GA403', detail = 'session';
    end if;
    -- Who runs the tool call, or acts by the mandate, does not approve it, with whatever key.
    if p_row.kind in ('runner_tool', 'runner_mandate', 'mandate', 'change_approval_rule') and p_power = 'confirm' then
      raise exception 'a tool call is approved by its member' using errcode = 'GA403', detail = 'session';
    end if;
    api_key_id := (gate_private.require_key(p_row.account_id, p_api_key, p_power, p_row.member_id, p_row.kind)).key_id;
    strength_max := case when gate_private.client_may_attest(p_row) then 'client_attested' else 'agent_attested' end;
  end if;
  -- An identity that changed recently proves no more than the word of the person who changed it.
  if asked_via is not null then
    strength_max := coalesce(
      case asked_via
        when 'console' then gate_private.session_cap(p_row.account_id, p_voter, p_session)
        else gate_private.strength_cap(p_row.account_id, p_voter, asked_via) end,
      strength_max);
    age_hours := gate_private.mailbox_age_hours(p_row.account_id, p_voter, asked_via);
  end if;
end $$;

-- Whether a rule of this action lets a client answer for its user, and the action moves no money. The tenant must be set.
create function gate_private.client_may_attest(p_row gate.action) returns boolean
language sql stable as $$
  select p_row.kind not in ('refund', 'payout', 'checkout', 'subscription_cancellation')
    and p_row.amount_cents is null
    and (p_row.kind <> 'upstream_tool' or p_row.payload -> 'amount_cents' is null)
    and 'client_attested' in (
      coalesce(
        (select p.document #>> array['kinds', p_row.kind, 'consent']
         from gate.account c
         join gate.policy p on p.account_id = c.account_id and p.version = c.policy_version
         where c.account_id = p_row.account_id),
        (select k.document #>> '{default_rule,consent}' from gate_private.newest_kind(p_row.account_id, p_row.kind) k),
        ''),
      case when p_row.kind = 'upstream_tool' then coalesce(p_row.payload #>> '{requires,consent}', '') else '' end)
$$;

-- Whether a consent of this strength is not stronger than what the credential proves.
create function gate_private.is_within(p_strength text, p_max text) returns boolean
language sql immutable
return array_position(array['agent_attested', 'client_attested', 'chat', 'page', 'passkey'], p_strength)
  <= array_position(array['agent_attested', 'client_attested', 'chat', 'page', 'passkey'], p_max);

-- Notes in the ledger that a write was refused because its API key is revoked or expired: at most one entry a minute for each
-- key, because anyone who has the old key can cause them.
create function gate.note_refused_key(p_hash bytea, p_event uuid, p_operation text, p_source text) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  known gate_private.api_key_hash;
begin
  update gate_private.api_key_hash k set refused_noted_at = clock_timestamp(), named_at = coalesce(k.named_at, clock_timestamp())
  where k.hash = p_hash and (k.refused_noted_at is null or k.refused_noted_at < clock_timestamp() - interval '1 minute')
    and (k.revoked_at is not null or k.expires_at <= clock_timestamp())
  returning * into known;
  if not found then
    return;
  end if;
  perform gate.tenant(known.account_id);
  perform gate_private.note(
    known.account_id, p_event, 'write_refused', null, 'unknown', known.key_id,
    jsonb_build_object(
      'operation', p_operation, 'source', p_source,
      'reason', case when known.revoked_at is null then 'key_expired' else 'key_revoked' end));
end $$;

-- Notes in the ledger that a write was refused by the rights of its key, or because its session ended. p_actor: an id, or
-- `unknown`.
create function gate.note_refused_write(
  p_account text, p_event uuid, p_api_key bytea, p_actor text, p_operation text, p_source text, p_reason text
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  perform gate_private.note(
    p_account, p_event, 'write_refused', null, p_actor, gate_private.named_key(p_account, p_api_key),
    jsonb_build_object('operation', p_operation, 'source', p_source, 'reason', p_reason));
end $$;
