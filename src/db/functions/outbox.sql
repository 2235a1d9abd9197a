-- The outbox: which workflows are to be told what, and which open actions need attention.

-- Takes what is due and puts it off, so that nobody else takes it at once. due_at: until when; see settle.
create function gate.take_due(p_limit integer, p_again_ms integer)
returns table (
  uuid uuid, account_id text, action_id bigint, kind text, wake text, due_at text, expires_at timestamptz
)
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  with due as materialized (
    select d.uuid from gate_private.open_action d
    where d.due_at <= clock_timestamp()
    order by d.due_at
    limit p_limit
    for update skip locked
  )
  update gate_private.open_action o
  set due_at = clock_timestamp() + p_again_ms * interval '1 millisecond', woken = o.woken + 1
  from due
  where o.uuid = due.uuid
  returning o.uuid, o.account_id, o.action_id, o.kind, o.wake, o.due_at::text, o.expires_at
$$;

-- Records that these workflows were told. Nothing is outstanding unless another wake came meanwhile; a closed action leaves
-- the outbox. p_dues: due_at when they were told, as text, because it has microseconds; empty where it is not known. Requests
-- and steps come more than once: a later one has another due_at, and stays due.
create function gate.settle(p_uuids uuid[], p_wakes text[], p_dues text[]) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  delete from gate_private.open_action o
  using unnest(p_uuids, p_wakes) told(uuid, wake)
  where o.uuid = told.uuid and told.wake = 'cancel' and o.wake = 'cancel';
  update gate_private.open_action o set due_at = null
  from unnest(p_uuids, p_wakes, p_dues) told(uuid, wake, due)
  where o.uuid = told.uuid and o.wake = told.wake and o.wake <> 'cancel'
    and (o.wake in ('start', 'confirm') or o.due_at = nullif(told.due, '')::timestamptz);
end $$;

-- Has the workflow of a running action call the steps that go on later. p_due_ms: when it is told again, if that fails.
-- Returns due_at; see settle.
create function gate_private.wake_step(p_uuid uuid, p_due_ms integer) returns text
language sql volatile as $$
  update gate_private.open_action o
  set wake = 'wake', due_at = clock_timestamp() + p_due_ms * interval '1 millisecond', again_at = clock_timestamp()
  where o.uuid = p_uuid
  returning o.due_at::text
$$;

-- Records that a step of a running action goes on later: until then the action is not overdue. Of several steps, the first.
create function gate.put_step_off(p_uuid uuid, p_in_ms double precision) returns void
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  update gate_private.open_action o
  set again_at = least(
    case when o.again_at > clock_timestamp() then o.again_at end, clock_timestamp() + p_in_ms * interval '1 millisecond')
  where o.uuid = p_uuid
$$;

-- The rows that the reconciler looks at: wakes that are overdue and confirms that have not ended, unless a step goes on later.
-- p_all: every open action. is_stalled: of a confirm that should have ended, or gone on, p_stalled_ms ago.
create function gate.list_open(
  p_limit integer, p_overdue_ms integer, p_unended_ms integer, p_stalled_ms integer, p_all boolean, p_after uuid
)
returns table (
  uuid uuid, account_id text, action_id bigint, kind text, wake text, due_at text, expires_at timestamptz,
  decided_at timestamptz, is_stalled boolean
)
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  select o.uuid, o.account_id, o.action_id, o.kind, o.wake, o.due_at::text, o.expires_at, o.decided_at,
    o.decided_at is not null
      and greatest(o.decided_at, o.again_at) < clock_timestamp() - p_stalled_ms * interval '1 millisecond'
  from gate_private.open_action o
  where (p_after is null or o.uuid > p_after) and (
    p_all
    or o.due_at < clock_timestamp() - p_overdue_ms * interval '1 millisecond'
    or o.decided_at < clock_timestamp() - p_unended_ms * interval '1 millisecond'
      and (o.again_at is null or o.again_at < clock_timestamp() - p_unended_ms * interval '1 millisecond')
  )
  order by o.uuid
  limit p_limit
