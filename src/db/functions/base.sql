-- Functions that table definitions call (policies, checks, triggers), and that functions of every subject are built from.
-- Applied before the tables: a signature or a `return` body here must not name a table. Everything is `create or replace`,
-- because a function that a table definition calls cannot be dropped.

-- Sets the account for the rest of the transaction, which is this statement. Row-level security reads it.
create or replace function gate.tenant(p_account text) returns text
language plpgsql volatile as $$
begin
  return set_config('gate.account', p_account, true);
end $$;

-- The account of this transaction, for the policies. Null: none was set, and no row is visible.
create or replace function gate.current_account() returns text
language sql stable
return nullif(current_setting('gate.account', true), '');

-- The record of `gate migrate`: the migrations it applied, and the files of functions with the hash of their content.
create or replace function gate.applied_files() returns table (name text, sha256 text)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select m.name, m.sha256 from gate_private.migration m
$$;

-- Whether each text is a network in CIDR form.
create or replace function gate_private.are_networks(p_networks text[]) returns boolean
language sql immutable strict
return (select coalesce(bool_and(n = n::cidr::text), false) from unnest(p_networks) n);

-- Whether a JSON object gives an amount in cents for each currency: {"usd": 100000}.
create or replace function gate_private.are_ceilings(p_cents json) returns boolean
language sql immutable strict
return json_typeof(p_cents) = 'object' and (
  select coalesce(bool_and(c.key ~ '^[a-z]{3}$' and c.value::text ~ '^[1-9][0-9]{0,10}$'), false) from json_each(p_cents) c);

-- Trigger: refuses to change or delete rows of the ledger.
create or replace function gate_private.refuse_change() returns trigger
language plpgsql as $$
begin
  raise exception 'the ledger is append-only' using errcode = 'insufficient_privilege';
end $$;

-- Trigger: refuses to change or delete a seal. Only a seal without a note takes one, once.
create or replace function gate_private.refuse_seal_change() returns trigger
language plpgsql as $$
begin
  if tg_op = 'UPDATE' and old.note is null and new.note is not null
    and to_jsonb(old) - 'note' = to_jsonb(new) - 'note'
  then
    return new;
  end if;
  raise exception 'seals are append-only' using errcode = 'insufficient_privilege';
end $$;

-- Trigger: refuses to delete a ledger entry, unless a file of an archive was recorded to hold it.
create or replace function gate_private.refuse_unarchived() returns trigger
language plpgsql as $$
begin
  perform 1 from gate.ledger_archive a
  where a.account_id = old.account_id and old.seq between a.first_seq and a.last_seq;
  if found then
    return old;
  end if;
  raise exception 'the ledger is append-only' using errcode = 'insufficient_privilege';
end $$;

-- Trigger: keeps which ledgers have entries after their last seal.
create or replace function gate_private.note_unsealed() returns trigger
language plpgsql as $$
begin
  new.is_unsealed := true;
  insert into gate_private.unsealed_account (account_id) values (new.account_id) on conflict do nothing;
  return new;
end $$;

-- Trigger: keeps which mailbox a member reads.
create or replace function gate_private.keep_member_mailbox() returns trigger
language plpgsql as $$
begin
  perform gate_private.keep_mailbox(new.account_id, new.member_id, case when new.is_active then new.email end);
  return null;
end $$;

-- Trigger: keeps which mailbox an administrator reads.
create or replace function gate_private.keep_admin_mailbox() returns trigger
language plpgsql as $$
begin
  perform gate_private.keep_mailbox(
    new.account_id, new.admin_id, case when new.removed_at is null and not new.is_managed then new.email end);
  return null;
end $$;

-- Trigger: keeps changes of a member's e-mail address and chat identities.
create or replace function gate_private.keep_identities() returns trigger
language plpgsql as $$
declare
  changed_at timestamptz := date_trunc('milliseconds', clock_timestamp());
begin
  perform gate_private.keep_identity(old, 'email', old.email, new.email, changed_at);
  perform gate_private.keep_identity(old, 'slack', old.slack, new.slack, changed_at);
  perform gate_private.keep_identity(old, 'teams', old.teams, new.teams, changed_at);
  return null;
end $$;

-- Trigger: keeps since when a call fails, and each change in how it goes. An attempt that begins is no change, and neither is one
-- that comes to the same as the one before it. What an executor says while it works is no failure.
create or replace function gate_private.note_call_change() returns trigger
language plpgsql as $$
declare
  runs boolean := new.state in ('pending', 'sending', 'accepted', 'asking');
  made jsonb := to_jsonb(new);
  last record;
begin
  new.failing_since := case when runs and new.code is not null and new.code not in ('still_running', 'no_location')
    then coalesce(old.failing_since, clock_timestamp()) end;
  if not runs or new.state = 'sending' and new.code is not distinct from old.code
    or new.state = old.state and new.code is not distinct from old.code
  then
    return new;
  end if;
  select c.n, c.state, c.code into last from gate.call_change c
  where c.account_id = new.account_id and c.action_id = new.action_id and c.step = new.step
  order by c.n desc
  limit 1;
  if coalesce(last.state, 'pending') <> new.state or last.code is distinct from new.code then
    insert into gate.call_change (account_id, action_id, step, n, state, code, attempts)
    select new.account_id, new.action_id, new.step, coalesce(last.n, 0) + 1, new.state, new.code,
      coalesce(made ->> 'attempts', made ->> 'attempt')::integer
    where coalesce(last.n, 0) < 100;
  end if;
  return new;
