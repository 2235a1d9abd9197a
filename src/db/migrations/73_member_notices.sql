-- Messages that are due to members about what concerns approvals, each once. Deleted once they are told.
create table gate_private.member_notice_due (
  account_id text not null,
  about text not null,
  -- The delegation, or the number of the action.
  subject text not null,
  member_id text not null,
  tries integer not null default 0,
  due_at timestamptz not null,
  constraint member_notice_due_pkey primary key (account_id, about, subject, member_id),
  constraint member_notice_due_about_known check (about in ('delegation_start', 'delegation_end', 'glass_break'))
);
create index member_notice_due_by_time on gate_private.member_notice_due (due_at);

insert into gate_private.member_notice_due (account_id, about, subject, member_id, tries, due_at)
select n.account_id, case when n.is_end then 'delegation_end' else 'delegation_start' end, n.delegation_id, n.member_id, n.tries, n.due_at
from gate_private.delegation_notice_due n
union all
select n.account_id, 'glass_break', n.action_id::text, n.member_id, n.tries, n.due_at from gate_private.glass_notice_due n;

drop table gate_private.delegation_notice_due;
drop table gate_private.glass_notice_due;
