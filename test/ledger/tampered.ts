import type { TestDatabase } from '../support/database.ts'

/**
 * What somebody who owns the machine may do to an account's tables, undone afterwards: triggers and keys sleep meanwhile.
 * @param statement  `$ours` stands for the condition that a row is of the account
 */
export async function whileTampered<T>(
  { asSuperuser }: TestDatabase,
  account: string,
  table: string,
  statement: string,
  look: () => Promise<T>,
): Promise<T> {
  const ours = `account_id = '${account}'`
  await asSuperuser(`
    set session_replication_role = replica;
    drop table if exists kept;
    create temporary table kept as select * from ${table} where ${ours};
    ${statement.replaceAll('$ours', ours)}`)
  try {
    return await look()
  } finally {
    await asSuperuser(`
      delete from ${table} where ${ours};
      insert into ${table} overriding system value select * from kept;
      set session_replication_role = origin`)
  }
}

/** Takes away what keeps rows plausible, so that every column can be changed by itself. */
export async function dropChecks({ asSuperuser }: TestDatabase): Promise<void> {
  await asSuperuser(`
    do $do$
    declare c record;
    begin
      for c in select conrelid::regclass as name, conname from pg_constraint
        where contype = 'c' and connamespace in ('gate'::regnamespace, 'gate_private'::regnamespace)
      loop
        execute format('alter table %s drop constraint %I', c.name, c.conname);
      end loop;
    end $do$`)
}
