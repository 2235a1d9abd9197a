-- Proposing: new actions, and Idempotency-Keys.

-- Creates an action, proposed or denied. p_payload: canonical JSON. p_rule: the sentence of the policy that applied.
-- outcome: created, replayed (same Idempotency-Key and request), reused (same key, other request), stale (member, policy or
-- curricula changed), too_many (open proposals of the member), too_many_of_key (other keys propose for this member, and this
-- key has used its share).
create function gate.propose(
  p_account text, p_uuid uuid, p_event uuid, p_kind text, p_status text, p_denial_reason text, p_rule text,
  p_member_id text, p_member text, p_member_version bigint, p_curricula_version bigint, p_policy_version bigint,
  p_tier text, p_source text, p_payload text, p_salt bytea,
  p_reach_slack integer, p_reach_email integer, p_reach_unreachable integer, p_recipients bytea,
  p_ttl_ms bigint, p_open_max integer, p_due_ms integer, p_api_key bytea,
  p_key uuid, p_request bytea,
  out outcome text, out action gate.action
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  head gate.ledger_head;
  held gate_private.api_key_hash;
  used record;
begin
  perform gate.tenant(p_account);
  head := gate_private.lock_head(p_account);
  held := gate_private.require_key(p_account, p_api_key, 'propose', p_member_id, p_kind);
  used := gate_private.replay(p_account, 'propose', p_key, p_request);
  if used.outcome = 'new' then
    select * into action from gate.action a where a.uuid = p_uuid;
    if found then
      outcome := 'created';
      return;
    end if;
  else
    outcome := used.outcome;
    select * into action from gate.action a where a.account_id = p_account and a.id = used.action_id;
    return;
  end if;
  perform 1
  from gate.member m
  join gate.account c on c.account_id = m.account_id
  where m.account_id = p_account and m.member_id = p_member_id and m.is_active
    and m.version = p_member_version and c.curricula_version = p_curricula_version
    and c.policy_version = p_policy_version;
  if not found then
    outcome := 'stale';
    return;
  end if;
  if p_status = 'proposed' and p_open_max <= (
    select count(*) from gate.action a
    where a.account_id = p_account and a.member_id = p_member_id and a.status = 'proposed' and a.decision is null
  ) then
    outcome := 'too_many';
    return;
  end if;
  if p_status = 'proposed' and not gate_private.open_share_left(p_account, p_member_id, held.key_id, p_open_max) then
    outcome := 'too_many_of_key';
    return;
  end if;
  action.account_id := p_account;
  action.id := head.action_seq + 1;
  action.uuid := p_uuid;
  action.kind := p_kind;
  action.status := p_status;
  action.member_id := p_member_id;
  action.member := p_member;
  action.tier_at_request := p_tier;
  action.source := p_source;
  action.payload := p_payload::json;
  action.salt := p_salt;
  action.created_at := greatest(head.at, date_trunc('milliseconds', clock_timestamp()));
  action.requires_confirmation := p_status = 'proposed';
  action.denial_reason := p_denial_reason;
  action.reach_slack := p_reach_slack;
  action.reach_email := p_reach_email;
  action.reach_unreachable := p_reach_unreachable;
  action.recipients := p_recipients;
  action.proposed_key := held.key_id;
  action.requested_by := gate_private.key_name(p_account, held.key_id);
  if p_status = 'proposed' then
    action.digest := encode(sha256(convert_to(
      '{"account":' || to_json(p_account)::text || ',"id":' || action.id || ',"kind":' || to_json(p_kind)::text
      || ',"member":' || to_json(p_member)::text || ',"payload":' || p_payload || ',"recipients":'
      || coalesce(to_json(encode(p_recipients, 'hex'))::text, 'null') || '}', 'UTF8')), 'hex');
    action.expires_at := action.created_at + p_ttl_ms * interval '1 millisecond';
    action.duplicate_of := gate_private.duplicate_of(p_account, p_member_id, p_kind, p_payload, p_recipients);
  end if;
  update gate.ledger_head h set action_seq = action.id where h.account_id = p_account;
  perform gate_private.note(
    p_account, p_event, p_status, action.id, p_member_id, held.key_id,
    gate_private.birth_data(action, p_policy_version, p_rule), gate_private.payload_digest(p_salt, p_payload),
    action.created_at);
  insert into gate.action values (action.*) returning * into action;
  if p_status = 'proposed' then
    insert into gate_private.open_action (uuid, account_id, action_id, kind, expires_at, wake, due_at)
    values (
      p_uuid, p_account, action.id, p_kind, action.expires_at, 'start',
      clock_timestamp() + p_due_ms * interval '1 millisecond');
  end if;
  perform gate_private.keep_key(p_account, 'propose', p_key, p_request, action.id);
  outcome := 'created';
end $$;

-- The data of the entry that creates an action, without its payload. p_rule: the sentence of the policy that applied.
create function gate_private.birth_data(p_row gate.action, p_policy_version bigint, p_rule text) returns jsonb
language sql immutable
return jsonb_strip_nulls(jsonb_build_object(
  'kind', p_row.kind, 'tier', p_row.tier_at_request, 'source', p_row.source, 'policy_version', p_policy_version,
  'rule', p_rule, 'recipients', encode(p_row.recipients, 'hex'),
  'member_digest', gate_private.text_digest(p_row.uuid, p_row.member),
  'reach', jsonb_build_array(p_row.reach_slack, p_row.reach_email, p_row.reach_unreachable),
  'digest', p_row.digest, 'expires_at', gate_private.iso(p_row.expires_at), 'duplicate_of', p_row.duplicate_of,
  'reason', p_row.denial_reason));

-- What an amount is taken from or given to, read from the frozen payload so that no caller can name another.
create function gate_private.subject_of(p_kind text, p_payload json) returns text
language sql immutable as $$
  select case p_kind
    when 'refund' then p_payload ->> 'payment'
    when 'subscription_cancellation' then p_payload ->> 'subscription'
    when 'checkout' then p_payload ->> 'customer'
    -- All payouts go to the one bank account of the Stripe account.
    when 'payout' then 'default_destination'
  end
$$;

-- The proposal of this member that a new one repeats: the oldest open one, else the one confirmed last within 24 hours,
-- executed or not yet. Null: none. The second query compares with statement_timestamp(), which is stable: an index can use it.
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
        and a.decision = 'confirm' and a.decided_at > statement_timestamp() - interval '24 hours'
        and a.kind = p_kind and a.payload::text = p_payload and a.recipients is not distinct from p_recipients
      order by a.decided_at desc
      limit 1
    )
  )
