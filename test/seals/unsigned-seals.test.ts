import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { readSealWork, storeEpoch } from '../../src/db/queries/ledger/sealing.ts'
import type { Deps } from '../../src/deps.ts'
import { emptyFrontier, extend, rootOf } from '../../src/seals/merkle.ts'
import { nextEpoch } from '../../src/seals/next-epoch.ts'
import type { SealerDeps } from '../../src/seals/sealer-deps.ts'
import { type SealReport, sealLedgers } from '../../src/seals/sealer.ts'
import { type Lived, depsOf, livedAccount, livedSeq } from '../ledger/lived-account.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'
import { appendTo, asOwner, publishedRoots, sealerIn } from './scene.ts'

let database: TestDatabase
let deps: Deps
let lived: Lived
let sealer: ReturnType<typeof sealerIn>
beforeEach(async () => {
  database = await freshDatabase()
  deps = depsOf(database)
  lived = await livedAccount(deps)
  sealer = sealerIn(database.db)
})
afterEach(async () => {
  sealer.remove()
  await deps.close()
  await database.drop()
})

const seal = (more: Partial<SealerDeps> = {}): Promise<SealReport> => sealLedgers({ ...sealer, ...more })
const killed = (): Promise<SealReport> =>
  seal({
    after() {
      throw new Error('killed')
    },
  })

/** Stores an epoch with a seal of another history, as anybody can who has the service's access to the database. */
async function plantSeal(size: number): Promise<void> {
  const frontier = extend(
    emptyFrontier,
    Array.from({ length: size }, (_, i) => Buffer.alloc(32, i)),
  )
  const { epoch } = await readSealWork(database.db, { accountsMax: 1, isAll: true })
  const planted = {
    account: lived.account,
    was: livedSeq,
    hash: '00'.repeat(32),
    root: rootOf(frontier),
    frontier,
  }
  const next = await nextEpoch(database.db, epoch, [{ ...planted, tiles: [] }])
  expect(await storeEpoch(database.db, next)).toBe(true)
}

test('a stored seal that contradicts one that was signed is never signed', async () => {
  await seal()
  const signed = await publishedRoots(database)
  await plantSeal(livedSeq + 2)
  await appendTo(database, lived.account, 3)
  const refused = {
    state: 'attention',
    faults: [{ account: '', problem: expect.stringContaining('does not fit its ledger') }],
  }
  expect(await seal()).toMatchObject(refused)
  expect(await seal()).toMatchObject(refused)
  expect(await publishedRoots(database)).toEqual(signed)
})

test('a first seal that is not of the ledger is never signed', async () => {
  const frontier = extend(emptyFrontier, [Buffer.alloc(32, 1), Buffer.alloc(32, 2)])
  const planted = { account: lived.account, was: 0, hash: '00'.repeat(32), root: rootOf(frontier), frontier }
  const next = await nextEpoch(database.db, null, [{ ...planted, tiles: [] }])
  expect(await storeEpoch(database.db, next)).toBe(true)
  expect(await seal()).toMatchObject({
    state: 'attention',
    faults: [{ account: '', problem: expect.stringContaining('does not fit its ledger') }],
  })
  expect(await publishedRoots(database)).toEqual(new Map())
})

test('a seal that was changed between its storing and its signing is never signed', async () => {
  await seal()
  const signed = await publishedRoots(database)
  await appendTo(database, lived.account, 3)
  await expect(killed()).rejects.toThrow('killed')
  await asOwner(database, `update gate.ledger_seal set root = sha256('other') where note is null`)
  expect(await seal()).toMatchObject({ state: 'attention' })
  expect(await publishedRoots(database)).toEqual(signed)
})

test('a seal of an epoch that was passed over unsigned is nothing to go on from', async () => {
  await seal()
  const signed = await publishedRoots(database)
  await plantSeal(livedSeq + 2)
  await asOwner(database, `update gate_private.epoch_seal set note = 'none' where note is null`)
  await appendTo(database, lived.account, 3)
  expect(await seal()).toMatchObject({ state: 'attention' })
  await asOwner(database, `update gate_private.epoch_seal set note = null where note = 'none'`)
  expect(await seal()).toMatchObject({ state: 'attention' })
  expect(await publishedRoots(database)).toEqual(signed)
})

test('what a killed process stored is signed by nobody whose key is another one, and makes nobody a key', async () => {
  await seal()
  await appendTo(database, lived.account, 3)
  await expect(killed()).rejects.toThrow('killed')
  const stranger = sealerIn(database.db)
  expect(await sealLedgers(stranger)).toMatchObject({ state: 'off' })
  const LEDGER_KEY = Buffer.alloc(32, 7).toString('base64')
  expect(await sealLedgers({ ...stranger, config: { ...stranger.config, LEDGER_KEY } })).toMatchObject({
    state: 'off',
  })
  expect((await publishedRoots(database)).size).toBe(2)
  expect(await seal()).toMatchObject({ state: 'sealed', epoch: 2, faults: [] })
  stranger.remove()
})
