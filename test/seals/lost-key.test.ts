import { generateKeyPairSync } from 'node:crypto'
import { rmSync } from 'node:fs'
import { expect, test } from '@jest/globals'
import type { Deps } from '../../src/deps.ts'
import { verdictOf } from '../../src/operations/audit/ledger-proof.ts'
import { beginLog } from '../../src/seals/begin-log.ts'
import { signCheckpoint } from '../../src/seals/checkpoints.ts'
import { accountOrigin, epochLeaf, epochOrigin } from '../../src/seals/epoch.ts'
import { frontierText } from '../../src/seals/frontier-bytes.ts'
import { type Frontier, emptyFrontier, extend, leafHash, rootOf } from '../../src/seals/merkle.ts'
import { type SealReport, sealLedgers } from '../../src/seals/sealer.ts'
import { type Lived, livedAccount, livedSeq } from '../ledger/lived-account.ts'
import type { TestDatabase } from '../support/database.ts'
import { appendTo, asOwner, publishedRoots, restoreTo, rewriteFrom, url } from './scene.ts'
import { type SealerScene, ofEachTest } from './test-scene.ts'

let database: TestDatabase
let deps: Deps
let lived: Lived
let sealer: SealerScene['sealer']
ofEachTest((made) => void ({ database, deps, lived, sealer } = made))

const seal = (): Promise<SealReport> => sealLedgers(sealer)
const verify = (account = lived.account, config = sealer.config) =>
  verdictOf({ db: database.db, config: { ...deps.config, ...config } }, account)
const grow = (count: number, account = lived.account) => appendTo(database, account, count)

/** The key of the log is lost, and a log with a new one begins. */
async function loseKey(): Promise<void> {
  rmSync(`${sealer.config.DATA_DIR}/ledger`, { recursive: true })
  await beginLog({ db: database.db, config: sealer.config, now: new Date() })
}

/** Signs as a log does, with a key that nobody knows. */
const signed = (origin: string, size: number, root: Buffer): string =>
  signCheckpoint({ origin, size, root }, [generateKeyPairSync('ed25519').privateKey], url, new Date())

async function treeOf(account: string): Promise<Frontier> {
  const entries = await database.asSuperuser(
    `select hash from gate.ledger where account_id = '${account}' order by seq`,
  )
  return extend(
    emptyFrontier,
    entries.map(({ hash }) => leafHash(hash as Buffer)),
  )
}

/** Rewrites the sealed ledger of an account and its last seal, as the owner of the database can, so that the two fit together. */
async function forgeLedger(account = lived.account, more = ''): Promise<void> {
  await rewriteFrom(database, account, 3)
  const tree = await treeOf(account)
  const note = signed(accountOrigin(url, account), tree.size, rootOf(tree))
  await asOwner(
    database,
    `update gate.ledger_seal s set root = '\\x${rootOf(tree).toString('hex')}', frontier = '\\x${frontierText(tree)}',
      note = '${note}', hash = h.hash ${more}
    from gate.ledger_head h where s.account_id = '${account}' and h.account_id = s.account_id and s.size = ${tree.size}`,
  )
}

const unsignedSeal = {
  state: 'attention',
  accounts: [],
  faults: [{ account: expect.anything(), problem: expect.stringContaining('the signature of the log') }],
}

test('a forged seal is not gone on from after a new log began, where the key that is lost had signed the true one', async () => {
  await seal()
  await loseKey()
  expect(await seal()).toMatchObject({ state: 'sealed', faults: [] })
  const roots = await publishedRoots(database)
  await forgeLedger()
  expect(await verify()).toMatchObject({ ok: false, place: 'seal' })
  await grow(1)
  expect(await seal()).toMatchObject(unsignedSeal)
  expect(await verify()).toMatchObject({ ok: false, place: 'seal' })
  expect((await publishedRoots(database)).size).toBe(roots.size)
})

