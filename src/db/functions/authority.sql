-- The rows that `gate ledger verify` compares with the entries about who may do what.

-- A page of what is stored. p_part: member, key, app, administrator, curriculum, kind, policy, conversation, integration,
-- upstream, passkey, company, company_identity, group, delegation, endpoint or account;
-- ids after p_after. Holds only ids, dates, tiers and digests: no address, name, title or secret.
-- Stable, so that all its queries read the snapshot of the calling statement.
create function gate.authority_page(p_account text, p_part text, p_after text, p_limit integer)
returns table (id text, facts json)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account);
  case p_part
  when 'member' then
    return query
      select m.member_id, json_build_object(
        'active', m.is_active, 'tier', m.admin_tier, 'directory', (
          select gate_private.directory_digest(d) from gate.directory_user d
          where d.account_id = p_account and d.member_id = m.member_id
        ), 'identity_digest', gate_private.identity_digest(m),
        'reads_mailbox', (
          select b.hash from gate_private.mailbox b where b.account_id = p_account and b.holder = m.member_id
        ) is not distinct from gate_private.mailbox_hash(case when m.is_active then m.email end),
        'identities', (
          select coalesce(json_agg(json_build_array(
            i.via, gate_private.iso(i.set_at), gate_private.iso(i.changed_at), i.changed_by,
            gate_private.iso(i.confirmed_at), i.confirmed_by)), '[]')
          from gate.identity_change i
          where i.account_id = p_account and i.member_id = m.member_id
        ),
        'passes', (
          select coalesce(json_agg(json_build_array(
            p.curriculum, p.module, gate_private.iso(p.passed_at), gate_private.iso(p.latest_at),
            p.revoked_at is not null)), '[]')
          from gate.pass p
          where p.account_id = p_account and p.member_id = m.member_id
        ))
      from gate.member m
      where m.account_id = p_account and m.member_id > p_after
      order by m.member_id
      limit p_limit;
  when 'key' then
    return query
      select k.key_id, json_build_object(
        'row', (
          select json_build_object(
            'name_digest', encode(sha256(convert_to(a.key_id || ' ' || a.name, 'UTF8')), 'hex'),
            'actors', a.actors, 'expires_at', gate_private.iso(a.expires_at), 'revoked', a.revoked_at is not null,
            'powers', a.powers, 'kinds', a.kinds, 'networks', a.networks, 'actions_per_day', a.actions_per_day,
            'cents_per_day', a.cents_per_day, 'rotated_from', a.rotated_from, 'app', a.grant_id,
            'admin_calls_per_day', a.admin_calls_per_day, 'minted_by', a.minted_by)
          from gate.api_key a
          where a.account_id = p_account and a.key_id = k.key_id
        ),
        'hashes', (
          select coalesce(json_agg(json_build_object(
            'key_hash', encode(h.hash, 'hex'), 'family', h.family,
            'actors', h.actors, 'expires_at', gate_private.iso(h.expires_at), 'revoked', h.revoked_at is not null,
            'powers', h.powers, 'kinds', h.kinds, 'networks', h.networks, 'actions_per_day', h.actions_per_day,
            'cents_per_day', h.cents_per_day, 'admin_calls_per_day', h.admin_calls_per_day)), '[]')
          from gate_private.api_key_hash h
          where h.account_id = p_account and h.key_id = k.key_id
        ))
      from (
        select a.key_id from gate.api_key a where a.account_id = p_account and a.key_id > p_after
        union
        select h.key_id from gate_private.api_key_hash h where h.account_id = p_account and h.key_id > p_after
        order by 1
        limit p_limit
      ) k
      order by k.key_id;
  when 'app' then
    return query
      select g.grant_id, json_build_object(
        'data', gate_private.grant_data(g), 'granted_by', g.granted_by, 'ended', g.ended_at is not null)
      from gate.app_grant g
      where g.account_id = p_account and g.grant_id > p_after
      order by g.grant_id
      limit p_limit;
  when 'administrator' then
    return query
      select a.admin_id, json_build_object(
        'removed', a.removed_at is not null, 'role', a.role, 'managed', a.is_managed, 'mailbox_digest', gate_private.mailbox_digest(a),
        'reads_mailbox', (
          select b.hash from gate_private.mailbox b where b.account_id = p_account and b.holder = a.admin_id
        ) is not distinct from gate_private.mailbox_hash(
          case when a.removed_at is null and not a.is_managed then a.email end))
      from gate.admin a
      where a.account_id = p_account and a.admin_id > p_after
      order by a.admin_id
      limit p_limit;
  when 'curriculum' then
    return query
      select c.slug, json_build_object(
        'modules', c.modules, 'grants', c.grants, 'valid_days', c.valid_days,
        'title_digest', gate_private.title_digest(c), 'retired', c.retired_at is not null,
        'module_titles_digest', case when c.module_titles is not null then gate_private.module_titles_digest(c) end)
      from gate.curriculum c
      where c.account_id = p_account and c.slug > p_after
      order by c.slug
      limit p_limit;
  when 'kind' then
    -- Versions as texts of one length, as below.
    return query
      select k.id, k.facts from (
        select d.kind || ' ' || to_char(d.version, 'FM0000000000') as id, json_build_object(
          'document', encode(sha256(convert_to(d.document::text, 'UTF8')), 'hex'), 'digest', d.digest,
          'created_by', d.created_by, 'retired', d.retired_at is not null) as facts
        from gate.kind d
        where d.account_id = p_account
      ) k
      where k.id collate "C" > p_after
      order by k.id collate "C"
      limit p_limit;
  when 'policy' then
    -- Versions are texts of one length, so that they sort like numbers.
    return query
      select to_char(p.version, 'FM000000000000000000'), json_build_object(
        'document', encode(sha256(convert_to(p.document::text, 'UTF8')), 'hex'),
        'note_digest', gate_private.note_digest(p), 'action', p.action_id)
      from gate.policy p
      where p.account_id = p_account and p.version > coalesce(nullif(p_after, '')::bigint, 0)
      order by p.version
      limit p_limit;
  when 'conversation' then
    return query
      select c.conversation_id, json_build_object('members', (
        select coalesce(json_agg(t.member_id order by t.member_id collate "C"), '[]')
        from gate.participant t
        where t.account_id = p_account and t.conversation_id = c.conversation_id
      ))
      from gate.conversation c
      where c.account_id = p_account and c.conversation_id > p_after
      order by c.conversation_id
      limit p_limit;
  when 'integration' then
    return query
      select i.integration_id, json_build_object(
        'provider', i.provider, 'state', i.state, 'action', i.action_id, 'admin', i.admin_id,
        'is_running', coalesce(a.status = 'proposed' and a.decision = 'confirm', false))
      from gate.integration i
      left join gate.action a on a.account_id = i.account_id and a.id = i.action_id
      where i.account_id = p_account and i.integration_id > p_after
      order by i.integration_id
      limit p_limit;
  when 'upstream' then
    return query
      select u.upstream, json_build_object(
        'transport', u.transport, 'command', u.command, 'headers', u.headers,
        'address_digest', gate_private.upstream_address_digest(u),
        'tools', (
          select coalesce(json_agg(json_build_object(
            'tool', o.tool, 'reviewed', o.reviewed_hash, 'quarantined', o.quarantined_at is not null, 'rule', o.rule)), '[]')
          from gate.upstream_tool o
          where o.account_id = p_account and o.upstream = u.upstream
            and (o.reviewed_hash is not null or o.rule is not null)
        ))
      from gate.upstream u
      where u.account_id = p_account and u.upstream > p_after
      order by u.upstream
      limit p_limit;
  when 'passkey' then
    return query
      select p.passkey_id, json_build_object(
        'member', p.member_id, 'admin', p.admin_id, 'device_bound', p.is_device_bound, 'removed', p.removed_at is not null,
        'credential', encode(p.credential, 'hex'), 'public_key', encode(p.public_key, 'hex'),
        'name_digest', gate_private.passkey_name_digest(p), 'created_at', gate_private.iso(p.created_at),
        'removed_by', p.removed_by)
      from gate.passkey p
      where p.account_id = p_account and p.passkey_id > p_after
      order by p.passkey_id
      limit p_limit;
  when 'company' then
    return query
      select c.account_id, gate_private.company_data(c)::json
      from gate.company_sign_in c
      where c.account_id = p_account and c.account_id > p_after;
  when 'company_identity' then
    return query
      select i.identity_id,
        (gate_private.company_identity_data(i) - 'identity' || jsonb_build_object('ended', i.ended_at is not null))::json
      from gate.company_identity i
      where i.account_id = p_account and i.identity_id > p_after
      order by i.identity_id
      limit p_limit;
  when 'group' then
    return query
      select g.group_id, json_build_object(
        'name_digest', gate_private.group_name_digest(g), 'of_directory', g.is_of_directory,
        'external_digest', gate_private.group_external_digest(g),
        'counts_from', (
          select coalesce(json_object_agg(m.member_id, gate_private.iso(m.counts_from)), '{}')
          from gate.group_membership m
          where m.account_id = p_account and m.group_id = g.group_id and m.counts_from is not null
        ),
        'members', (
          select coalesce(json_agg(m.member_id order by m.member_id collate "C"), '[]')
          from gate.group_membership m
          where m.account_id = p_account and m.group_id = g.group_id
        ))
      from gate.member_group g
      where g.account_id = p_account and g.group_id > p_after
      order by g.group_id
      limit p_limit;
  when 'endpoint' then
    return query
      select e.endpoint_id, (gate_private.endpoint_data(e) - 'endpoint')::json
      from gate.endpoint e
      where e.account_id = p_account and e.endpoint_id > p_after
      order by e.endpoint_id
      limit p_limit;
  when 'delegation' then
    return query
      select d.delegation_id, (gate_private.delegation_data(d) - 'delegation' || jsonb_build_object(
        'created_at', gate_private.iso(d.created_at), 'ended_by', d.ended_by))::json
      from gate.delegation d
      where d.account_id = p_account and d.delegation_id > p_after
      order by d.delegation_id
      limit p_limit;
  when 'account' then
    return query
      select c.account_id, json_build_object(
        'suspended', c.suspended_at is not null, 'policy_version', c.policy_version,
        'key_limits', (select d.key_limits from gate_private.account_directory d where d.account_id = c.account_id),
        'name_digest', encode(sha256(convert_to(c.account_id || ' ' || c.name, 'UTF8')), 'hex'),
        'stripe_changed_at', gate_private.iso(c.stripe_changed_at), 'stripe_change', c.stripe_change,
        'is_connecting', exists (
          select from gate.action a
          where a.account_id = c.account_id and a.kind = 'integration' and a.status = 'proposed' and a.decision = 'confirm'),
        'miscounted_calls', gate_private.miscounted_calls(c.account_id))
      from gate.account c
      where c.account_id = p_account and c.account_id > p_after;
  else
    raise exception 'no part %', p_part using errcode = 'invalid_parameter_value';
  end case;
