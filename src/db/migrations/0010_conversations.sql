-- A conversation in which members build something. Its files lie in a workspace, a folder named by these two ids.
create table gate.conversation (
  account_id text not null,
  conversation_id text not null,
  title text not null,
  created_at timestamptz not null default clock_timestamp(),
  constraint conversation_pkey primary key (account_id, conversation_id),
  constraint conversation_account_fkey foreign key (account_id) references gate.account,
  constraint conversation_id_form check (conversation_id ~ '^[A-Za-z0-9_-]{1,64}$'),
  constraint conversation_title_length check (length(title) between 1 and 200)
);
-- Where file names do not tell case apart, two ids that differ in it alone would share one folder.
create unique index conversation_folder_key on gate.conversation (account_id, lower(conversation_id collate "C"));

-- A member takes part in a conversation: these members, and no others, see its files.
create table gate.participant (
  account_id text not null,
  conversation_id text not null,
  member_id text not null,
  created_at timestamptz not null default clock_timestamp(),
  constraint participant_pkey primary key (account_id, conversation_id, member_id),
  constraint participant_conversation_fkey foreign key (account_id, conversation_id) references gate.conversation,
  constraint participant_member_fkey foreign key (account_id, member_id) references gate.member
);

alter table gate.conversation enable row level security, force row level security;
alter table gate.participant enable row level security, force row level security;
create policy tenant on gate.conversation using (account_id = gate.current_account());
create policy tenant on gate.participant using (account_id = gate.current_account());

create function gate.create_conversation(
  p_account text, p_conversation text, p_title text, p_members text[], p_event uuid, p_tail text
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  insert into gate.conversation (account_id, conversation_id, title) values (p_account, p_conversation, p_title);
  insert into gate.participant (account_id, conversation_id, member_id)
  select p_account, p_conversation, member_id from unnest(p_members) as given(member_id);
  perform gate_private.append(p_account, p_event, 'conversation_changed', null, p_tail);
end $$;

-- Outcome: missing (no such conversation), unchanged (takes part already), changed.
create function gate.add_participant(
  p_account text, p_conversation text, p_member text, p_event uuid, p_tail text
) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  perform 1 from gate.conversation where account_id = p_account and conversation_id = p_conversation;
  if not found then
    return 'missing';
  end if;
  insert into gate.participant (account_id, conversation_id, member_id) values (p_account, p_conversation, p_member)
  on conflict on constraint participant_pkey do nothing;
  if not found then
    return 'unchanged';
  end if;
  perform gate_private.append(p_account, p_event, 'conversation_changed', null, p_tail);
  return 'changed';
end $$;

-- Outcome: missing (no such conversation), unchanged (did not take part), changed.
create function gate.remove_participant(
  p_account text, p_conversation text, p_member text, p_event uuid, p_tail text
) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  perform 1 from gate.conversation where account_id = p_account and conversation_id = p_conversation;
  if not found then
    return 'missing';
  end if;
  delete from gate.participant
  where account_id = p_account and conversation_id = p_conversation and member_id = p_member;
  if not found then
    return 'unchanged';
  end if;
  perform gate_private.append(p_account, p_event, 'conversation_changed', null, p_tail);
  return 'changed';
end $$;
