import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { listSealFaults } from '../../src/db/queries/ledger/seals.ts'
import type { Deps } from '../../src/deps.ts'
import { startSealing } from '../../src/operations/seals/seal-loop.ts'
import { depsOf, livedAccount, livedSeq } from '../ledger/lived-account.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'
import { shorten } from '../support/shorten.ts'
import { until } from '../support/until.ts'
import { appendTo, sealerIn, truncateTo } from './scene.ts'

let database: TestDatabase
let deps: Deps
let sealer: ReturnType<typeof sealerIn>
let lengthen: () => void
let sealing: ReturnType<typeof startSealing> | undefined
beforeEach(async () => {
  lengthen = shorten({ sealEveryMs: 20, sealLookAgainMs: 100 })
  database = await freshDatabase()
  deps = depsOf(database)
  sealer = sealerIn(database.db)
})
afterEach(async () => {
  await sealing?.stop()
  lengthen()
  sealer.remove()
  await deps.close()
  await database.drop()
})

/** Lets every look at all accounts fail, as one does that takes longer than a statement may. */
const failLooks = () =>
  database.asSuperuser(`
    alter function gate.seal_work rename to seal_work_whole;
    create function gate.seal_work(p_after text, p_limit integer, p_all boolean) returns json
    language plpgsql stable security definer as $$ begin
      if p_all then
        raise exception 'canceling statement due to statement timeout' using errcode = 'query_canceled';
      end if;
      return gate.seal_work_whole(p_after, p_limit, p_all);
    end $$;
    grant execute on function gate.seal_work to gate_service`)
const allowLooks = () =>
  database.asSuperuser(
    'drop function gate.seal_work; alter function gate.seal_work_whole rename to seal_work',
  )

test('new entries are sealed while looks at all accounts fail, which are tried until one succeeds', async () => {
  const { account } = await livedAccount(deps)
  const isSealedTo = async (seq: number): Promise<boolean> => {
    const [row] = await database.asSuperuser(
      `select max(size)::int as size from gate.ledger_seal where account_id = '${account}' and note is not null`,
    )
    return row!['size'] === seq
  }
  await failLooks()
  const config = { ...deps.config, ...sealer.config }
  sealing = startSealing({ ...deps, config, publicUrl: sealer.publicUrl })
  await until('the first seal', () => isSealedTo(livedSeq))
  await appendTo(database, account, 3)
  await until('the second seal', () => isSealedTo(livedSeq + 3))
  await truncateTo(database, account, livedSeq)
  await database.asSuperuser('delete from gate_private.unsealed_account')
  await allowLooks()
  await until('what a look finds', async () => (await listSealFaults(database.db, account)).length === 1)
  expect(await listSealFaults(database.db, account)).toMatchObject([{ account_id: account }])
}, 60_000)
