import { expect, test } from '@jest/globals'
import { connect } from '../../src/db/connect.ts'
import { listSealFaults } from '../../src/db/queries/ledger/seals.ts'
import { ledgerHashes, epochHashes } from '../../src/db/queries/ledger/tiles.ts'
import type { Deps } from '../../src/deps.ts'
import { verdictOf } from '../../src/operations/audit/ledger-proof.ts'
import { readProof } from '../../src/operations/seals/ledger-proofs.ts'
import { beginLog } from '../../src/seals/begin-log.ts'
import { consistencyRanges, provesConsistency } from '../../src/seals/merkle.ts'
import { isBehindRecord } from '../../src/seals/rollback.ts'
import type { SealerDeps } from '../../src/seals/sealer-deps.ts'
import { type SealReport, sealLedgers } from '../../src/seals/sealer.ts'
import { rootsOf } from '../../src/seals/tiled-tree.ts'
import { logProblem } from '../../src/seals/verify-seals.ts'
import type { TestDatabase } from '../support/database.ts'
import { type Lived, livedSeq, livedAccount } from '../ledger/lived-account.ts'
import {
  appendTo,
  asOwner,
  isProven,
  publishedRoots,
  restoreTo,
  rewriteFrom,
  sealerIn,
  truncateTo,
  url,
} from './scene.ts'
import { type SealerScene, ofEachTest } from './test-scene.ts'

let database: TestDatabase
let deps: Deps
let lived: Lived
let sealer: SealerScene['sealer']
ofEachTest((made) => void ({ database, deps, lived, sealer } = made))

const seal = (more: Partial<SealerDeps> = {}): Promise<SealReport> => sealLedgers({ ...sealer, ...more })
const verify = () =>
  verdictOf({ db: database.db, config: { ...deps.config, ...sealer.config } }, lived.account)
const grow = (count: number) => appendTo(database, lived.account, count)

test('a kill between any two steps of a seal is healed by the next one, without a second root for any size', async () => {
  const before = new Map<string, string>()
  for (const killedAfter of ['stored', 'held', 'published'] as const) {
    await grow(3)
    const killed = seal({
      after(step) {
        if (step === killedAfter) throw new Error(`killed after ${step}`)
      },
    })
    await expect(killed).rejects.toThrow(`killed after ${killedAfter}`)
    for (const [place, root] of await publishedRoots(database)) before.set(place, root)
    // A root counts once it is published, also before the next seal.
    expect(await seal()).toMatchObject({ state: 'sealed', faults: [] })
    const roots = await publishedRoots(database)
    for (const [place, root] of before) expect(roots.get(place)).toBe(root)
  }
  const unsigned = await database.asSuperuser('select 1 from gate.ledger_seal where note is null')
  expect(unsigned).toEqual([])
  expect(isProven(await readProof(database.db, lived.account, livedSeq + 9))).toBe(true)
  expect(await verify()).toMatchObject({ ok: true })
})

test('a kill before an epoch is recorded, and a restore to before it, leave nothing that was signed', async () => {
  await seal()
  await grow(3)
  const killed = seal({
    after() {
      throw new Error('killed')
    },
  })
  await expect(killed).rejects.toThrow('killed')
  await restoreTo(database, lived.account, { seq: livedSeq, epoch: 1 })
  await grow(1)
  expect(await seal()).toMatchObject({ state: 'sealed', epoch: 2 })
})

test('sealers of several processes make one history', async () => {
  const others = [1, 2, 3].map(() => connect(database.serviceUrl, { applicationName: 'gate test' }))
  for (let round = 0; round < 8; round++) {
    await grow(5)
    await Promise.all(others.map((db) => seal({ db })))
  }
  expect(await seal()).toMatchObject({ state: 'sealed', faults: [] })
  const [row] = await database.asSuperuser(
    `select (select count(*)::int from gate_private.epoch_leaf) as leaves, (select max(size)::int from gate_private.epoch_seal) as size`,
  )
  expect(row!['leaves']).toBe(row!['size'])
  expect(await verify()).toMatchObject({ ok: true })
  await Promise.all(others.map((db) => db.close()))
})

/** Reads as the database, and lets another process seal what is new before the reader has its first answer. */
function overtaken(): { db: Deps['db']; wasOvertaken(): boolean } {
  let isFirst = true
  return {
    wasOvertaken: () => !isFirst,
    db: {
      ...database.db,
      async read(statement) {
        const rows = await database.db.read(statement)
        if (isFirst) {
          isFirst = false
          await grow(1)
          expect((await seal()).state).toBe('sealed')
        }
        return rows
      },
    },
  }
}