end $$;

-- How many counts of tool calls are not those of the calls, or not those that entries record; and how many calls are not of the action
-- that they name. Calls are forgotten after 30 days, and entries can be archived: of what is gone nothing is said.
create function gate_private.miscounted_calls(p_account text) returns bigint
language sql stable as $$
  with told as materialized (
    select e.entry::jsonb #>> '{data,hour}' as hour, c.value as counts
    from gate.ledger e cross join jsonb_array_elements(e.entry::jsonb #> '{data,counts}') c
    where e.account_id = p_account and e.kind = 'tool_calls_counted'
      and e.at >= (select min(n.hour) from gate.tool_count n where n.account_id = p_account)
  ), made as materialized (
    select date_trunc('hour', t.at) as hour, t.member_id, t.key_id, t.tool,
      count(*) filter (where t.decision = 'allow') as allowed, count(*) filter (where t.decision = 'deny') as denied,
      count(*) filter (where t.decision = 'consent') as asked
    from gate.tool_call t where t.account_id = p_account
    group by 1, 2, 3, 4
  )
  select (
    select count(*) from gate.tool_count n
    where n.account_id = p_account and n.is_noted
      and n.hour >= (select e.at from gate.ledger e where e.account_id = p_account order by e.seq limit 1)
      and not exists (
        select from told where told.hour = gate_private.iso(n.hour)
          and told.counts = jsonb_build_array(n.member_id, n.key_id, n.tool, n.allowed, n.denied, n.asked))
  ) + (
    select count(*) from (select * from gate.tool_count c where c.account_id = p_account) n
    full join made m on m.hour = n.hour and m.member_id = n.member_id and m.key_id = n.key_id and m.tool = n.tool
    where (n.allowed, n.denied, n.asked) is distinct from (m.allowed::integer, m.denied::integer, m.asked::integer)
      and coalesce(n.hour, m.hour) > clock_timestamp() - interval '20 days'
  ) + (
    select count(*) from gate.tool_call t
    join gate.action a on a.account_id = t.account_id and a.id = t.action_id
    where t.account_id = p_account and (
      t.member_id is distinct from a.member_id
      or (t.decision = 'consent' or a.kind = 'runner_mandate') and t.key_id is distinct from a.proposed_key
      or a.kind <> 'mandate' and a.salt is not null
        and (t.tool, t.runner) is distinct from (a.payload ->> 'tool', a.payload ->> 'runner')
      -- A mandate allows many calls, each at the tier of its time.
      or a.kind not in ('runner_mandate', 'mandate') and (
        t.tier_at_request is distinct from a.tier_at_request
        or a.salt is not null and t.effect is distinct from a.payload ->> 'effect'))
  )
$$;

-- Whether subject, customer and amount of an action are those of its payload. After an erasure nothing says what they were.
create function gate.is_derived(p_action gate.action) returns boolean
language plpgsql stable security definer set search_path = pg_catalog, pg_temp as $$
declare
  document json;
  is_of_provider boolean := p_action.kind in ('refund', 'subscription_cancellation', 'checkout', 'payout', 'upstream_tool');
begin
  perform gate.tenant(p_action.account_id);
  if p_action.kind_version is null and (p_action.amount_cents is not null or p_action.amount_currency is not null) then
    return false;
  elsif p_action.salt is null then
    return p_action.amount_cents is null and p_action.amount_currency is null and (p_action.subject is null or is_of_provider)
      and (p_action.customer is null or p_action.kind = 'refund');
  elsif p_action.customer is distinct from gate_private.customer_of(p_action.kind, p_action.payload) then
    return false;
  elsif p_action.kind_version is null then
    return p_action.subject is not distinct from case when is_of_provider then
      gate_private.subject_of(p_action.kind, p_action.payload) end;
  end if;
  select k.document into document from gate.kind k
  where k.account_id = p_action.account_id and k.kind = p_action.kind and k.version = p_action.kind_version;
  return p_action.subject is not distinct from gate_private.at_pointer(p_action.payload, document ->> 'subject')
    and p_action.amount_cents is not distinct from
      gate_private.at_pointer(p_action.payload, document #>> '{amount,cents}')::bigint
    and p_action.amount_currency is not distinct from coalesce(
      document #>> '{amount,currency,always}', gate_private.at_pointer(p_action.payload, document #>> '{amount,currency}'));
end $$;
