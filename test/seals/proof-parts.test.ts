import { expect, test } from '@jest/globals'
import type { Deps } from '../../src/deps.ts'
import { readHead } from '../../src/db/queries/ledger/ledger.ts'
import { storeCosignatures } from '../../src/db/queries/ledger/sealing.ts'
import { readProvenEntry } from '../../src/db/queries/ledger/seals.ts'
import { readProven } from '../../src/operations/seals/proven.ts'
import { readProof } from '../../src/operations/seals/ledger-proofs.ts'
import { pathPlaces } from '../../src/seals/inclusion-path.ts'
import { leafHash } from '../../src/seals/merkle.ts'
import { parseCheckpoint, signatureLine } from '../../src/seals/note.ts'
import { BrokenTree, type ProvenPath } from '../../src/seals/proof.ts'
import { sealLedgers } from '../../src/seals/sealer.ts'
import { livedAccount } from '../ledger/lived-account.ts'
import type { TestDatabase } from '../support/database.ts'
import { type GrownTile, grown, leafOf, partsOf } from './grown-tree.ts'
import { appendTo, asOwner, isProven, parseProof } from './scene.ts'
import { type SealerScene, ofThisFile } from './test-scene.ts'

let database: TestDatabase
let deps: Deps
let sealer: SealerScene['sealer']
ofThisFile((made) => ({ database, deps, sealer } = made))

const bytes = (buffer: Buffer): string => `'\\x${buffer.toString('hex')}'`
const rowOf = ({ level, n, root, hashes, nodes }: GrownTile): string =>
  [level, n, bytes(root), bytes(hashes), bytes(nodes)].join()

test('the database gives what the path of a leaf needs, of a ledger and of the epochs, with each shape of a tree', async () => {
  const account = 'acct_AAAAAAAAAAAAAAAA'
  const size = 70_000
  const { tiles } = await grown([size])
  const rows = [...tiles.values()].map(rowOf)
  const leaves = Array.from({ length: 112 }, (_, i) => size - 112 + i)
  await asOwner(
    database,
    `set session_replication_role = replica;
    insert into gate.ledger_tile (account_id, level, n, root, hashes, nodes) values
      ${rows.map((row) => `('${account}',${row})`).join()};
    insert into gate.ledger (account_id, seq, event_id, at, kind, entry, prev, hash) values
      ${leaves.map((n) => `('${account}',${n + 1},gen_random_uuid(),now(),'x','x','',${bytes(leafOf(n))})`).join()};
    insert into gate_private.epoch_tile (level, n, root, hashes, nodes) values
      ${rows.map((row) => `(${row})`).join()};
    insert into gate_private.epoch_leaf (n, account_id, size, hash) values
      ${leaves.map((n) => `(${n},'${account}',${n},${bytes(leafHash(leafOf(n)))})`).join()};
    set session_replication_role = default`,
  )
  /** Any entry that is there: what is read beside it depends on the places alone. */
  const asked = size
  const indexes = [
    0, 15, 16, 255, 256, 65_535, 65_536, 65_800, 69_631, 69_632, 69_887, 69_888, 69_960, 69_999,
  ]
  const partsFor = async (index: number, of: number) => {
    const { entry } = await readProvenEntry(database.db, account, asked, pathPlaces(index, of))
    return entry!.parts
  }
  for (const index of indexes) {
    const due = partsOf(tiles, index, size)
    expect(await partsFor(index, size)).toEqual(due)
    const [row] = await database.asSuperuser(
      `select gate_private.epoch_path_parts(${index}, ${size}) as parts`,
    )
    expect(row!['parts']).toEqual(due)
  }
  // Older trees of the same ledger, which were made before a tile of it was full.
  for (const [index, older] of [
    [3, 200],
    [130, 200],
    [256, 300],
    [65_000, 65_500],
  ] as const)
    expect(await partsFor(index, older)).toEqual(partsOf(tiles, index, older))
  await asOwner(
    database,
    `delete from gate.ledger_tile where account_id = '${account}' and level = 0 and n = 1`,
  )
  expect(await partsFor(256, size)).toBeNull()
  await asOwner(database, 'delete from gate_private.epoch_tile; delete from gate_private.epoch_leaf')
}, 60_000)

test('the seal that proves is read once, and again as soon as it is another one or another cosigned it', async () => {
  const { account } = await livedAccount(deps)
  await sealLedgers(sealer)
  const epochOf = async (seq: number) =>
    parseProof(
      (
        JSON.parse(parseProof(await readProof(database.db, account, seq)).extra.toString()) as {
          epoch: string
        }
      ).epoch,
    ).note
  const keptFrom = async (seq: number) => ((await readProven(database.db, account, seq)) as ProvenPath).seal
  const first = await epochOf(3)
  expect(await keptFrom(3)).toBe(await keptFrom(4))
  expect((await epochOf(4)).text).toBe(first.text)
  // The proofs of a process that has kept the seal, from here on.
  const line = { name: 'w.example', id: Buffer.alloc(4), bytes: Buffer.alloc(72) }
  await storeCosignatures(database.db, parseCheckpoint(first.text)!.size, [
    { name: line.name, line: signatureLine(line) },
  ])
  const cosigned = await epochOf(3)
  expect(cosigned.text).toBe(first.text)
  expect(cosigned.signatures.map(({ name }) => name)).toContain('w.example')
  await appendTo(database, account, 2)
  await sealLedgers(sealer)
  const last = await readHead(database.db, account)
  expect((await epochOf(last!.seq)).text).not.toBe(first.text)
  expect((await epochOf(3)).text).toBe(first.text)
})

test('a proof is not given away where a stored root of a subtree was changed', async () => {
  const { account } = await livedAccount(deps)
  await appendTo(database, account, 600)
  expect(await sealLedgers(sealer)).toMatchObject({ state: 'sealed' })
  expect(isProven(await readProof(database.db, account, 17))).toBe(true)
  expect(isProven(await readProof(database.db, account, 520))).toBe(true)
  await asOwner(
    database,
    `update gate.ledger_tile set nodes = set_byte(nodes, 7, get_byte(nodes, 7) # 1) where account_id = '${account}' and n = 0`,
  )
  // Beside the first 16 entries, which need that root; the next 16 have it as their own.
  await expect(readProof(database.db, account, 17)).rejects.toThrow(BrokenTree)
  expect(isProven(await readProof(database.db, account, 1))).toBe(true)
}, 60_000)

test('a seal that was kept proves nothing after a rollback, also where as many epochs were sealed since', async () => {
  const { account } = await livedAccount(deps)
  await sealLedgers(sealer)
  const checkpointOf = async (seq: number) =>
    parseProof(await readProof(database.db, account, seq)).checkpoint.size
  const before = await checkpointOf(1)
  await appendTo(database, account, 2)
  await sealLedgers(sealer)
  expect(await checkpointOf(1)).toBe(before + 2)
  const [last] = await database.asSuperuser('select max(size) as size from gate_private.epoch_seal')
  const keptSeal = async () => ((await readProven(database.db, account, 1)) as ProvenPath).seal
  const kept = await keptSeal()
  await asOwner(
    database,
    `update gate_private.epoch_seal set root = sha256(root) where size = ${String(last!['size'])}`,
  )
  expect(await keptSeal()).not.toBe(kept)
  await asOwner(
    database,
    `delete from gate_private.epoch_seal where size = ${String(last!['size'])};
    delete from gate.ledger_seal where account_id = '${account}' and size = ${before + 2}`,
  )
  expect(await checkpointOf(1)).toBe(before)
  await expect(readProof(database.db, account, before + 1)).rejects.toThrow('is not sealed yet')
})
