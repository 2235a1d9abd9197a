import { createHash } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import type { Deps } from '../../src/deps.ts'
import { linkHash } from '../../src/ledger/chain.ts'
import { verifyExport } from '../../src/ledger/verify-file.ts'
import { sealedProof } from '../../src/operations/seals/sealed-export.ts'
import { readProof } from '../../src/operations/seals/ledger-proofs.ts'
import { emptyFrontier, extend, leafHash, provesInclusion, rootOf } from '../../src/seals/merkle.ts'
import { epochLeaf } from '../../src/seals/epoch.ts'
import { sealLedgers } from '../../src/seals/sealer.ts'
import type { TestDatabase } from '../support/database.ts'
import { archiveFor } from '../ledger/archived-account.ts'
import { livedAccount, livedSeq } from '../ledger/lived-account.ts'
import { appendTo, isProven, parseProof } from './scene.ts'
import { parseCheckpoint, parseNote } from '../../src/seals/note.ts'
import { type SealerScene, ofThisFile } from './test-scene.ts'

let database: TestDatabase
let deps: Deps
let sealer: SealerScene['sealer']
ofThisFile((made) => ({ database, deps, sealer } = made))

async function exported(account: string, archive?: string): Promise<string> {
  let text = ''
  for await (const line of sealedProof({ db: database.db }, account, archive)) text += line
  return text
}

/** Holds a sealed export against its seal, as a stranger does. */
function isSealed(text: string): boolean {
  const lines = text.split('\n').slice(0, -1)
  const values = lines.map((line) => JSON.parse(line) as Record<string, never>)
  const { account, seq } = values[0]! as unknown as { account: string; seq: number }
  const entries = values.slice(1, seq + 1) as unknown as Parameters<typeof linkHash>[1][]
  const { seal } = values[seq + 1] as unknown as { seal: { checkpoint: string; epoch: string } }
  const { end } = values[seq + 2] as unknown as { end: { lines: number; sha256: string } }
  const before = lines.slice(0, -1).map((line) => `${line}\n`)
  const digest = createHash('sha256').update(before.join('')).digest('hex')
  if (end.lines !== before.length || end.sha256 !== digest || values.length !== seq + 3) return false
  const tree = parseCheckpoint(parseNote(seal.checkpoint)!.text)!
  const leaves = entries
    .slice(0, tree.size)
    .map((link) => leafHash(Buffer.from(linkHash(account, link), 'hex')))
  const epoch = parseProof(seal.epoch)
  const leaf = leafHash(epochLeaf(epoch.extra, account, tree))
  return (
    rootOf(extend(emptyFrontier, leaves)).equals(tree.root) &&
    provesInclusion({ index: epoch.index, hash: leaf }, epoch.checkpoint, epoch.path)
  )
}

test('a sealed export has the lines of an export, then its seal and the digest of all lines', async () => {
  const { account } = await livedAccount(deps)
  await expect(exported(account)).rejects.toMatchObject({ publishedCode: 'not_sealed' })
  await sealLedgers(sealer)
  await appendTo(database, account, 2)
  const text = await exported(account)
  expect(isSealed(text)).toBe(true)
  expect(isSealed(text.replace('"kind":"proposed"', '"kind":"proposes"'))).toBe(false)
  const file = join(mkdtempSync(join(tmpdir(), 'sealed-')), 'ledger.jsonl')
  writeFileSync(file, text)
  // Up to the seal: what comes after it, anyone could have added.
  expect(await verifyExport(file)).toMatchObject({ ok: true, seq: livedSeq, sealed: true })
  writeFileSync(file, text.replace(/\n\{"seal".*/s, '\n{"seal":{"checkpoint":7}}\n'))
  expect(await verifyExport(file)).toMatchObject({ ok: false })
})

test('entries are archived by full tiles; later ones are proven as before, and all of them are exported with the seal', async () => {
  const { account } = await livedAccount(deps)
  await database.asSuperuser(
    `update gate.action set status = 'cancelled', closed_reason = 'expired' where account_id = '${account}' and status = 'proposed'`,
  )
  await appendTo(database, account, 300)
  await sealLedgers(sealer)
  const archive = archiveFor(database, account)
  await archive.run()
  const [stored] = await database.asSuperuser(
    `select min(seq)::int as first from gate.ledger where account_id = '${account}'`,
  )
  expect(stored!['first']).toBe(257)
  await expect(readProof(database.db, account, 256)).rejects.toMatchObject({ code: 'gone' })
  expect(isProven(await readProof(database.db, account, 257))).toBe(true)
  await appendTo(database, account, 300)
  expect(await sealLedgers(sealer)).toMatchObject({ state: 'sealed' })
  expect(isProven(await readProof(database.db, account, 600))).toBe(true)
  expect(isSealed(await exported(account, archive.root))).toBe(true)
  await archive.owner.close()
})

test('entries that were archived before they were sealed are told, and sealed from the archive', async () => {
  const { account } = await livedAccount(deps)
  const archive = archiveFor(database, account)
  await archive.run()
  const refused = (problem: string) => ({
    state: 'attention',
    faults: [{ account, problem: expect.stringContaining(problem) }],
  })
  expect(await sealLedgers(sealer)).toMatchObject(refused('archived before'))
  expect(await sealLedgers({ ...sealer, archive: archive.root })).toMatchObject(
    refused('once there is a seq 256'),
  )
  await appendTo(database, account, 300)
  expect(await sealLedgers({ ...sealer, archive: archive.root })).toMatchObject({
    state: 'sealed',
    faults: [],
  })
  expect(isSealed(await exported(account, archive.root))).toBe(true)
  await appendTo(database, account, 300)
  expect(await sealLedgers(sealer)).toMatchObject({ state: 'sealed', faults: [] })
  await archive.owner.close()
})
