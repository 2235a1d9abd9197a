import type { AppliedFile, Schema } from './schema.ts'

/** The SQLSTATE of a migration that finds another schema than the one it was planned for. */
export const movedState = 'GA409'

/**
 * Begins the transaction of a migration: waits for any other one, and stops with `movedState` unless the database still
 * has the files that were read before.
 */
export function lockedText(become: string, applied: AppliedFile[]): string {
  const state = applied.map(({ name, sha256 }) => `${name} ${sha256 ?? ''}`).toSorted()
  return `
    -- Changing a large table may take longer than the service's own statements may; waiting for its lock may not.
    set local statement_timeout = 0;
    set local lock_timeout = 0;
    ${become}
    select pg_advisory_xact_lock(7203146001);
    set local lock_timeout to default;
    create schema if not exists gate;
    create schema if not exists gate_private;
    create table if not exists gate_private.migration (
      name text not null,
      sha256 text,
      applied_at timestamptz not null default clock_timestamp(),
      constraint migration_pkey primary key (name)
    );
    do $check$ begin
      if ${literal(state.join('\n'))} <> (
        select coalesce(string_agg(m.name || ' ' || coalesce(m.sha256, ''), E'\\n' order by m.name collate "C"), '')
        from gate_private.migration m
      ) then
        raise exception 'another migration came first' using errcode = '${movedState}';
      end if;
    end $check$;`
}

/**
 * Replaces all functions and applies the pending migrations. All, because a function that changes its parameters must be
 * dropped, and those that depend on it with it. Functions that tables depend on (policies, checks, triggers) stay, and are
 * replaced by `base.sql`, which comes before the tables.
 */
export function changesText(schema: Schema, pending: Schema, removed: string[]): string {
  const [base, ...functions] = schema.functions
  return [
    // Checked below, when all of them exist: so their order in the files is free.
    'set local check_function_bodies = off;',
    dropFunctions,
    base!.text,
    ...pending.migrations.map(({ text }) => text),
    ...functions.map(({ text }) => text),
    checkFunctions,
    recordText(pending, removed),
  ].join('\n')
}

const ours = `p.pronamespace in ('gate'::regnamespace, 'gate_private'::regnamespace)`

const dropFunctions = `
  do $drop$
  declare
    listed text;
  begin
    select string_agg(p.oid::regprocedure::text, ', ') into listed
    from pg_proc p
    where ${ours} and not exists (
      select 1 from pg_depend d
      where d.refclassid = 'pg_proc'::regclass and d.refobjid = p.oid and d.classid <> 'pg_proc'::regclass
    );
    if listed is not null then
      execute 'drop function ' || listed;
    end if;
  end $drop$;`

const checkFunctions = `
  set local check_function_bodies = on;
  do $check$
  declare
    f record;
  begin
    for f in
      select p.oid, l.lanvalidator::regproc as validator from pg_proc p join pg_language l on l.oid = p.prolang where ${ours}
    loop
      begin
        execute format('select %s($1)', f.validator) using f.oid;
      exception when others then
        raise exception '%: %', f.oid::regprocedure, sqlerrm using errcode = sqlstate;
      end;
    end loop;
  end $check$;`

function recordText(pending: Schema, removed: string[]): string {
  const rows = [
    ...pending.migrations.map(({ name }) => `(${literal(name)}, null)`),
    ...pending.functions.map(({ name, sha256 }) => `(${literal(name)}, ${literal(sha256)})`),
  ]
  const texts = removed.map((name) => `delete from gate_private.migration where name = ${literal(name)};`)
  if (rows.length > 0) {
    texts.push(`insert into gate_private.migration (name, sha256) values ${rows.join(', ')}
      on conflict on constraint migration_pkey do update
      set sha256 = excluded.sha256, applied_at = excluded.applied_at;`)
  }
  return texts.join('\n')
}

/** What the service's role may do: read the tables of `gate` under row-level security, and call its functions. */
export const grantsText = (role: string): string => `
  revoke all on schema gate, gate_private from public;
  revoke all on all functions in schema gate, gate_private from public;
  grant usage on schema gate to ${quoted(role)};
  grant select on all tables in schema gate to ${quoted(role)};
  grant execute on all functions in schema gate to ${quoted(role)};`

/** Roles belong to the cluster: the migration of another database may create the same one at the same moment. */
export const tolerant = (statement: string): string =>
  `do $do$ begin ${statement}; exception when duplicate_object or unique_violation then null; end $do$`

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
export const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`