test('a sealer that another one overtakes between its reads sees no older database', async () => {
  await grow(3)
  for (const epoch of [1, 2]) {
    const { db, wasOvertaken } = overtaken()
    expect(await seal({ db })).toMatchObject({ state: 'elsewhere', faults: [] })
    expect(wasOvertaken()).toBe(true)
    expect(await listSealFaults(database.db, null)).toEqual([])
    expect(await seal()).toMatchObject({ state: 'sealed', epoch, faults: [] })
  }
})

test('readiness, verification and a new log see no older database where a sealer overtakes their reads', async () => {
  await seal()
  const { config } = sealer
  expect(await isBehindRecord({ db: overtaken().db, config })).toBe(false)
  expect(await logProblem({ db: overtaken().db, config: { ...deps.config, ...config } })).toBeNull()
  await expect(beginLog({ db: overtaken().db, config, now: new Date() })).rejects.toThrow('is whole')
  await restoreTo(database, lived.account, { seq: livedSeq, epoch: 1 })
  expect(await isBehindRecord({ db: database.db, config })).toBe(true)
})

test('seals of random sizes are consistent, each with each, and prove every entry', async () => {
  const sizes: number[] = []
  for (let round = 0; round < 8; round++) {
    await grow(1 + Math.floor(Math.random() * 130))
    const { accounts } = await seal()
    sizes.push(accounts[0]!.seq)
  }
  const seals = await database.asSuperuser('select size::int, root from gate.ledger_seal order by size')
  const trees = seals as { size: number; root: Buffer }[]
  expect(trees.map(({ size }) => size)).toEqual(sizes)
  const stored = ledgerHashes(database.db, lived.account)
  for (const [i, after] of trees.entries()) {
    for (const before of trees.slice(0, i + 1)) {
      const path = await rootsOf(stored, after.size, consistencyRanges(before.size, after.size))
      expect([before.size, after.size, provesConsistency(before, after, path)]).toEqual([
        before.size,
        after.size,
        true,
      ])
    }
  }
  for (let seq = 1; seq <= sizes.at(-1)!; seq++)
    expect([seq, isProven(await readProof(database.db, lived.account, seq))]).toEqual([seq, true])
  expect(await rootsOf(epochHashes(database.db), 8, consistencyRanges(5, 8))).not.toHaveLength(0)
}, 60_000)

test('a database that was restored is not sealed, and says so until the newer one is back', async () => {
  await seal()
  await grow(5)
  await seal()
  await restoreTo(database, lived.account, { seq: livedSeq, epoch: 1 })
  await grow(9)
  const refused = { state: 'attention', faults: [{ account: '', problem: expect.stringContaining('older') }] }
  expect(await seal()).toMatchObject(refused)
  expect(await seal()).toMatchObject(refused)
  expect(await listSealFaults(database.db, lived.account)).toMatchObject([{ account_id: '' }])
  expect(await verify()).toMatchObject({ ok: false, place: 'log' })
  // A process that remembers nothing is not asked to decide.
  const stranger = sealerIn(database.db, {
    config: { DATA_DIR: sealer.config.DATA_DIR, LEDGER_STATE: `${sealer.config.DATA_DIR}/other` },
  })
  expect(await sealLedgers(stranger)).toMatchObject({ state: 'attention' })
  expect((await publishedRoots(database)).size).toBe(2)
  stranger.remove()
})

test('a log that begins again after a restore has another key, and seals what there is', async () => {
  await seal()
  await grow(5)
  await seal()
  await restoreTo(database, lived.account, { seq: livedSeq, epoch: 1 })
  expect(await seal()).toMatchObject({ state: 'attention' })
  await beginLog({ db: database.db, config: sealer.config, now: new Date() })
  await grow(2)
  expect(await seal()).toMatchObject({ state: 'sealed', epoch: 2, faults: [] })
  expect(await seal()).toMatchObject({ state: 'sealed', epoch: 2, faults: [] })
  expect(await verify()).toMatchObject({ ok: true })
})

test('a database with another history of the same length is not sealed', async () => {
  await seal()
  await asOwner(
    database,
    `update gate_private.epoch_seal set root = sha256('other'), frontier = sha256('other'), note = null`,
  )
  expect(await seal()).toMatchObject({
    state: 'attention',
    faults: [{ problem: expect.stringContaining('another history') }],
  })
})

