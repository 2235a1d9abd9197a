import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { account } from '../../src/cli/account-option.ts'
import { nouns } from '../../src/cli/nouns.ts'
import { exampleOf } from '../../src/cli/usage.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'
import { gateOn } from './gate-command.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
  // A newer version may have replaced every function and every column.
  await database.asSuperuser(`
    insert into gate_private.migration select (r).* from (
      select jsonb_populate_record(m, '{"name": "99_newer"}') as r from gate_private.migration m limit 1
    ) newer`)
  await database.asSuperuser(`
    do $$ declare f regprocedure; begin
      for f in select oid from pg_proc where pronamespace = 'gate'::regnamespace and proname <> 'applied_files' loop
        execute format('alter function %s rename to newer_%s', f, f::oid::text);
      end loop;
    end $$`)
})
afterAll(() => database.drop())

test('every command on the database of a newer version says so', async () => {
  const gate = gateOn({ DATABASE_URL: database.serviceUrl })
  const commands = [['doctor'], ['account', 'list', '--json']]
  for (const [noun, load] of Object.entries(nouns))
    for (const [verb, spec] of Object.entries(await load()))
      if (spec.options['account'] === account)
        commands.push([noun, ...(verb ? [verb] : []), ...exampleOf(spec)])
  expect(commands.length).toBeGreaterThan(60)
  const other = []
  for (const command of commands) {
    const { code, stderr } = await gate(...command)
    if (
      code !== 1 ||
      !stderr.startsWith('This program cannot use the database: schema: newer than this program')
    )
      other.push([command.join(' '), code, stderr])
  }
  expect(other).toEqual([])
})