$$;

-- Open proposals past their expiry, for a worker to close: a page by uuid, after p_after unless it is null.
create function gate.list_expired(p_limit integer, p_after uuid)
returns table (uuid uuid, account_id text, action_id bigint)
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  select o.uuid, o.account_id, o.action_id
  from gate_private.open_action o
  where o.decided_at is null and o.expires_at <= clock_timestamp() and (p_after is null or o.uuid > p_after)
  order by o.uuid
  limit p_limit
$$;

-- The state of the outbox, for `gate doctor`. oldest_due: of what is already due. oldest_claim: of the confirms whose steps
-- do not go on later.
create function gate.open_summary()
returns table (open_proposals bigint, claims_without_end bigint, oldest_due timestamptz, oldest_claim timestamptz)
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  select count(*) filter (where decided_at is null), count(*) filter (where decided_at is not null),
    min(due_at) filter (where due_at <= clock_timestamp()),
    min(decided_at) filter (where again_at is null or again_at < clock_timestamp())
  from gate_private.open_action
$$;

-- Executors and providers whose calls for running actions fail, with since when, the last error and how many actions wait for them.
-- target: the kind of the executor, the MCP server, or the provider. p_account null: of all accounts.
create function gate.failing_calls(p_account text)
returns table (account_id text, target text, failing_since timestamptz, code text, actions bigint)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  listed text;
begin
  for listed in
    select distinct o.account_id from gate_private.open_action o
    where o.decided_at is not null and (p_account is null or o.account_id = p_account)
    order by 1
  loop
    perform gate.tenant(listed);
    return query
      select listed, f.target, min(f.failing_since), (array_agg(f.code order by f.failing_since desc))[1], count(*)
      from gate_private.open_action o
      join gate.action a on a.account_id = o.account_id and a.id = o.action_id
      cross join lateral (
        select a.kind as target, e.failing_since, e.code from gate.executor_call e
        where e.account_id = a.account_id and e.action_id = a.id and e.failing_since is not null
        union all
        select coalesce(a.payload ->> 'upstream', p.provider), p.failing_since, p.code from gate.provider_call p
        where p.account_id = a.account_id and p.action_id = a.id and p.failing_since is not null
      ) f
      where o.account_id = listed and o.decided_at is not null
      group by f.target
      order by f.target collate "C";
  end loop;
end $$;

-- Takes what fails for longer than p_after_ms and was not told to the administrators: of those who ask, one gets it.
create function gate.take_failing_notices(p_after_ms bigint)
returns table (account_id text, target text, failing_since timestamptz, code text, actions bigint)
language sql volatile security definer set search_path = pg_catalog, pg_temp as $$
  with failing as materialized (select * from gate.failing_calls(null)),
  kept as (
    update gate_private.failing_notice n set noticed_at = clock_timestamp()
    from failing f where f.account_id = n.account_id and f.target = n.target
  ),
  forgotten as (
    delete from gate_private.failing_notice n
    where n.noticed_at < clock_timestamp() - interval '1 day'
      and not exists (select from failing f where f.account_id = n.account_id and f.target = n.target)
  ),
  noted as (
    insert into gate_private.failing_notice (account_id, target)
    select f.account_id, f.target from failing f
    where f.failing_since < clock_timestamp() - p_after_ms * interval '1 millisecond'
    on conflict on constraint failing_notice_pkey do nothing
    returning account_id, target
  )
  select f.* from failing f join noted n on n.account_id = f.account_id and n.target = f.target
$$;

-- The outbox of an action: what its workflow is told next and when, and when a step goes on. Empty: the action has ended.
create function gate.outbox_of(p_account text, p_id bigint)
returns table (wake text, due_at timestamptz, woken integer, again_at timestamptz, decided_at timestamptz, created_at timestamptz)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select o.wake, o.due_at, o.woken, o.again_at, o.decided_at, o.created_at
  from gate_private.open_action o
  where o.account_id = p_account and o.action_id = p_id
$$;
