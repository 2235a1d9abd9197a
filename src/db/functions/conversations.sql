-- Conversations and their participants. p_session and p_event: see accounts.sql.

-- Creates a conversation with its first participants.
create function gate.create_conversation(
  p_account text, p_session bytea, p_conversation text, p_title text, p_members text[], p_event uuid
) returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session, 'conversations.write');
  insert into gate.conversation (account_id, conversation_id, title) values (p_account, p_conversation, p_title);
  insert into gate.participant (account_id, conversation_id, member_id)
  select p_account, p_conversation, member_id from unnest(p_members) as given(member_id);
  perform gate_private.note_change(
    p_account, p_event, 'conversation_changed', null, actor, null,
    jsonb_build_object(
      'conversation', p_conversation, 'change', 'created',
      'members', (select coalesce(jsonb_agg(m order by m collate "C"), '[]') from unnest(p_members) m)));
end $$;

-- Returns missing (no such conversation), unchanged (already takes part), changed.
create function gate.add_participant(
  p_account text, p_session bytea, p_conversation text, p_member text, p_event uuid
) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session, 'conversations.write');
  perform 1 from gate.conversation where account_id = p_account and conversation_id = p_conversation;
  if not found then
    return 'missing';
  end if;
  insert into gate.participant (account_id, conversation_id, member_id) values (p_account, p_conversation, p_member)
  on conflict on constraint participant_pkey do nothing;
  if not found then
    return 'unchanged';
  end if;
  perform gate_private.note_change(
    p_account, p_event, 'conversation_changed', null, actor, null,
    jsonb_build_object('conversation', p_conversation, 'change', 'participant_added', 'member', p_member));
  return 'changed';
end $$;

-- Returns missing (no such conversation), unchanged (did not take part), changed.
create function gate.remove_participant(
  p_account text, p_session bytea, p_conversation text, p_member text, p_event uuid
) returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  actor text;
begin
  perform gate.tenant(p_account), gate_private.lock_head(p_account);
  actor := gate_private.require_admin(p_account, p_session, 'conversations.write');
  perform 1 from gate.conversation where account_id = p_account and conversation_id = p_conversation;
  if not found then
    return 'missing';
  end if;
  delete from gate.participant
  where account_id = p_account and conversation_id = p_conversation and member_id = p_member;
  if not found then
    return 'unchanged';
  end if;
  perform gate_private.note_change(
    p_account, p_event, 'conversation_changed', null, actor, null,
    jsonb_build_object('conversation', p_conversation, 'change', 'participant_removed', 'member', p_member));
  return 'changed';
end $$;