$$;

-- Stores a recipient set under its hash, once.
create function gate.keep_recipients(
  p_account text, p_sha256 bytea, p_members text[], p_channels text[], p_addresses text[]
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  insert into gate.recipient_set (account_id, sha256, members, channels, addresses)
  values (p_account, p_sha256, p_members, p_channels, p_addresses)
  on conflict on constraint recipient_set_pkey do nothing;
end $$;

-- Whether an Idempotency-Key was used for this operation within 24 hours, and for which action.
-- outcome: new, replayed (same request), reused (other request). A confirm that only led to a consent request is `new` until
-- someone decides: it is checked again, and asks again, like any other.
create function gate_private.replay(
  p_account text, p_operation text, p_key uuid, p_request bytea, out outcome text, out action_id bigint
)
language plpgsql as $$
declare
  used gate.idempotency;
begin
  outcome := 'new';
  if p_key is null then
    return;
  end if;
  select * into used from gate.idempotency i
  where i.account_id = p_account and i.operation = p_operation and i.key = p_key
    and i.created_at > clock_timestamp() - interval '24 hours';
  if not found then
    return;
  end if;
  action_id := used.action_id;
  outcome := case
    when used.request <> p_request then 'reused'
    when p_operation = 'confirm' and exists (
      select 1 from gate.action a
      where a.account_id = p_account and a.id = used.action_id and a.status = 'proposed' and a.decision is null
    ) then 'new'
    else 'replayed'
  end;
end $$;

-- Stores an Idempotency-Key with its request and action. p_key null: the request had none.
create function gate_private.keep_key(p_account text, p_operation text, p_key uuid, p_request bytea, p_action bigint)
returns void
language plpgsql as $$
begin
  if p_key is null then
    return;
  end if;
  insert into gate.idempotency (account_id, operation, key, request, action_id)
  values (p_account, p_operation, p_key, p_request, p_action)
  on conflict on constraint idempotency_pkey do update
  set request = excluded.request, action_id = excluded.action_id, created_at = clock_timestamp();
end $$;

-- Deletes Idempotency-Keys older than 24 hours. Returns how many.
create function gate.forget_keys(p_account text, p_limit integer) returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  forgotten bigint;
begin
  perform gate.tenant(p_account);
  delete from gate.idempotency i
  where i.account_id = p_account and i.ctid in (
    select old.ctid from gate.idempotency old
    where old.account_id = p_account and old.created_at < clock_timestamp() - interval '24 hours'
    limit p_limit
  );
  get diagnostics forgotten = row_count;
  return forgotten;
end $$;
