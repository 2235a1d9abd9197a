import { expect, test } from '@jest/globals'
import type { Deps } from '../../src/deps.ts'
import { verdictOf } from '../../src/operations/audit/ledger-proof.ts'
import { sealLedgers } from '../../src/seals/sealer.ts'
import { type Lived, livedAccount, livedSeq } from '../ledger/lived-account.ts'
import type { TestDatabase } from '../support/database.ts'
import { appendTo, asOwner, truncateTo } from './scene.ts'
import { type SealerScene, ofEachTest } from './test-scene.ts'

let database: TestDatabase
let deps: Deps
let lived: Lived
let other: Lived
let sealer: SealerScene['sealer']
/** Two ledgers that were sealed; then one of them grew by two entries and was sealed again, as the third leaf of the epochs. */
ofEachTest(async (made) => {
  ;({ database, deps, lived, sealer } = made)
  other = await livedAccount(deps)
  await sealLedgers(sealer)
  await appendTo(database, lived.account, 2)
  await sealLedgers(sealer)
})

const verify = (account: string) =>
  verdictOf({ db: database.db, config: { ...deps.config, ...sealer.config } }, account)

/** The owner of the database cuts a ledger together with its last seal, and changes what the epochs say of it. */
async function cut(leaf: string): Promise<void> {
  await truncateTo(database, lived.account, livedSeq)
  await asOwner(
    database,
    `delete from gate.ledger_seal where account_id = '${lived.account}' and size > ${livedSeq}; ${leaf}`,
  )
}

test('ledgers that grew and were sealed have a seal for each leaf', async () => {
  expect(await verify(lived.account)).toMatchObject({ ok: true })
  expect(await verify(other.account)).toMatchObject({ ok: true })
})

test('a ledger that was cut with its seal is found, where the leaf was changed to another size, also after more was sealed', async () => {
  await cut(`update gate_private.epoch_leaf set size = 1 where n = 2`)
  const found = { ok: false, place: 'seal', problem: expect.stringContaining('sealed at seq 1 (leaf 2)') }
  expect(await verify(lived.account)).toMatchObject(found)
  await appendTo(database, lived.account, 3)
  await sealLedgers(sealer)
  expect(await verify(lived.account)).toMatchObject(found)
})

test('a wrong leaf is found where it was given to another account', async () => {
  await cut(`update gate_private.epoch_leaf set account_id = '${other.account}', size = 1 where n = 2`)
  expect(await verify(other.account)).toMatchObject({ ok: false, place: 'seal' })
})

test('a wrong leaf is found by every account where it was given to an account that does not exist', async () => {
  await cut(`update gate_private.epoch_leaf set account_id = 'acct_nobody' where n = 2`)
  for (const { account } of [lived, other])
    expect(await verify(account)).toMatchObject({
      ok: false,
      problem: expect.stringContaining('acct_nobody'),
    })
})

test('a wrong leaf is found where it has the hash of an older seal, whose place it takes', async () => {
  await cut(`
    delete from gate_private.epoch_leaf where n = 2;
    update gate_private.epoch_leaf set n = 2 where account_id = '${lived.account}';
    update gate.ledger_seal set epoch_leaf = 2 where account_id = '${lived.account}'`)
  for (const { account } of [lived, other])
    expect(await verify(account)).toMatchObject({ ok: false, place: 'log' })
})

test('a missing leaf is found', async () => {
  await cut(`delete from gate_private.epoch_leaf where n = 2`)
  for (const { account } of [lived, other])
    expect(await verify(account)).toMatchObject({ ok: false, place: 'log' })
})