test('an entry that was changed with all hashes after it is found by verify and by the next seal', async () => {
  await grow(300)
  await seal()
  await rewriteFrom(database, lived.account, 21)
  expect(await verify()).toMatchObject({ ok: false, place: 'seq 21' })
  const refused = { state: 'attention', accounts: [], faults: [{ account: lived.account }] }
  expect(await seal()).toMatchObject(refused)
  await grow(1)
  expect(await seal()).toMatchObject(refused)
  expect(await listSealFaults(database.db, lived.account)).toMatchObject([{ account_id: lived.account }])
})

test('an entry whose text alone was changed is not sealed', async () => {
  await seal()
  await grow(4)
  const changed = `update gate.ledger set entry = replace(entry, 'unknown', 'another')`
  await asOwner(database, `${changed} where seq = ${livedSeq + 2}`)
  const report = await seal()
  expect(report.faults).toMatchObject([{ problem: expect.stringContaining(`seq ${livedSeq + 2}`) }])
  expect(report.accounts).toEqual([])
})

test('one account that cannot be sealed does not hold up another', async () => {
  await seal()
  const other = await livedAccount(deps)
  await truncateTo(database, lived.account, livedSeq - 1)
  expect(await seal()).toMatchObject({
    state: 'attention',
    accounts: [{ account: other.account }],
    faults: [{ account: lived.account }],
  })
})

test('a ledger that was cut is found by verify and by the next seal', async () => {
  await grow(2)
  await seal()
  await truncateTo(database, lived.account, livedSeq)
  expect(await verify()).toMatchObject({ ok: false, place: `seq ${livedSeq + 1}` })
  expect(await seal()).toMatchObject({
    faults: [{ account: lived.account, problem: expect.stringContaining('missing') }],
  })
})

test('a ledger that was cut together with its seals is found', async () => {
  await grow(2)
  await seal()
  await truncateTo(database, lived.account, livedSeq)
  await asOwner(database, `delete from gate.ledger_seal`)
  expect(await verify()).toMatchObject({ ok: false, place: 'seal' })
  expect(await seal()).toMatchObject({ faults: [{ account: lived.account }] })
})

test('a process whose key is another one signs nothing', async () => {
  await seal()
  await grow(1)
  const stranger = sealerIn(database.db)
  expect(await sealLedgers(stranger)).toMatchObject({ state: 'off' })
  const withKey = {
    ...stranger,
    config: { ...stranger.config, LEDGER_KEY: Buffer.alloc(32, 7).toString('base64') },
  }
  expect(await sealLedgers(withKey)).toMatchObject({ state: 'off' })
  expect((await publishedRoots(database)).size).toBe(2)
  stranger.remove()
})

test('a lost record of the last epoch stops the sealer, beside a key that has signed; tenants are told no path', async () => {
  await seal()
  await grow(1)
  expect(
    await seal({ config: { ...sealer.config, LEDGER_STATE: `${sealer.config.DATA_DIR}/empty` } }),
  ).toMatchObject({
    state: 'attention',
    faults: [{ problem: expect.stringContaining(`is missing in ${sealer.config.DATA_DIR}/empty/`) }],
  })
  // The operator is told where; tenants read what is stored.
  const [stored] = await listSealFaults(database.db, null)
  expect(stored!.problem).toBe('the record of the last signed epoch is missing')
})

test('a witness that holds another history stops the sealer before it signs', async () => {
  await seal()
  await grow(1)
  const conflict = { witness: 'w1', state: 'ahead' as const, size: 9 }
  const cosigners = {
    ask: async () => ({ cosignatures: [], missing: ['w1'], isQuorum: false, isHeard: false, conflict }),
  }
  expect(await seal({ cosigners })).toMatchObject({
    state: 'attention',
    accounts: [],
    faults: [{ problem: expect.stringContaining('witness w1 holds another history') }],
  })
  expect((await publishedRoots(database)).size).toBe(2)
  expect(url).toContain('gate.example.com')
  // A process that asks no witness, and one that reaches it no more, know no better.
  const answering = (missing: string[]) => ({
    ask: async () => ({ cosignatures: [], missing, isQuorum: false, isHeard: false, conflict: null }),
  })
  const refused = { state: 'attention', accounts: [], faults: [{ account: '' }] }
  expect(await seal()).toMatchObject(refused)
  expect(await seal({ cosigners: answering(['w1']) })).toMatchObject(refused)
  // One that has the witness no more in its policy goes on.
  expect(await seal({ cosigners: answering([]) })).toMatchObject({ state: 'sealed', epoch: 2, faults: [] })
  expect(await listSealFaults(database.db, null)).toEqual([])
})