test('a forged seal is not gone on from after a new log began, where the new key had signed the true one', async () => {
  await seal()
  await loseKey()
  await grow(1)
  expect(await seal()).toMatchObject({ state: 'sealed', epoch: 2 })
  // A seal is refused also if its note alone was changed, or if it names a place in the epochs that the lost key signed.
  const [{ size, root, note }] = (await database.asSuperuser(
    'select size::int, root, note from gate.ledger_seal order by size desc limit 1',
  )) as [{ size: number; root: Buffer; note: string }]
  const setNote = (text: string) =>
    asOwner(database, `update gate.ledger_seal set note = '${text}' where size = ${size}`)
  await setNote(signed(accountOrigin(url, lived.account), size, root))
  expect(await verify()).toMatchObject({ ok: false, place: 'seal' })
  await setNote(note)
  expect(await verify()).toMatchObject({ ok: true })
  for (const place of ['', ', epoch_leaf = 0']) {
    await forgeLedger(lived.account, place)
    expect(await verify()).toMatchObject({ ok: false, place: 'seal' })
  }
  await grow(1)
  expect(await seal()).toMatchObject(unsignedSeal)
})

test('a forged seal is found by verify without the key of the log', async () => {
  await seal()
  const elsewhere = { DATA_DIR: `${sealer.config.DATA_DIR}/elsewhere` }
  expect(await verify(lived.account, elsewhere)).toMatchObject({ ok: true })
  await forgeLedger()
  expect(await verify(lived.account, elsewhere)).toMatchObject({ ok: false, place: 'seal' })
})

test('ledgers that the lost key sealed last are sealed on and verified, long after a new log began', async () => {
  const others = await Promise.all([1, 2, 3].map(() => livedAccount(deps)))
  await seal()
  await grow(2)
  await seal()
  await loseKey()
  for (const { account } of [...others, lived]) expect(await verify(account)).toMatchObject({ ok: true })
  for (const [i, { account }] of [...others, lived].entries()) {
    await grow(1, account)
    expect(await seal()).toMatchObject({ state: 'sealed', epoch: 6 + i, faults: [], accounts: [{ account }] })
    expect(await verify(account)).toMatchObject({ ok: true })
  }
})

test('seals that a killed process stored after those of the lost key are signed with the new one', async () => {
  await seal()
  await grow(2)
  const killed = sealLedgers({
    ...sealer,
    after() {
      throw new Error('killed')
    },
  })
  await expect(killed).rejects.toThrow('killed')
  await loseKey()
  expect(await seal()).toMatchObject({ state: 'sealed', epoch: 2, faults: [] })
  expect(await verify()).toMatchObject({ ok: true })
})

test('an epoch that the log did not sign is not gone on from after a new log began in an older database', async () => {
  for (let epoch = 1; epoch <= 4; epoch++) {
    await grow(1)
    expect(await seal()).toMatchObject({ epoch })
  }
  await restoreTo(database, lived.account, { seq: livedSeq + 1, epoch: 1 })
  await beginLog({ db: database.db, config: sealer.config, now: new Date() })
  await grow(1)
  expect(await seal()).toMatchObject({ state: 'sealed', epoch: 2, faults: [] })
  const roots = await publishedRoots(database)
  // The owner of the database can do this, with a seal of a ledger that is not the true one.
  await grow(1)
  const tree = await treeOf(lived.account)
  const leaf = leafHash(epochLeaf(Buffer.alloc(32), lived.account, { size: tree.size, root: rootOf(tree) }))
  const leaves = await database.asSuperuser('select hash from gate_private.epoch_leaf order by n')
  const epochs = extend(emptyFrontier, [...leaves.map(({ hash }) => hash as Buffer), leaf])
  const hex = (bytes: Buffer) => `'\\x${bytes.toString('hex')}'`
  await asOwner(
    database,
    `insert into gate_private.epoch_leaf (n, account_id, size, hash)
      values (2, '${lived.account}', ${tree.size}, ${hex(leaf)});
    insert into gate_private.epoch_seal (size, root, frontier, note)
      values (3, ${hex(rootOf(epochs))}, '\\x${frontierText(epochs)}', '${signed(epochOrigin(url), 3, rootOf(epochs))}');
    insert into gate.ledger_seal (account_id, size, hash, root, frontier, epoch_leaf, salt, note)
      select account_id, seq, hash, ${hex(rootOf(tree))}, '\\x${frontierText(tree)}', 2, ${hex(Buffer.alloc(32))},
        '${signed(accountOrigin(url, lived.account), tree.size, rootOf(tree))}'
      from gate.ledger_head where account_id = '${lived.account}'`,
  )
  await grow(1)
  expect(await seal()).toMatchObject({ accounts: [] })
  expect((await publishedRoots(database)).size).toBe(roots.size + 2)
})