end $$;

-- Trigger: sets the subject and the customer of an action from its payload.
create or replace function gate_private.set_subject() returns trigger
language plpgsql as $$
begin
  new.subject := gate_private.subject_of(new.kind, new.payload);
  new.customer := gate_private.customer_of(new.kind, new.payload);
  return new;
end $$;

-- Trigger: sets subject and amount of an action of a declared kind, by the pointers of its document: no caller can name others.
create or replace function gate_private.set_declared() returns trigger
language plpgsql as $$
declare
  document json;
begin
  select k.document into document from gate.kind k
  where k.account_id = new.account_id and k.kind = new.kind and k.version = new.kind_version;
  new.subject := gate_private.at_pointer(new.payload, document ->> 'subject');
  new.amount_cents := gate_private.at_pointer(new.payload, document #>> '{amount,cents}')::bigint;
  new.amount_currency := coalesce(
    document #>> '{amount,currency,always}', gate_private.at_pointer(new.payload, document #>> '{amount,currency}'));
  return new;
end $$;

-- Trigger: keeps which bots of Microsoft Teams are connected.
create or replace function gate_private.keep_teams_bot() returns trigger
language plpgsql as $$
begin
  if new.state = 'connected' then
    insert into gate_private.teams_bot (app_id, account_id) values (new.settings ->> 'app_id', new.account_id)
    on conflict on constraint teams_bot_account_key do update set app_id = excluded.app_id;
  elsif new.state = 'disconnected' then
    delete from gate_private.teams_bot b where b.account_id = new.account_id and b.app_id = new.settings ->> 'app_id';
  end if;
  return null;
end $$;

-- Trigger: withdraws the consent requests of an action that was decided, and deletes the tokens that were not sent yet.
create or replace function gate_private.withdraw_requests() returns trigger
language plpgsql as $$
begin
  update gate.consent_request q
  set state = case q.state when 'pending' then 'withdrawn' else 'unknown' end, token = null, message = null
  where q.account_id = new.account_id and q.action_id = new.id and q.state in ('pending', 'sending');
  return null;
end $$;

-- Trigger: has the messages in Slack and Teams about an action show its outcome, when it was decided and when it ended, and that it was
-- changed.
create or replace function gate_private.queue_message_updates() returns trigger
language plpgsql as $$
begin
  insert into gate_private.message_update (account_id, action_id, n)
  select q.account_id, q.action_id, q.n from gate.consent_request q
  where q.account_id = new.account_id and q.action_id = new.id and q.via <> 'email' and q.state = 'sent'
  on conflict on constraint message_update_pkey do update set due_at = clock_timestamp(), tries = 0;
  return null;
end $$;

-- The canonical JSON of a value (RFC 8785): keys sorted, no spaces. Keys are ASCII and numbers are integers here. It calls itself
-- for objects and arrays alone: most values are neither, and a call takes longer than their text.
create or replace function gate_private.canonical(p_value jsonb) returns text
language plpgsql immutable strict set search_path = pg_catalog, pg_temp as $$
declare
  made text;
begin
  if jsonb_typeof(p_value) = 'object' then
    select string_agg(
      to_json(e.key)::text || ':'
        || case when jsonb_typeof(e.value) in ('object', 'array') then gate_private.canonical(e.value) else e.value::text end,
      ',' order by e.key collate "C")
    into made from jsonb_each(p_value) e;
    return '{' || coalesce(made, '') || '}';
  elsif jsonb_typeof(p_value) = 'array' then
    select string_agg(gate_private.canonical(e.value), ',' order by e.n)
    into made from jsonb_array_elements(p_value) with ordinality e(value, n);
    return '[' || coalesce(made, '') || ']';
  end if;
  return p_value::text;
end $$;

-- A time as it stands in entries and in the hash chain: ISO 8601, UTC, milliseconds.
create or replace function gate_private.iso(p_at timestamptz) returns text
-- Stable, as to_char is: else PostgreSQL would call it instead of writing it into the statement.
language sql stable
return to_char(p_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"');

-- The digest that an entry holds instead of a text that must not stand in it. The action's uuid is in no export, so that nobody who has
-- an export can guess the text.
create or replace function gate_private.text_digest(p_uuid uuid, p_text text) returns text
language sql immutable
return encode(sha256(convert_to(p_uuid::text || ' ' || p_text, 'UTF8')), 'hex');

-- Refuses a JSON argument that lacks a field or has another one: a misspelled field would be read as null.
-- p_read: the record that was read from it.
create or replace function gate_private.require_fields(p_given jsonb, p_read jsonb) returns void
language plpgsql immutable as $$
declare
  odd text;
begin
  -- Keys of jsonb are sorted.
  if array(select jsonb_object_keys(p_given)) = array(select jsonb_object_keys(p_read)) then
    return;
  end if;
  select string_agg(coalesce(g.name, r.name), ', ') into odd
  from jsonb_object_keys(p_given) g(name)
  full join jsonb_object_keys(p_read) r(name) on r.name = g.name
  where g.name is null or r.name is null;
  raise exception 'missing or unknown fields: %', odd using errcode = 'invalid_parameter_value';
end $$;
