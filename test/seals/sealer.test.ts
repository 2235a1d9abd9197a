import { expect, test } from '@jest/globals'
import { readLog } from '../../src/db/queries/ledger/sealing.ts'
import type { Deps } from '../../src/deps.ts'
import { readCheckpoint, readProof } from '../../src/operations/seals/ledger-proofs.ts'
import { readLogKeys } from '../../src/seals/log-keys.ts'
import { logPlace } from '../../src/seals/log-place.ts'
import { noteKey, parseNote, verifiedKeys } from '../../src/seals/note.ts'
import { sealLedgers } from '../../src/seals/sealer.ts'
import type { TestDatabase } from '../support/database.ts'
import { livedAccount, livedSeq } from '../ledger/lived-account.ts'
import { isProven, sealerIn } from './scene.ts'
import { ofThisFile } from '../ledger/file-scene.ts'

let database: TestDatabase
let deps: Deps
ofThisFile((made) => ({ database, deps } = made))

test('every entry of a sealed ledger is proven, and the epoch is signed by the key of the log', async () => {
  const sealer = sealerIn(database.db)
  const { account } = await livedAccount(deps)
  const report = await sealLedgers(sealer)
  expect(report).toMatchObject({ state: 'sealed', epoch: 1, accounts: [{ account, seq: livedSeq }] })
  for (let seq = 1; seq <= livedSeq; seq++)
    expect(isProven(await readProof(database.db, account, seq))).toBe(true)
  const note = parseNote(await readCheckpoint(database.db))!
  const key = readLogKeys(logPlace(sealer.config, (await readLog(database.db)).log))!.all[0]!.publicKey
  const origin = 'gate.example.com/epochs'
  const found = verifiedKeys(note, [noteKey(origin, 0x01, key), noteKey(origin, 0x04, key)])!
  expect(found.map((one) => one.key.type)).toEqual([0x01, 0x04])
  expect(await sealLedgers(sealer)).toMatchObject({ state: 'sealed', epoch: 1, accounts: [] })
  sealer.remove()
})
