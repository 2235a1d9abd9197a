import { expect, test } from '@jest/globals'
import { publishEpoch, readSealWork, storeEpoch } from '../../src/db/queries/ledger/sealing.ts'
import type { Deps } from '../../src/deps.ts'
import { readLogKeys } from '../../src/seals/log-keys.ts'
import { logPlace } from '../../src/seals/log-place.ts'
import { emptyFrontier, extend, rootOf } from '../../src/seals/merkle.ts'
import { nextSeal } from '../../src/seals/account-seal.ts'
import { frontierText } from '../../src/seals/frontier-bytes.ts'
import { nextEpoch } from '../../src/seals/next-epoch.ts'
import type { SealerDeps } from '../../src/seals/sealer-deps.ts'
import { type SealReport, sealLedgers } from '../../src/seals/sealer.ts'
import { type Lived, livedAccount, livedSeq } from '../ledger/lived-account.ts'
import type { TestDatabase } from '../support/database.ts'
import { appendTo, asOwner, publishedRoots, sealerIn } from './scene.ts'
import { type SealerScene, ofEachTest } from './test-scene.ts'

let database: TestDatabase
let deps: Deps
let lived: Lived
let sealer: SealerScene['sealer']
ofEachTest((made) => void ({ database, deps, lived, sealer } = made))

const seal = (more: Partial<SealerDeps> = {}): Promise<SealReport> => sealLedgers({ ...sealer, ...more })
const killed = (): Promise<SealReport> =>
  seal({
    after() {
      throw new Error('killed')
    },
  })

const refused = (why: string) => ({
  state: 'attention',
  faults: [{ account: '', problem: expect.stringContaining(why) }],
})

/** The epoch that a sealer would store now. */
async function honestEpoch() {
  const { log, epoch, accounts } = await readSealWork(database.db, { accountsMax: 9, isAll: true })
  const keys = readLogKeys(logPlace(sealer.config, log)) ?? { all: [], lostTo: 0, isInFile: false }
  const seals = []
  for (const unsealed of accounts) {
    const given = { keys, epoch, entriesMax: 1_000, archive: undefined }
    const made = await nextSeal(database.db, unsealed, given)
    if (!('problem' in made)) seals.push(made)
  }
  return nextEpoch(database.db, epoch, seals)
}

/** Stores an epoch of honest seals under a root that is not theirs. */
async function plantRoot(): Promise<void> {
  const epoch = await honestEpoch()
  const other = Array.from({ length: epoch.size }, (_, i) => Buffer.alloc(32, i))
  const frontier = extend(emptyFrontier, other)
  const root = rootOf(frontier).toString('hex')
  expect(await storeEpoch(database.db, { ...epoch, root, frontier: frontierText(frontier) })).toBe(true)
}

/** Gives notes to an epoch and its seals, as anybody can who has the service's access to the database. */
const note = (size: number, text: string, seals: { account: string; size: number }[]) =>
  publishEpoch(database.db, {
    size,
    note: text,
    seals: seals.map((of) => ({ ...of, note: 'x' })),
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

test('a stored seal that contradicts one that was signed is not signed after somebody gave it a note', async () => {
  await seal()
  const signed = await publishedRoots(database)
  await plantSeal(livedSeq + 2)
  const planted = { account: lived.account, size: livedSeq + 2 }
  await note(0, '', [planted])
  await note(1, 'none', [planted])
  expect(await seal()).toMatchObject(refused('does not fit its ledger'))
  expect(await publishedRoots(database)).toEqual(signed)
  // The owner of the database can do this all the same.
  await asOwner(database, `update gate.ledger_seal set note = 'none' where note is null`)
  expect(await seal()).toMatchObject(refused('does not fit its ledger'))
  const unsigned = await database.asSuperuser(
    'select size::int from gate_private.epoch_seal where note is null',
  )
  expect(unsigned).toEqual([{ size: 2 }])
})

test('a first epoch of honest seals under another root is never signed', async () => {
  await plantRoot()
  expect(await seal()).toMatchObject(refused('does not have the root of its seals'))
  expect(await publishedRoots(database)).toEqual(new Map())
})

test('an epoch of honest seals under another root is not signed by a process without a record', async () => {
  const LEDGER_KEY = Buffer.alloc(32, 7).toString('base64')
  sealer.config.LEDGER_KEY = LEDGER_KEY
  await seal()
  const signed = await publishedRoots(database)
  await appendTo(database, lived.account, 3)
  await plantRoot()
  const config = { ...sealer.config, LEDGER_STATE: `${sealer.config.DATA_DIR}/new` }
  expect(await seal({ config })).toMatchObject(refused('does not have the root of its seals'))
  expect(await publishedRoots(database)).toEqual(signed)
})

test('no epoch follows one that is not signed, and none is signed after one with a note that is not of the log', async () => {
  await seal()
  const signed = await publishedRoots(database)
  await plantSeal(livedSeq + 2)
  await livedAccount(deps)
  expect(await storeEpoch(database.db, await honestEpoch())).toBe(false)
  await note(2, 'none', [])
  expect(await storeEpoch(database.db, await honestEpoch())).toBe(true)
  expect(await seal()).toMatchObject(refused('the signature of epoch 2 was changed'))
  await asOwner(database, `update gate_private.epoch_seal set note = null where note = 'none'`)
  expect(await seal()).toMatchObject(refused('does not fit its ledger'))
  expect(await publishedRoots(database)).toEqual(signed)
})

test('an epoch that is published takes the mark of new entries from no ledger that it does not seal', async () => {
  await seal()
  await appendTo(database, lived.account, 3)
  await note(0, '', [{ account: lived.account, size: livedSeq + 3 }])
  expect(await seal({ onlyNew: true })).toMatchObject({
    state: 'sealed',
    accounts: [{ account: lived.account, seq: livedSeq + 3 }],
  })
})

test('two processes sign what a killed one stored, and the later one sees no fault', async () => {
  await seal()
  await appendTo(database, lived.account, 3)
  await expect(killed()).rejects.toThrow('killed')
  let isFirst = true
  const late: Deps['db'] = {
    ...database.db,
    async read(statement) {
      const rows = await database.db.read(statement)
      // Between what the late process reads first, and what it reads next.
      if (isFirst) {
        isFirst = false
        expect(await seal()).toMatchObject({ state: 'sealed', epoch: 2 })
      }
      return rows
    },
  }
  expect(await seal({ db: late })).toMatchObject({ state: 'elsewhere', faults: [] })
  expect(await seal()).toMatchObject({ state: 'sealed', epoch: 2, faults: [] })
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

test('seals that a killed process stored are signed by nobody whose key is another one, and make nobody a key', async () => {
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
