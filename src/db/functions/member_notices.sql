-- Messages to members about what concerns approvals: that a delegation starts or is over, and that somebody executed an action alone.

-- Takes messages that are due. Each is put off for p_again_ms, doubled with each try, so that nobody else takes it meanwhile.
-- Addresses are null where the person is gone, or has none. facts: what the message says, by what it is about.
create function gate.take_member_notices(p_limit integer, p_again_ms bigint)
returns table (
  account_id text, about text, subject text, member_id text, tries integer, email text, slack text, teams text, account_name text,
  integrations_version bigint, facts jsonb
)
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  due gate_private.member_notice_due;
begin
  for due in
    with picked as materialized (
      select o.account_id, o.about, o.subject, o.member_id from gate_private.member_notice_due o
      where o.due_at <= clock_timestamp()
      order by o.due_at
      limit p_limit
      for update skip locked
    )
    update gate_private.member_notice_due n set
      tries = n.tries + 1,
      due_at = clock_timestamp() + p_again_ms * (2 ^ least(n.tries, 20)) * interval '1 millisecond'
    where (n.account_id, n.about, n.subject, n.member_id) in (select p.account_id, p.about, p.subject, p.member_id from picked p)
    returning n.*
  loop
    perform gate.tenant(due.account_id);
    return query
      select due.account_id, due.about, due.subject, due.member_id, due.tries, case when m.is_active then m.email end,
        case when m.is_active then m.slack end, case when m.is_active then m.teams end, c.name, c.integrations_version,
        case due.about
          when 'glass_break' then gate_private.glass_notice(due.account_id, due.subject::bigint)
          else gate_private.delegation_notice(due.account_id, due.subject, due.member_id)
        end
      from gate.account c
      join gate.member m on m.account_id = c.account_id and m.member_id = due.member_id
      where c.account_id = due.account_id;
  end loop;
end $$;

-- What a message about a delegation says to one of the two.
create function gate_private.delegation_notice(p_account text, p_delegation text, p_member text) returns jsonb
language sql stable as $$
  select jsonb_build_object(
    'other_name', o.name, 'is_deputy', p_member = d.to_member, 'kinds', d.kinds, 'until', gate_private.iso(d.until), 'ended_by', d.ended_by)
  from gate.delegation d
  join gate.member o on o.account_id = d.account_id
    and o.member_id = case p_member when d.to_member then d.from_member else d.to_member end
  where d.account_id = p_account and d.delegation_id = p_delegation
$$;

-- What a message about a break-glass says.
create function gate_private.glass_notice(p_account text, p_id bigint) returns jsonb
language sql stable as $$
  select jsonb_build_object(
    'kind', a.kind, 'by_name', w.name, 'for_name', p.name, 'review_due_at', gate_private.iso(b.review_due_at))
  from gate.glass_break b
  join gate.action a on a.account_id = b.account_id and a.id = b.action_id
  join gate.member w on w.account_id = b.account_id and w.member_id = b.member_id
  join gate.member p on p.account_id = b.account_id and p.member_id = a.member_id
  where b.account_id = p_account and b.action_id = p_id
$$;

-- Records that somebody was told, or that it was given up.
create function gate.settle_member_notice(p_account text, p_about text, p_subject text, p_member text) returns void
language sql security definer set search_path = pg_catalog, pg_temp as $$
  delete from gate_private.member_notice_due n
  where n.account_id = p_account and n.about = p_about and n.subject = p_subject and n.member_id = p_member
$$;
