-- Proposing: new actions, and Idempotency-Keys.

-- Creates an action, proposed or denied. payload: canonical JSON. rule: the sentence of the policy that applied.
-- key and request: the Idempotency-Key and the hash of its request, or null.
-- rationale, facts, denial_code and so on: see the columns of gate.action. facts: canonical JSON.
-- tool_call: of a runner's tool call, see add_tool_consent; else null. mandate_scope: of a runner's mandate; else null.
-- session: of a bounded mandate or a change of a rule about approvals, which its member proposes, instead of api_key.
-- kind_version: of a declared kind, the version that it was judged by; else null.
-- outcome: created, replayed (same Idempotency-Key and request), reused (same key, other request), stale (member, policy,
-- curricula or declared kinds changed, or the member was asked about the same tool call or mandate meanwhile), too_many (open proposals of the member), too_many_of_key (other keys propose for this member, and this
-- key has used its share).
create function gate.propose(
  p_account text, p_proposal jsonb,
  out outcome text, out action gate.action
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  given record;
  fields jsonb;
  head gate.ledger_head;
  held gate_private.api_key_hash;
  used record;
begin
  select * into given from jsonb_to_record(p_proposal) as fields(
    uuid uuid, event uuid, kind text, kind_version integer, status text, denial_reason text, rule text,
    member_id text, member text, tier_at_request text, source text, payload text, salt bytea,
    member_version bigint, curricula_version bigint, policy_version bigint,
    rationale text, consent_required text, facts text, denial_code text, denial_needs jsonb,
    reach_slack integer, reach_email integer, reach_unreachable integer, reach_teams integer, recipients bytea,
    ttl_ms bigint, open_max integer, due_ms integer, input text, tool_call jsonb, mandate_scope bytea, replaces bigint,
    api_key bytea, session bytea, key uuid, request bytea, approval_rule text
  );
  fields := to_jsonb(given);
  -- Processes that were started before they were known do not give `replaces`, `session`, `approval_rule` and `reach_teams`.
  perform gate_private.require_fields(
    '{"replaces":null,"session":null,"approval_rule":null,"reach_teams":null}' || p_proposal, fields);
  -- Without a salt the entry would record neither the payload nor the texts beside it.
  if given.salt is null then
    raise exception 'a proposal has a salt' using errcode = 'check_violation';
  end if;
  perform gate.tenant(p_account);
  head := gate_private.lock_head(p_account);
  if given.kind = 'mandate' then
    if (gate_private.require_session(p_account, given.session)).member_id is distinct from given.member_id then
      raise exception 'a member proposes their own mandates' using errcode = 'GA403', detail = 'member';
    end if;
  elsif given.kind = 'change_approval_rule' then
    if not gate_private.may_propose_rule_change(
      p_account, given.session, given.member_id, given.payload::jsonb, given.approval_rule::jsonb)
    then
      outcome := 'stale';
      return;
    end if;
  else
    held := gate_private.require_key(
      p_account, given.api_key, case when given.kind in ('runner_tool', 'runner_mandate') then 'runner' else 'propose' end,
      given.member_id, given.kind);
  end if;
  used := gate_private.replay(p_account, 'propose', given.key, given.request);
  if used.outcome = 'new' then
    select * into action from gate.action a where a.uuid = given.uuid;
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
  where m.account_id = p_account and m.member_id = given.member_id and m.is_active
    and m.version = given.member_version and c.curricula_version = given.curricula_version
    and c.policy_version = given.policy_version;
  if not found
    or given.kind_version is not null and not gate_private.is_kind_in_force(p_account, given.kind, given.kind_version)
  then
    outcome := 'stale';
    return;
  end if;
  if given.replaces is not null and not exists (
    select from gate.action a
    where a.account_id = p_account and a.id = given.replaces and a.member_id = given.member_id and a.kind = given.kind
      and a.closed_reason = 'member_declined'
  ) then
    raise exception 'an action answers one that its member declined' using errcode = 'check_violation';
  end if;
  if given.tool_call is not null and gate_private.is_call_asked(
    p_account, (given.tool_call ->> 'binding')::bytea, given.consent_required)
  then
    outcome := 'stale';
    return;
  end if;
  if given.mandate_scope is not null and gate_private.is_mandate_asked(p_account, given.mandate_scope) then
    outcome := 'stale';
    return;
  end if;
  if given.status = 'proposed' and given.open_max <= (
    select count(*) from gate.action a
    where a.account_id = p_account and a.member_id = given.member_id and a.status = 'proposed' and a.decision is null
  ) then
    outcome := 'too_many';
    return;
  end if;
  if given.status = 'proposed' and not gate_private.open_share_left(p_account, given.member_id, held.key_id, given.open_max) then
    outcome := 'too_many_of_key';
    return;
  end if;
  -- Every field that is named like a column; the texts of JSON are not read as texts.
  action := jsonb_populate_record(action, fields);
  action.payload := given.payload::json;
  action.facts := given.facts::json;
  action.approval_rule := given.approval_rule::json;
  action.reach_teams := coalesce(given.reach_teams, 0);
  action.account_id := p_account;
  head.action_seq := head.action_seq + 1;
  action.id := head.action_seq;
  action.created_at := head.at;
  action.requires_confirmation := given.status = 'proposed';
  action.proposed_key := held.key_id;
  action.requested_by := gate_private.key_name(p_account, held.key_id);
  action.requested_host := gate_private.app_host(p_account, held.family);
  if given.status = 'proposed' then
    action.digest := gate_private.action_digest(action, given.payload);
    action.expires_at := action.created_at + given.ttl_ms * interval '1 millisecond';
    action.duplicate_of := gate_private.duplicate_of(p_account, given.member_id, given.kind, given.payload, given.recipients);
  end if;
  perform gate_private.append_entries(head, array[gate_private.entry(
    given.event, given.status, action.id, gate_private.entry_tail(
      given.member_id, held.key_id, given.status, gate_private.birth_data(action, given.policy_version, given.rule),
      gate_private.payload_digest(given.salt, given.payload)))]);
  insert into gate.action values (action.*) returning * into action;
  if given.tool_call is not null then
    perform gate_private.add_tool_consent(action, given.tool_call);
  end if;
  if (given.mandate_scope is not null or given.kind = 'mandate') and given.status = 'proposed' then
    perform gate_private.add_mandate(action, given.mandate_scope);
  end if;
  if given.status = 'proposed' then
    insert into gate_private.open_action (uuid, account_id, action_id, kind, expires_at, wake, due_at)
    values (
      given.uuid, p_account, action.id, given.kind, action.expires_at, 'start',
      clock_timestamp() + given.due_ms * interval '1 millisecond');
  end if;
  perform gate_private.keep_key(p_account, 'propose', given.key, given.request, action.id);
  outcome := 'created';
end $$;

-- What a member consents to. p_payload: canonical JSON, as it is stored.
create function gate_private.action_digest(p_row gate.action, p_payload text) returns text
-- Stable, as to_json is: else PostgreSQL would call it instead of writing it into the statement.
language sql stable
return encode(sha256(convert_to(
  '{"account":' || to_json(p_row.account_id)::text || ',"id":' || p_row.id || ',"kind":' || to_json(p_row.kind)::text
  || ',"member":' || to_json(p_row.member)::text || ',"payload":' || p_payload
  || coalesce(',"rationale":' || to_json(p_row.rationale)::text, '') || ',"recipients":'
  || coalesce(to_json(encode(p_row.recipients, 'hex'))::text, 'null') || '}', 'UTF8')), 'hex');

-- How many messages an action sends, as entries record it. The posts in Teams come last, where there are some.
create function gate_private.reach_data(p_row gate.action) returns jsonb
language sql immutable
return jsonb_build_array(p_row.reach_slack, p_row.reach_email, p_row.reach_unreachable)
  || case when p_row.reach_teams > 0 then jsonb_build_array(p_row.reach_teams) else '[]' end;

-- The data of the entry that creates an action, without its payload. p_rule: the sentence of the policy that applied.
create function gate_private.birth_data(p_row gate.action, p_policy_version bigint, p_rule text) returns jsonb
language sql immutable
return jsonb_strip_nulls(jsonb_build_object(
  'kind', p_row.kind, 'kind_version', p_row.kind_version, 'tier', p_row.tier_at_request, 'source', p_row.source, 'policy_version', p_policy_version,
  'requested_host', p_row.requested_host, 'rule', p_rule, 'recipients', encode(p_row.recipients, 'hex'),
  'member_digest', gate_private.text_digest(p_row.uuid, p_row.member),
  'reach', gate_private.reach_data(p_row),
  'digest', p_row.digest, 'expires_at', gate_private.iso(p_row.expires_at), 'duplicate_of', p_row.duplicate_of,
  'replaces', p_row.replaces, 'consent_required', p_row.consent_required, 'approvals', p_row.approval_rule::jsonb,
  'rationale_digest', gate_private.payload_digest(p_row.salt, to_json(p_row.rationale)::text),
  'facts_digest', gate_private.payload_digest(p_row.salt, p_row.facts::text),
  'input_digest', gate_private.payload_digest(p_row.salt, to_json(p_row.input)::text),
  'reason', p_row.denial_reason, 'denial_code', p_row.denial_code, 'denial_needs', p_row.denial_needs::jsonb));

-- The subject that an amount is taken from or given to, read from the frozen payload so that no caller can name another.
create function gate_private.subject_of(p_kind text, p_payload json) returns text
language sql immutable as $$
  select case p_kind
    when 'refund' then p_payload ->> 'payment'
    when 'subscription_cancellation' then p_payload ->> 'subscription'
    when 'checkout' then p_payload ->> 'customer'
    -- All payouts go to the one bank account of the Stripe account.
    when 'payout' then 'default_destination'
    when 'upstream_tool' then
      (p_payload ->> 'upstream') || '__' || (p_payload ->> 'tool') || ' ' || (p_payload ->> 'subject')
  end
$$;

-- Who the money of an action goes to, of a kind that adds up by that too.
create function gate_private.customer_of(p_kind text, p_payload json) returns text
language sql immutable as $$
  select case p_kind when 'refund' then p_payload ->> 'customer' end
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

-- Whether an Idempotency-Key holds: for 24 hours; that of a proposal also until its action ended, and for 24 hours after that. So a program
-- that waits for a member for days proposes nothing twice. The keys of decisions need no more: they are kept when the action is decided.
create function gate.key_holds(used gate.idempotency) returns boolean
language sql stable as $$
  select used.created_at > clock_timestamp() - interval '24 hours' or (used.operation = 'propose' and (
    exists (
      select 1 from gate.action a
      where a.account_id = used.account_id and a.id = used.action_id and a.status = 'proposed'
    ) or exists (
      select 1 from gate.ledger l
      where l.account_id = used.account_id and l.action_id = used.action_id
        and l.kind in ('denied', 'cancelled', 'expired', 'executed') and l.at > clock_timestamp() - interval '24 hours'
    )
  ))
$$;

-- Whether an Idempotency-Key that holds was used for this operation, and for which action.
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
  where i.account_id = p_account and i.operation = p_operation and i.key = p_key;
  if not found or not gate.key_holds(used) then
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

-- Deletes Idempotency-Keys that hold no longer. Returns how many.
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
      and not gate.key_holds(old)
    limit p_limit
  );
  get diagnostics forgotten = row_count;
  return forgotten;
end $$;
